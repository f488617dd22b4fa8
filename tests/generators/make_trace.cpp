// SPDX-License-Identifier: Apache-2.0
//
// Writes a synthetic Kineto trace of a transformer training on GPUs, of any size and era, for tests
// and benchmarks. A small discrete simulation gives the times, so that ranges nest, kernels follow
// their launches and streams never overlap. It is deterministic and is run once for each section of
// the file, in the order Kineto writes them; only one step is held in memory. It is not a model of
// any real machine: see README.md for what it leaves out.

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "trace_model.h"
#include "trace_options.h"
#include "trace_training.h"
#include "trace_writer.h"

namespace {

using namespace generator;

struct Report {
  int64_t bytes = 0;
  int64_t origin_ns = 0;
  int64_t end_ns = 0;
  Totals totals;
  std::vector<StepTotals> steps;
};

// Simulates all steps once and calls visit(step, buffer) for each.
template <typename Visit>
int64_t Simulate(const Model& model, int64_t steps, std::vector<PythonRange>& enclosing,
                 Visit visit) {
  const Options& options = model.options;
  const int slowest = options.world - 1;
  const bool follow = options.distributed() && options.rank != slowest;
  Training own(model, options.rank);
  std::unique_ptr<Training> reference =
      follow ? std::make_unique<Training>(model, slowest) : nullptr;
  std::vector<PythonRange> ignored;
  enclosing.clear();
  own.EnterEnclosingFrames(enclosing);
  if (follow) reference->EnterEnclosingFrames(ignored);
  auto buffer = std::make_unique<StepBuffer>();
  auto reference_buffer = std::make_unique<StepBuffer>();
  for (int step = 0; step < steps; ++step) {
    if (follow) reference->RunStep(step, *reference_buffer, nullptr);
    own.RunStep(step, *buffer, follow ? &reference_buffer->collective_ends_ns : nullptr);
    visit(step, *buffer);
  }
  own.Finish();
  for (PythonRange& frame : enclosing) frame.end_ns = own.now_ns() + 3000 - 1000 * (frame.id - 1);
  return std::max(own.now_ns() + 4000, own.device_end_ns() + 1000);
}

Report Write(const Model& model, int64_t steps, std::FILE* file) {
  Output output(file);
  Emitter emitter(model.options, output);
  const Options& options = model.options;
  Report report;
  std::vector<PythonRange> enclosing;
  emitter.Header(model);

  if (options.gpu) {
    Simulate(model, steps, enclosing, [&](int, const StepBuffer& buffer) {
      for (const HostRange& range : buffer.autograd_ranges) emitter.Host(range, kAutogradTid);
    });
  }
  const int64_t end_ns = Simulate(model, steps, enclosing, [&](int, const StepBuffer& buffer) {
    for (const HostRange& range : buffer.main_ranges) emitter.Host(range, kMainTid);
    StepTotals totals{buffer.start_ns, buffer.end_ns, buffer.data_loader_ns};
    for (const ApiCall& call : buffer.api_calls) {
      if (call.device == nullptr || call.device->kind != DeviceSite::Kind::kKernel) continue;
      ++totals.kernels;
      totals.kernel_ns += call.device_end_ns - call.device_start_ns;
      if (call.collective_sequence >= 0)
        totals.communication_ns += call.device_end_ns - call.device_start_ns;
    }
    report.steps.push_back(totals);
  });
  if (options.memory) {
    Simulate(model, steps, enclosing, [&](int, const StepBuffer& buffer) {
      for (const MemoryEvent& event : buffer.memory_events) emitter.Memory(event);
    });
  }
  if (options.stack && options.era != Era::k1_9) {
    const std::vector<PythonRange> frames = enclosing;  // complete since the pass before
    for (const PythonRange& frame : frames) emitter.Python(frame);
    Simulate(model, steps, enclosing, [&](int, const StepBuffer& buffer) {
      for (const PythonRange& range : buffer.python_ranges) emitter.Python(range);
    });
  }
  if (options.gpu) {
    std::vector<DeviceAnnotation> annotations;
    Simulate(model, steps, enclosing, [&](int step, const StepBuffer& buffer) {
      for (const ApiCall& call : buffer.api_calls) emitter.Device(call);
      if (step % 20 == 3) emitter.Overhead(buffer.end_ns - 40'000, 31'415);
      annotations.insert(annotations.end(), buffer.device_annotations.begin(),
                         buffer.device_annotations.end());
    });
    for (const DeviceAnnotation& annotation : annotations) emitter.Annotation(annotation);
  }
  emitter.Footer(end_ns);
  output.Flush();
  report.bytes = output.bytes();
  report.origin_ns = emitter.origin_ns();
  report.end_ns = end_ns;
  report.totals = emitter.totals();
  return report;
}

void WriteExpectations(const Options& options, const Report& report, const char* path) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) {
    std::fprintf(stderr, "make_trace: cannot write %s: %s\n", path, std::strerror(errno));
    std::exit(1);
  }
  const Totals& totals = report.totals;
  std::fprintf(file,
               "{\"bytes\": %" PRId64 ", \"events\": %" PRId64
               ", \"steps\": %zu,\n \"counts\": [[\"M\", null, %" PRId64 "]",
               report.bytes, totals.events, report.steps.size(), totals.metadata);
  // Categories that share a name in an old era are added up.
  std::vector<std::pair<std::string, int64_t>> durations;
  const auto rows = [&](const char* phase, const std::array<int64_t, kCategoryCount>& counts) {
    for (int i = 0; i < kCategoryCount; ++i) {
      const auto category = static_cast<Category>(i);
      const std::string_view name = CategoryName(category, options.era);
      int64_t sum = 0;
      bool first = true;
      for (int j = 0; j < kCategoryCount; ++j) {
        if (CategoryName(static_cast<Category>(j), options.era) != name) continue;
        if (j < i) first = false;
        sum += counts[static_cast<size_t>(j)];
      }
      if (!first || sum == 0) continue;
      std::fprintf(
          file,
          name.empty() ? ", [\"%s\", null%.*s, %" PRId64 "]" : ", [\"%s\", \"%.*s\", %" PRId64 "]",
          phase, static_cast<int>(name.size()), name.data(), sum);
    }
  };
  rows("X", totals.ranges);
  rows("i", totals.instants);
  rows("s", totals.starts);
  rows("f", totals.ends);
  std::fprintf(file, "],\n \"dur_ns\": {");
  for (int i = 0; i < kCategoryCount; ++i) {
    if (totals.ranges[static_cast<size_t>(i)] == 0) continue;
    const std::string name(CategoryName(static_cast<Category>(i), options.era));
    auto found = std::find_if(durations.begin(), durations.end(),
                              [&](const auto& entry) { return entry.first == name; });
    if (found == durations.end()) found = durations.insert(durations.end(), {name, 0});
    found->second += totals.duration_ns[static_cast<size_t>(i)];
  }
  for (size_t i = 0; i < durations.size(); ++i) {
    std::fprintf(file, "%s\"%s\": %" PRId64, i == 0 ? "" : ", ", durations[i].first.c_str(),
                 durations[i].second);
  }
  std::fprintf(
      file, "},\n \"first_ts_ns\": %" PRId64 ", \"last_end_ns\": %" PRId64 ",\n \"step_totals\": [",
      report.origin_ns, report.origin_ns + report.end_ns);
  for (size_t i = 0; i < report.steps.size(); ++i) {
    const StepTotals& step = report.steps[i];
    std::fprintf(file,
                 "%s\n  {\"name\": \"ProfilerStep#%zu\", \"start_ns\": %" PRId64
                 ", \"end_ns\": %" PRId64 ", \"data_loader_ns\": %" PRId64
                 ", \"kernels_launched\": %" PRId64 ", \"kernel_ns\": %" PRId64
                 ", \"communication_ns\": %" PRId64 "}",
                 i == 0 ? "" : ",", i + kFirstStep, report.origin_ns + step.start_ns,
                 report.origin_ns + step.end_ns, step.data_loader_ns, step.kernels, step.kernel_ns,
                 step.communication_ns);
  }
  std::fprintf(file, "\n ]}\n");
  std::fclose(file);
}

constexpr const char* kUsage =
    "usage: make_trace --out FILE|- (--size BYTES[K|M|G] | --steps N) [--layers N] [--seed N]\n"
    "                  [--rank R --world W] [--era new|2.4|2.4abs|1.12|1.9]\n"
    "                  [--scenario healthy|dataloader|launch-bound|communication|sync]\n"
    "                  [--no-gpu] [--no-stack] [--no-memory] [--expect FILE]\n";

[[noreturn]] void Refuse(const std::string& message) {
  std::fprintf(stderr, "make_trace: %s\n%s", message.c_str(), kUsage);
  std::exit(2);
}

int64_t ParseInteger(std::string_view text, const std::string& option) {
  int64_t value = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || value < 0) {
    Refuse(option + " expects a number, found '" + std::string(text) + "'");
  }
  return value;
}

int64_t ParseSize(std::string_view text) {
  double unit = 1.0;
  if (!text.empty() && std::string_view("KMG").find(text.back()) != std::string_view::npos) {
    unit = text.back() == 'K' ? 1e3 : text.back() == 'M' ? 1e6 : 1e9;
    text.remove_suffix(1);
  }
  double value = 0.0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || value <= 0.0) {
    Refuse("--size expects a number with an optional K, M or G, found '" + std::string(text) + "'");
  }
  return static_cast<int64_t>(value * unit);
}

template <typename Value>
Value Choose(std::string_view text, const std::string& option,
             std::initializer_list<std::pair<const char*, Value>> choices) {
  std::string names;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    names += std::string(names.empty() ? "" : ", ") + name;
  }
  Refuse(option + " is one of " + names + "; found '" + std::string(text) + "'");
}

Options ParseOptions(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string option = argv[i];
    if (option == "--help") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    }
    if (option == "--no-gpu") {
      options.gpu = false;
      continue;
    }
    if (option == "--no-stack") {
      options.stack = false;
      continue;
    }
    if (option == "--no-memory") {
      options.memory = false;
      continue;
    }
    if (i + 1 >= argc) Refuse(option + " is unknown or lacks its value");
    const std::string_view value = argv[++i];
    if (option == "--out") {
      options.out = value;
    } else if (option == "--expect") {
      options.expect = value;
    } else if (option == "--size") {
      options.size_bytes = ParseSize(value);
    } else if (option == "--steps") {
      options.steps = ParseInteger(value, option);
    } else if (option == "--layers") {
      options.layers = static_cast<int>(ParseInteger(value, option));
    } else if (option == "--seed") {
      options.seed = static_cast<uint64_t>(ParseInteger(value, option));
    } else if (option == "--rank") {
      options.rank = static_cast<int>(ParseInteger(value, option));
    } else if (option == "--world") {
      options.world = static_cast<int>(ParseInteger(value, option));
    } else if (option == "--era") {
      options.era = Choose<Era>(value, option,
                                {{"new", Era::kNew},
                                 {"2.4", Era::k2_4},
                                 {"2.4abs", Era::k2_4Absolute},
                                 {"1.12", Era::k1_12},
                                 {"1.9", Era::k1_9}});
    } else if (option == "--scenario") {
      options.scenario = Choose<Scenario>(value, option,
                                          {{"healthy", Scenario::kHealthy},
                                           {"dataloader", Scenario::kDataLoader},
                                           {"launch-bound", Scenario::kLaunchBound},
                                           {"communication", Scenario::kCommunication},
                                           {"sync", Scenario::kSync}});
    } else {
      Refuse("unknown option " + option);
    }
  }
  if ((options.size_bytes > 0) == (options.steps > 0))
    Refuse("give either --size or --steps, above zero");
  if (options.world < 1 || options.world > 4096 || options.rank >= options.world) {
    Refuse("--rank must be below --world, and --world between 1 and 4096");
  }
  return options;
}

// Steps of average size that fill the wanted bytes; few layers for small files, so that there are
// steps.
int64_t ChooseSteps(Options& options) {
  constexpr int64_t kMinimumSteps = 4;
  const bool choose_layers = options.layers == 0;
  if (choose_layers) options.layers = kDefaultLayers;
  if (options.steps > 0) return options.steps;
  while (true) {
    const Model model(options);
    const int64_t one = Write(model, 2, nullptr).bytes;
    const int64_t three = Write(model, 4, nullptr).bytes;
    const int64_t step_bytes = std::max<int64_t>(1, (three - one) / 2);
    const int64_t fixed_bytes = one - 2 * step_bytes;
    const int64_t steps =
        std::max<int64_t>(1, (options.size_bytes - fixed_bytes + step_bytes / 2) / step_bytes);
    if (steps >= kMinimumSteps || !choose_layers || options.layers == 1) return steps;
    options.layers = std::max(
        1, std::min(options.layers - 1, static_cast<int>(options.layers * steps / kMinimumSteps)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options = ParseOptions(argc, argv);
  const int64_t steps = ChooseSteps(options);
  const Model model(options);
  std::FILE* file = options.out == "-" ? stdout : std::fopen(options.out.c_str(), "wb");
  if (file == nullptr) {
    std::fprintf(stderr, "make_trace: cannot write %s: %s\n", options.out.c_str(),
                 std::strerror(errno));
    return 1;
  }
  std::setvbuf(file, nullptr, _IONBF, 0);
  const Report report = Write(model, steps, file);
  if (std::fclose(file) != 0) {
    std::fprintf(stderr, "make_trace: cannot finish %s: %s\n", options.out.c_str(),
                 std::strerror(errno));
    return 1;
  }
  if (!options.expect.empty()) WriteExpectations(options, report, options.expect.c_str());
  return 0;
}
