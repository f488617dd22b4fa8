// SPDX-License-Identifier: Apache-2.0
#include "analysis/diff/series.h"

#include <algorithm>
#include <unordered_map>

#include "analysis/core/sums.h"
#include "analysis/modules/modules.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// Beyond so many values a table keeps sums alone.
constexpr size_t kMostValues = size_t{1} << 24;

// Collects values of one table in one file, by name and sample.
class Sheet {
 public:
  Sheet(const Trace& trace, size_t samples)
      : trace_(trace), samples_(samples), slot_(trace.strings.size()) {}

  void Add(StringId name, size_t sample, int64_t value, uint64_t calls) {
    uint32_t& slot = slot_[static_cast<size_t>(name)];
    if (slot == 0) {
      names_.push_back(name);
      sums_.push_back({0, 0});
      slot = static_cast<uint32_t>(names_.size());
      if (values_.size() + samples_ <= kMostValues) {
        values_.resize(values_.size() + samples_);
      } else {
        spread_ = false;
      }
    }
    AddTo(sums_[slot - 1].value, value);
    sums_[slot - 1].calls += calls;
    if (spread_) AddTo(values_[(slot - 1) * samples_ + sample], value);
  }

  // Appends to what other files gave: `first` samples are theirs, `all` there will be.
  void MoveTo(SeriesByName& series, size_t first, size_t all) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      DiffSeries& row = series[std::string(trace_.Text(names_[i]))];
      AddTo(row.sum, sums_[i].value);
      row.calls += sums_[i].calls;
      if (!spread_) continue;
      row.samples.resize(all);
      for (size_t s = 0; s < samples_; ++s) {
        AddTo(row.samples[first + s], values_[i * samples_ + s]);
      }
    }
  }

 private:
  struct Sum {
    int64_t value;
    uint64_t calls;
  };
  const Trace& trace_;
  size_t samples_;
  bool spread_ = true;
  std::vector<uint32_t> slot_;  // by StringId, + 1
  std::vector<StringId> names_;
  std::vector<Sum> sums_;
  std::vector<int64_t> values_;  // by slot, then sample
};

// Which sample a moment on the host belongs to.
class Samples {
 public:
  static constexpr size_t kNone = SIZE_MAX;

  explicit Samples(const TraceContext& context) {
    whole_ = context.steps.source == StepSource::kWholeTrace;
    for (const Step& step : context.steps.rows) {
      if (CountsForDiff(context, step)) hosts_.push_back(step.host);
    }
  }
  [[nodiscard]] size_t size() const { return hosts_.size(); }
  [[nodiscard]] size_t At(int64_t time_ns) const {
    if (whole_) return hosts_.empty() ? kNone : 0;
    const auto next = std::partition_point(hosts_.begin(), hosts_.end(), [&](const Interval& host) {
      return host.start_ns <= time_ns;
    });
    if (next == hosts_.begin() || (next - 1)->end_ns <= time_ns) return kNone;
    return static_cast<size_t>(next - hosts_.begin()) - 1;
  }

 private:
  std::vector<Interval> hosts_;
  bool whole_ = false;
};

void AddSteps(const TraceContext& context, size_t first, size_t all, SeriesByName& series) {
  const StepReport report =
      DescribeSteps(context.trace, context.tree, context.links, context.facts, context.steps);
  size_t sample = first;
  const auto add = [&](std::string_view name, int64_t value) {
    DiffSeries& row = series[std::string(name)];
    row.samples.resize(all);
    row.samples[sample] = value;
    AddTo(row.sum, value);
    ++row.calls;
  };
  const bool asked_for = context.options.first_step || context.options.last_step;
  for (const StepRow& step : report.rows) {
    if (!step.complete && !asked_for) continue;
    add("step", step.duration_ns);
    for (size_t c = 0; c < kStepCategoryCount; ++c) {
      add(NameOf(static_cast<StepCategory>(c)), step.categories[c]);
    }
    ++sample;
  }
}

void AddHost(const TraceContext& context, const Samples& samples, Sheet& operators,
             Sheet& runtime) {
  const SpanTable& spans = context.trace.spans;
  const HostTree& tree = context.tree;
  // Own time is the duration without that of the children.
  const auto add = [&](SpanRow row, int64_t value, uint64_t calls) {
    if (context.facts.Is(spans.name[row], NameFact::kStep)) return;
    const size_t sample = samples.At(spans.start_ns[row]);
    if (sample == Samples::kNone) return;
    Sheet& sheet = spans.category[row] == Category::kRuntime ? runtime : operators;
    sheet.Add(spans.name[row], sample, value, calls);
  };
  CancelCheck cancel;
  for (NodeId n = 0; n < tree.size(); ++n) {
    cancel.Tick();
    if (tree.folded_into[n] != n) continue;
    const SpanRow row = tree.span[n];
    add(row, spans.duration_ns[row], 1);
    const NodeId parent = tree.EffectiveParent(n);
    if (parent != kNoRow) add(tree.span[parent], -spans.duration_ns[row], 0);
  }
}

struct UseKey {
  StringId kernel;
  StringId op;
  StringId shapes;
  friend bool operator==(const UseKey&, const UseKey&) = default;
};
struct UseHash {
  size_t operator()(const UseKey& key) const {
    uint64_t h = static_cast<uint64_t>(key.kernel) * 0x9E3779B97F4A7C15u;
    h = (h ^ (h >> 29)) + static_cast<uint64_t>(key.op) * 0xBF58476D1CE4E5B9u;
    h = (h ^ (h >> 29)) + static_cast<uint64_t>(key.shapes) * 0x94D049BB133111EBu;
    return static_cast<size_t>(h ^ (h >> 32));
  }
};

void AddDevice(const TraceContext& context, const Samples& samples, Sheet& operators,
               Sheet& kernels, KernelUses& uses) {
  const Trace& trace = context.trace;
  const DeviceLinks& links = context.links;
  std::unordered_map<UseKey, int64_t, UseHash> found;
  CancelCheck cancel;
  for (size_t i = 0; i < links.size(); ++i) {
    cancel.Tick();
    const SpanRow row = links.device[i];
    // Work without a launch belongs to no step; in a whole trace it counts.
    const NodeId launch = links.launch[i];
    const size_t sample =
        samples.At(trace.spans.start_ns[launch == kNoRow ? row : context.tree.span[launch]]);
    if (sample == Samples::kNone) continue;
    const int64_t duration = trace.spans.duration_ns[row];
    const SpanRow owner = links.owner[i] == kNoRow ? kNoRow : context.tree.span[links.owner[i]];
    if (owner != kNoRow && !context.facts.Is(trace.spans.name[owner], NameFact::kStep)) {
      operators.Add(trace.spans.name[owner], sample, duration, 1);
    }
    if (trace.spans.category[row] != Category::kKernel) continue;
    kernels.Add(trace.spans.name[row], sample, duration, 1);
    if (owner == kNoRow) continue;
    const OperatorDetail* detail = trace.OperatorOf(owner);
    AddTo(found[{trace.spans.name[row], trace.spans.name[owner],
                 detail == nullptr ? kNoString : detail->input_dims}],
          duration);
  }
  for (const auto& [key, time] : found) {
    AddTo(uses[{std::string(trace.Text(key.kernel)), std::string(trace.Text(key.op)),
                std::string(trace.Text(key.shapes))}],
          time);
  }
}

void AddModules(std::span<const TraceContext> files, DiffSide& side) {
  std::vector<ModuleReport> reports;
  for (const TraceContext& context : files) reports.push_back(DescribeModules(context));
  const ModuleReport report = reports.size() == 1 ? reports[0] : MergeModules(reports);
  side.modules_on_device = report.device_ns > 0;
  for (const TraceContext& context : files) {
    for (const Step& step : context.steps.rows) side.module_steps += step.selected ? 1 : 0;
  }
  for (const ModuleRow& row : report.rows) {
    if (row.outside()) continue;
    DiffSeries& series = side.modules[row.path];
    AddTo(series.sum, side.modules_on_device ? row.device_self_ns : row.host_self_ns);
    series.calls += row.calls;
  }
}

}  // namespace

bool CountsForDiff(const TraceContext& context, const Step& step) {
  const bool asked_for = context.options.first_step || context.options.last_step;
  return step.selected && (step.complete || asked_for);
}

DiffSide CollectSide(std::span<const TraceContext> files) {
  DiffSide side;
  std::vector<Samples> samples;
  for (const TraceContext& context : files) {
    samples.emplace_back(context);
    side.samples += samples.back().size();
  }
  size_t first = 0;
  for (size_t f = 0; f < files.size(); ++f) {
    const TraceContext& context = files[f];
    AddSteps(context, first, side.samples, side.steps);
    Sheet operators(context.trace, samples[f].size());
    Sheet device(context.trace, samples[f].size());
    Sheet kernels(context.trace, samples[f].size());
    Sheet runtime(context.trace, samples[f].size());
    AddHost(context, samples[f], operators, runtime);
    AddDevice(context, samples[f], device, kernels, side.uses);
    operators.MoveTo(side.operators, first, side.samples);
    device.MoveTo(side.operators_device, first, side.samples);
    runtime.MoveTo(side.runtime, first, side.samples);
    kernels.MoveTo(side.kernels, first, side.samples);
    first += samples[f].size();
  }
  AddModules(files, side);
  return side;
}

}  // namespace telltale
