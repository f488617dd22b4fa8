// SPDX-License-Identifier: Apache-2.0
// One rule for each kind of cause (analysis/causes/kinds.h): what to do about it. When it speaks
// and how loud follows from what the cause costs, alike for all.
#include <array>
#include <string>

#include <fmt/format.h>

#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr std::string_view kThreshold =
    "a step would be >= 2 % shorter without it (medium: >= 5 %, high: >= 20 %); less only where "
    "there is no other cause";
constexpr std::string_view kReason = "below, mending it would hardly be noticed";

bool Has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::string MendLoading(const CauseFacts& facts) {
  if (Has(facts.cause.what, "_SingleProcess")) {
    return "The DataLoader works in the main process (num_workers=0): set num_workers to a few "
           "workers so that batches are prepared while the model runs, and move decoding and "
           "augmentation out of the loop.";
  }
  return "Raise num_workers or prefetch_factor, keep persistent_workers=True, and look for slow "
         "decoding, augmentation or storage: the workers do not keep up.";
}

// ROCm has no expandable segments.
std::string_view AllocatorSetting(const CauseFacts& facts) {
  return facts.on_amd ? "PYTORCH_HIP_ALLOC_CONF=max_split_size_mb:512"
                      : "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True";
}

// A single long call, in a trace or in one of its steps.
bool IsOneCall(const CauseFacts& facts) {
  const Cause& cause = facts.cause;
  const bool in_one = facts.report.regions == 1 || !cause.worst_region.empty();
  return in_one && cause.example_duration_ns > cause.most_saving_ns / 2;
}

std::string MendAllocation(const CauseFacts& facts) {
  const std::string& call = facts.cause.what;
  if (Has(call, "Host") || Has(call, "host")) {
    return "Pinned memory is dear to get: allocate such buffers once, before the loop "
           "(pin_memory=True in a DataLoader keeps its own).";
  }
  if (Has(call, "ree") && IsOneCall(facts)) {
    return "Nearly all of it is one call. The first use of the device, or of a library such as "
           "cuBLAS, begins so, once: warm up before the recording. If it is not the first, "
           "something in the loop gives memory back (torch.cuda.empty_cache()).";
  }
  if (Has(call, "ree")) {
    return fmt::format(
        "Memory is given back to the device and asked for again. Remove torch.cuda.empty_cache() "
        "from the loop; if the allocator frees by itself it has run out and retries: use less "
        "memory ({}) or {}.",
        facts.training ? "a smaller batch, activation checkpointing" : "a smaller batch or cache",
        AllocatorSetting(facts));
  }
  return fmt::format(
      "The caching allocator has to ask the device for memory inside the loop. Warm up with the "
      "largest shapes first, pad varying shapes to a few sizes, and set {}.",
      AllocatorSetting(facts));
}

std::string MendSynchronization(const CauseFacts& facts) {
  if (Has(facts.cause.inside, "_local_scalar_dense") || Has(facts.cause.inside, "item")) {
    return "The host waits to read a value (.item(), float(), print, an if on a tensor). Keep it "
           "on "
           "the device, read it every hundred steps, or copy it with non_blocking=True and look at "
           "it a step later.";
  }
  if (Has(facts.cause.inside, "nonzero") || Has(facts.cause.inside, "unique") ||
      Has(facts.cause.inside, "index")) {
    return "The size of the result is only known on the device, so that the host waits for it: use "
           "torch.where, masks or fixed sizes instead.";
  }
  return "Remove the synchronising call from the loop (torch.cuda.synchronize(), a blocking copy, "
         "a "
         "read of a value); time with events instead.";
}

std::string MendCopies(const CauseFacts& facts) {
  if (Has(facts.cause.what, "Pageable")) {
    return "The copy uses pageable memory, which is slow and makes the host wait: "
           "pin_memory=True on the DataLoader (or tensor.pin_memory()) and .to(device, "
           "non_blocking=True); keep values on the device that go back and forth.";
  }
  return "Keep values on the device between operators, create tensors there (device=…), join small "
         "copies, and let copies run beside the computation (non_blocking=True on another stream).";
}

std::string MendRuntimeCall(const CauseFacts& facts) {
  if (Has(facts.cause.what, "emcpy")) return MendCopies(facts);
  if (Has(facts.cause.what, "aunch")) {
    return fmt::format(
        "Launches that take so long load code (the first call of a kernel) or find the queue "
        "full. Warm up before measuring{}.",
        facts.on_amd ? "" : "; CUDA_MODULE_LOADING=EAGER loads all code at the start");
  }
  if (IsOneCall(facts)) {
    return "Nearly all of it is one call, as the first use of the device or of a library is: warm "
           "up before the recording. If it comes again, call it once, before the loop.";
  }
  return "Call it once, before the loop.";
}

std::string MendHostCode(const CauseFacts& facts) {
  if (facts.cause.what.empty()) {
    return "It is Python (or waiting) that the capture does not name: record with with_stack=True, "
           "or put record_function(\"name\") around parts of the loop, to see which code it is.";
  }
  if (facts.cause.what.starts_with("## Call CompiledFxGraph") ||
      facts.cause.what.starts_with("Torch-Compiled Region")) {
    return "It is code that torch.compile wrote, between its kernels: mode=\"reduce-overhead\" "
           "launches them as one graph. A stall that comes once is a kernel that is loaded or "
           "tuned: warm up before the recording.";
  }
  if (facts.cause.what.starts_with("Optimizer.step#") && !Has(facts.cause.what, "Fused")) {
    return "The optimizer goes through the parameters one by one in Python: fused=True (or "
           "foreach=True) does them together.";
  }
  // The model itself, or the loop: nothing to move.
  constexpr uint64_t kMany = 20;
  if (facts.cause.pieces > kMany * facts.cause.calls) {
    return fmt::format(
        "It is Python between many operators, so that {} torch.compile takes such code out; "
        "operators that take whole tensors need less of it than loops over parts of them.",
        facts.report.has_device ? "the device waits for its next work." : "no operator runs.");
  }
  return facts.report.has_device
             ? "Nothing is launched meanwhile and the device runs dry. Move it out of the loop, do "
               "it "
               "every so many steps, or hand it to another thread or process."
             : "No operator runs meanwhile. Move it out of the loop, do it every so many steps, or "
               "hand it to another thread or process.";
}

std::string MendHostOperator(const CauseFacts& facts) {
  if (facts.cause.launches) {
    return "It gives the device its work late. A first call loads libraries and tries algorithms "
           "(warm up before the recording; torch.backends.cudnn.benchmark tries them for every "
           "new shape); otherwise the host is slow to prepare it.";
  }
  return "The operator works on the host while the device waits: move its tensors to the device "
         "first, or do it in the DataLoader's workers.";
}

std::string MendLaunchOverhead(const CauseFacts& facts) {
  if (facts.cause.on_host) {
    return fmt::format(
        "Each operator costs time before it computes: {}, torch.compile, operators that take "
        "whole tensors instead of loops over parts of them. What an operator needs inside, "
        "whatever its size, the capture cannot tell from computing: it comes on top of the saving.",
        facts.training ? "a larger batch if training allows it" : "larger batches of requests");
  }
  return fmt::format(
      "The device waits for the host to launch. Launch less and larger work: torch.compile "
      "(mode=\"reduce-overhead\" uses {} graphs), {}.",
      facts.on_amd ? "HIP" : "CUDA",
      facts.training
          ? "a fused optimizer (fused=True), fewer small operators, a larger batch if training "
            "allows it"
          : "fewer small operators, larger batches of requests");
}

std::string MendGarbage(const CauseFacts&) {
  return "Python looks through all its objects again and again: gc.freeze() after start-up, "
         "gc.disable() in the loop with gc.collect() every so many steps, and fewer objects in "
         "reference cycles.";
}

std::string MendCompilation(const CauseFacts&) {
  return "Compile before measuring (warm-up steps with every shape), mark varying sizes with "
         "torch._dynamo.mark_dynamic or compile with dynamic=True; TORCH_LOGS=recompiles says why "
         "a frame is compiled again.";
}

std::string MendProfiler(const CauseFacts&) {
  return "It is gone without the profiler: measure with fewer options (no with_stack, no "
         "profile_memory, no record_shapes) before judging the rest. Buffers that it asks for once "
         "are there after a warm-up (schedule(warmup=1)).";
}

std::string MendUneven(const CauseFacts&) {
  return "Most calls of the same name and shapes are far quicker. Look at the slow ones in the "
         "timeline: a first call (warm-up, autotuning), another process on the same machine, "
         "memory "
         "that is touched for the first time.";
}

std::string MendCollectiveWait(const CauseFacts&) {
  return "The fastest call of this kind and size shows what the transfer needs; the rest is "
         "waiting "
         "for ranks that come late. Open the traces of all ranks together to see which one and "
         "why.";
}

std::string MendLateRank(const CauseFacts&) {
  return "The others wait for it in their collectives. Compare its operators with another rank's: "
         "more or longer samples, a slower device, something else on that machine.";
}

std::string MendSlowSteps(const CauseFacts& facts) {
  return fmt::format(
      "Compare it with a typical step in the timeline: {}, a first step (leave it out: warm-up "
      "steps before the recording), or something else on the machine.",
      facts.training ? "more or longer samples (sort them by length, or pad to a few sizes)"
                     : "larger requests (batch those of like size)");
}

std::string MendCommunication(const CauseFacts& facts) {
  if (facts.report.joined && !facts.training) {
    return "It is the transfer itself that no computation hides: send less (smaller types, fewer "
           "devices for one model), or let it run beside the next layer.";
  }
  return facts.report.joined
             ? "It is the transfer itself that no computation hides: send less (gradient "
               "accumulation, lower precision, sharding), or begin it earlier (bucket sizes)."
             : "One rank's trace does not show whether it moves bytes or waits for another rank: "
               "open "
               "the traces of all ranks together.";
}

std::string MendUnexplained(const CauseFacts& facts) {
  if (facts.cause.what.empty()) {
    return fmt::format(
        "Nothing recorded says what the device waited for: work from before the recording, a "
        "stream of another process, a thread that was not captured. A longer recording with a "
        "warm-up{}.",
        facts.on_amd ? " shows more" : ", and enable_cuda_sync_events=True, show more");
  }
  return "It was launched and did not start; nothing recorded says why: work from before the "
         "recording, another process on the device, or loading of the code. A longer recording "
         "with a warm-up shows more.";
}

Rule Of(CauseKind kind, std::string_view title, std::string_view needs,
        std::vector<std::string_view> views, std::string (*remedy)(const CauseFacts&)) {
  views.insert(views.begin(), {"overview", "causes"});
  return {.id = RuleOf(kind),
          .title = title,
          .needs = needs,
          .threshold = kThreshold,
          .reason = kReason,
          .views = std::move(views),
          .remedy = remedy};
}

}  // namespace

std::vector<Rule> CauseRules() {
  using enum CauseKind;
  std::vector<Rule> rules = {
      Of(kDataLoading, "DataLoader wait", "DataLoader ranges", {"idle", "critical_path"},
         MendLoading),
      Of(kAllocation, "allocation calls", "runtime calls", {"memory", "critical_path"},
         MendAllocation),
      Of(kSynchronization, "synchronization", "runtime calls, device events",
         {"idle", "launches", "critical_path"}, MendSynchronization),
      Of(kRuntimeCall, "slow runtime calls", "runtime calls", {"launches", "critical_path"},
         MendRuntimeCall),
      Of(kHostCode, "host code", "host events; Python frames for its place",
         {"functions", "idle", "critical_path"}, MendHostCode),
      Of(kHostOperator, "operators on the host", "operators, device events",
         {"operators", "idle", "critical_path"}, MendHostOperator),
      Of(kLaunchOverhead, "launch bound", "device events with their launching calls",
         {"idle", "launches", "critical_path"}, MendLaunchOverhead),
      Of(kCopy, "copies between host and device", "copies that say their direction",
         {"copies", "idle", "critical_path"}, MendCopies),
      Of(kGarbageCollection, "garbage collection",
         "Python frames (with_stack=True; record_python_gc_info=True for all collections)",
         {"functions", "critical_path"}, MendGarbage),
      Of(kCompilation, "compilation in the step", "ranges of torch.compile", {"critical_path"},
         MendCompilation),
      Of(kProfiler, "profiler overhead", "Python frames", {"functions"}, MendProfiler),
      Of(kUnevenWork, "uneven work", "at least 5 calls of one name and shape, 1 in 4 of them slow",
         {"operators", "kernels", "critical_path"}, MendUneven),
      Of(kCollectiveWait, "waiting in collectives",
         "collectives of one rank, at least 3 of one kind and size",
         {"distributed", "critical_path"}, MendCollectiveWait),
      Of(kLateRank, "late rank", "traces of several ranks with common collectives",
         {"distributed", "critical_path"}, MendLateRank),
      Of(kSlowSteps, "slow steps",
         "at least 3 complete steps, some 25 % longer than the typical one",
         {"steps", "critical_path"}, MendSlowSteps),
      Of(kCommunication, "communication", "collectives on the device or the host",
         {"distributed", "critical_path"}, MendCommunication),
      Of(kUnexplained, "unexplained waiting", "device events", {"idle", "critical_path"},
         MendUnexplained),
  };
  for (Rule& rule : rules) {
    if (rule.id != RuleOf(kCommunication)) continue;
    rule.threshold = ">= 5 % of the step's critical path (medium: >= 20 %); it has no saving";
    rule.reason = "what of it could be gone, the capture does not show";
  }
  return rules;
}

}  // namespace telltale::health
