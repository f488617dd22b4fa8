// SPDX-License-Identifier: Apache-2.0
// The six checks that torch's own trace validator makes.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <tuple>

#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "analysis/core/words.h"
#include "analysis/validate/checks.h"

namespace telltale::validation {

namespace {

// Clocks that disagree by more than this move work into the wrong step.
constexpr int64_t kGrossSkewNs = 1'000'000;

struct Call {
  uint64_t correlation;
  SpanRow row;
};

// Runtime and driver calls by correlation.
class CallIndex {
 public:
  explicit CallIndex(const Trace& trace) {
    for (size_t row = 0; row < trace.spans.size(); ++row) {
      const RuntimeDetail* detail = trace.RuntimeOf(row);
      if (detail == nullptr || detail->correlation == kNoUint || detail->correlation == 0) continue;
      calls_.push_back({detail->correlation, static_cast<SpanRow>(row)});
    }
    SortRuns(std::span(calls_),
             [](const Call& a, const Call& b) { return a.correlation < b.correlation; });
  }

  [[nodiscard]] SpanRow Find(uint64_t correlation) const {
    const auto at =
        std::lower_bound(calls_.begin(), calls_.end(), correlation,
                         [](const Call& call, uint64_t c) { return call.correlation < c; });
    return at != calls_.end() && at->correlation == correlation ? at->row : kNoRow;
  }

 private:
  std::vector<Call> calls_;
};

const SyncDetail* SyncOf(const Trace& trace, size_t row) {
  const bool has =
      trace.spans.category[row] == Category::kSync && trace.spans.detail[row] != kNoDetail;
  return has ? &trace.sync_details[trace.spans.detail[row]] : nullptr;
}

bool HasSyncEvents(const Trace& trace) { return !trace.sync_details.empty(); }

struct StreamKernel {
  int64_t device;
  int64_t stream;
  int64_t start_ns;
  int64_t end_ns;  // after Finish: the latest end of this and all earlier kernels of the stream
};

class StreamKernels {
 public:
  explicit StreamKernels(const Trace& trace) {
    for (size_t row = 0; row < trace.spans.size(); ++row) {
      if (trace.spans.category[row] != Category::kKernel) continue;
      const DeviceDetail* detail = trace.DeviceOf(row);
      if (detail == nullptr || detail->stream == kNoInt) continue;
      kernels_.push_back(
          {detail->device, detail->stream, trace.spans.start_ns[row], trace.spans.end_ns(row)});
    }
    SortRuns(std::span(kernels_), Before);
    for (size_t i = 1; i < kernels_.size(); ++i) {
      const bool same = kernels_[i].device == kernels_[i - 1].device &&
                        kernels_[i].stream == kernels_[i - 1].stream;
      if (same) kernels_[i].end_ns = std::max(kernels_[i].end_ns, kernels_[i - 1].end_ns);
    }
  }

  [[nodiscard]] bool RunningAt(int64_t device, int64_t stream, int64_t time_ns) const {
    const auto after = std::lower_bound(kernels_.begin(), kernels_.end(),
                                        StreamKernel{device, stream, time_ns, 0}, Before);
    if (after == kernels_.begin()) return false;
    const StreamKernel& last = *(after - 1);
    return last.device == device && last.stream == stream &&
           Difference(last.end_ns, time_ns) > kClockToleranceNs;
  }

 private:
  static bool Before(const StreamKernel& a, const StreamKernel& b) {
    return std::tie(a.device, a.stream, a.start_ns) < std::tie(b.device, b.stream, b.start_ns);
  }

  std::vector<StreamKernel> kernels_;
};

bool LacksField(const Trace& trace, const OperatorDetail& detail) {
  if (detail.collective == kNoDetail) return true;
  const CollectiveDetail& c = trace.collectives[detail.collective];
  return c.name == kNoString || c.dtype == kNoString || c.in_elements == kNoInt ||
         c.out_elements == kNoInt || c.group_size == kNoInt;
}

struct BackwardOperator {
  int64_t forward_thread;
  int64_t sequence;
  StringId name;
  SpanRow row;
};

// The engine's wrapper and the function inside it are the same step: both count by the function's
// name.
StringId FunctionName(const Trace& trace, SpanRow row) {
  constexpr std::string_view kWrapper = "autograd::engine::evaluate_function: ";
  const std::string_view name = trace.NameOfSpan(row);
  if (!name.starts_with(kWrapper)) return trace.spans.name[row];
  return trace.strings.Find(name.substr(kWrapper.size()));
}

std::vector<BackwardOperator> FindBackwardOperators(const Trace& trace) {
  std::vector<BackwardOperator> found;
  for (size_t i = 0; i < trace.spans.size(); ++i) {
    const auto row = static_cast<SpanRow>(i);
    const OperatorDetail* detail = trace.OperatorOf(row);
    if (detail == nullptr || detail->sequence_number == kNoInt || detail->sequence_number < 0)
      continue;
    // 0 stands for "no forward thread", like an absent argument.
    if (detail->forward_thread == kNoInt || detail->forward_thread == 0) continue;
    const StringId name = FunctionName(trace, row);
    if (name != kNoString)
      found.push_back({detail->forward_thread, detail->sequence_number, name, row});
  }
  std::sort(found.begin(), found.end(), [](const BackwardOperator& a, const BackwardOperator& b) {
    return std::tie(a.forward_thread, a.sequence, a.name, a.row) <
           std::tie(b.forward_thread, b.sequence, b.name, b.row);
  });
  return found;
}

}  // namespace

void CheckLaunchOrder(const Input& input, std::vector<Finding>& findings) {
  const SpanTable& spans = input.trace.spans;
  Tally early;
  int64_t worst = 0;
  for (size_t i = 0; i < input.links.size(); ++i) {
    if (input.links.launch[i] == kNoRow) continue;
    const SpanRow row = input.links.device[i];
    const int64_t by =
        Difference(spans.start_ns[input.tree.span[input.links.launch[i]]], spans.start_ns[row]);
    if (by <= kClockToleranceNs) continue;
    early.Add(spans.offset[row]);
    worst = std::max(worst, by);
  }
  const bool gross = worst > kGrossSkewNs;
  AddFinding(
      findings, gross ? Severity::kError : Severity::kInfo, "kernel_before_launch", early,
      fmt::format(
          "device events start before the call that launched them, by up to {}: host and device "
          "clocks disagree. Durations are right; launch delays and idle times by cause are not{}",
          words::Duration(worst), gross ? ", and work may count to the wrong step" : ""));
}

void CheckWaits(const Input& input, std::vector<Finding>& findings) {
  const Trace& trace = input.trace;
  if (!HasSyncEvents(trace)) return;
  const CallIndex calls(trace);
  Tally without_record;
  Tally future;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    const SyncDetail* sync = SyncOf(trace, row);
    if (sync == nullptr) continue;
    const std::string_view name = trace.NameOfSpan(row);
    if (name != "Stream Wait Event" && name != "Event Sync") continue;
    if (sync->wait_on_record_correlation <= 0) {  // absent, or the -1 that kineto writes for "none"
      without_record.Add(trace.spans.offset[row]);
      continue;
    }
    const SpanRow record = calls.Find(static_cast<uint64_t>(sync->wait_on_record_correlation));
    if (record == kNoRow) continue;  // recorded before the window
    const SpanRow call = sync->correlation == kNoUint ? kNoRow : calls.Find(sync->correlation);
    const int64_t waits_from = trace.spans.start_ns[call == kNoRow ? row : call];
    if (Difference(trace.spans.start_ns[record], waits_from) > kClockToleranceNs) {
      future.Add(trace.spans.offset[row]);
    }
  }
  AddFinding(findings, Severity::kLoss, "wait_without_record", without_record,
             "waits for an event do not say which record they wait for: the critical path and idle "
             "time by "
             "cause cannot follow them");
  AddFinding(findings, Severity::kError, "wait_on_future_record", future,
             "waits refer to an event that is recorded only later: dependencies between streams "
             "are wrong, and "
             "with them the critical path");
}

void CheckStreamSynchronizations(const Input& input, std::vector<Finding>& findings) {
  const Trace& trace = input.trace;
  if (!HasSyncEvents(trace)) return;
  const StreamKernels kernels(trace);
  Tally running;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    const SyncDetail* sync = SyncOf(trace, row);
    if (sync == nullptr || trace.NameOfSpan(row) != "Stream Sync") continue;
    if (kernels.RunningAt(sync->device, sync->stream, trace.spans.start_ns[row])) {
      running.Add(trace.spans.offset[row]);
    }
  }
  AddFinding(findings, Severity::kInfo, "kernel_running_at_stream_sync", running,
             "a kernel is still running on a stream where the record of its synchronisation "
             "begins: the record is "
             "misplaced, so waits cannot be told from work there; kernel times are right");
}

void CheckCollectives(const Input& input, std::vector<Finding>& findings) {
  const Trace& trace = input.trace;
  const StringId name = trace.strings.Find("record_param_comms");
  if (name == kNoString) return;
  Tally missing;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    if (trace.spans.name[row] != name) continue;
    const OperatorDetail* detail = trace.OperatorOf(row);
    if (detail != nullptr && LacksField(trace, *detail)) missing.Add(trace.spans.offset[row]);
  }
  AddFinding(findings, Severity::kLoss, "collective_fields_missing", missing,
             "collectives lack some of: name, data type, number of elements in and out, group "
             "size. Their bytes and "
             "bandwidth are unknown, and they cannot be matched across ranks; torch 2.3 and later "
             "write the fields");
}

void CheckBackwardNames(const Input& input, std::vector<Finding>& findings) {
  const std::vector<BackwardOperator> operators = FindBackwardOperators(input.trace);
  Tally ambiguous;
  size_t begin = 0;
  for (size_t i = 1; i <= operators.size(); ++i) {
    const bool same = i < operators.size() &&
                      operators[i].forward_thread == operators[begin].forward_thread &&
                      operators[i].sequence == operators[begin].sequence;
    if (same) continue;
    if (operators[begin].name != operators[i - 1].name) {
      ambiguous.Add(input.trace.spans.offset[operators[begin].row]);
    }
    begin = i;
  }
  AddFinding(findings, Severity::kInfo, "backward_names_per_sequence", ambiguous,
             "one sequence number belongs to backward operators of different names: a backward "
             "operator cannot be "
             "matched to its forward operator there; all other numbers are right");
}

}  // namespace telltale::validation
