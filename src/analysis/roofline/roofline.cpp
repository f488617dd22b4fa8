// SPDX-License-Identifier: Apache-2.0
#include "analysis/roofline/roofline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "analysis/core/backward_links.h"
#include "analysis/core/key_numbers.h"
#include "analysis/core/sums.h"
#include "analysis/work/copies.h"
#include "base/cancel.h"

namespace telltale {

namespace {

constexpr uint32_t kNone = UINT32_MAX;

uint64_t Join(uint32_t a, uint32_t b) { return uint64_t{a} << 32 | b; }

// A call's name, arguments and what they cost.
struct Combination {
  const OperatorFormula* formula = nullptr;
  NodeId first = kNoRow;
  std::optional<int64_t> flops;  // both or none
  std::optional<int64_t> bytes;
  NumberType type = NumberType::kFp32;

  [[nodiscard]] bool valid() const { return flops && bytes; }
};

// One trace: sums by combination, phase and device.
class TraceRoofline {
 public:
  TraceRoofline(const TraceContext& context, uint32_t file)
      : context_(context),
        file_(file),
        trace_(context.trace),
        tree_(context.tree),
        has_device_(context.links.size() > 0) {}

  void Add(RooflineReport& report) {
    report.has_device |= has_device_;
    if (has_device_) SumBelow();
    Combine();
    Claim();
    backward_ = BackwardOperators(trace_, tree_);
    if (has_device_) {
      SumDevice();
    } else {
      SumHost();
    }
    report.has_shapes |= has_shapes_;
    Finish(report);
  }

 private:
  struct Group {
    uint32_t combination = 0;
    bool backward = false;
    uint32_t device = 0;
    uint64_t calls = 0;
    int64_t time_ns = 0;
    int64_t tensor_core_ns = 0;
    std::vector<RooflineEvent> events;
  };
  struct Rest {
    StringId name = kNoString;
    NoFormulaReason reason = NoFormulaReason::kNoFormula;
    uint64_t events = 0;
    int64_t time_ns = 0;
  };

  [[nodiscard]] bool IsOperator(NodeId node) const {
    return trace_.spans.category[tree_.span[node]] == Category::kOperator;
  }
  [[nodiscard]] bool IsSelected(size_t link) const {
    return context_.selection.HasDeviceEvent(trace_, tree_, context_.links, link);
  }

  // A copy between host and device.
  [[nodiscard]] bool Crosses(SpanRow device_event) const {
    if (trace_.spans.category[device_event] != Category::kMemcpy) return false;
    const std::string_view direction = CopyDirection(trace_.NameOfSpan(device_event));
    return direction == "HtoD" || direction == "DtoH";
  }

  // Which nodes have device work in them, and which of it crosses the bus.
  void SumBelow() {
    has_work_.resize(tree_.size());
    crosses_.resize(tree_.size());
    const DeviceLinks& links = context_.links;
    for (size_t i = 0; i < links.size(); ++i) {
      const NodeId launch = links.launch[i];
      if (launch == kNoRow || !IsSelected(i)) continue;
      has_work_[launch] = 1;
      if (Crosses(links.device[i])) crosses_[launch] = 1;
    }
    for (NodeId node = static_cast<NodeId>(tree_.size()); node-- > 0;) {
      const NodeId parent = tree_.parent[node];
      if (parent == kNoRow) continue;
      has_work_[parent] |= has_work_[node];
      crosses_[parent] |= crosses_[node];
    }
  }

  [[nodiscard]] bool HasWork(NodeId node) const {
    if (has_device_) return has_work_[node] != 0;
    return context_.selection.HasHostTime(trace_.spans.start_ns[tree_.span[node]]);
  }

  // The combination of each operator that does work and whose name has a formula.
  void Combine() {
    std::vector<const OperatorFormula*> formulas(trace_.strings.size());
    std::vector<bool> asked(trace_.strings.size());
    uint32_t* const out = combination_.extend(tree_.size());
    std::fill_n(out, tree_.size(), kNone);
    CancelCheck cancel;
    for (NodeId node = 0; node < tree_.size(); ++node) {
      cancel.Tick();
      if (!IsOperator(node) || !HasWork(node)) continue;
      const SpanRow row = tree_.span[node];
      const auto name = static_cast<uint32_t>(trace_.spans.name[row]);
      if (!asked[name]) {
        asked[name] = true;
        formulas[name] = FormulaFor(trace_.NameOfSpan(row));
      }
      if (formulas[name] != nullptr) out[node] = CombinationOf(node, formulas[name]);
    }
  }

  uint32_t CombinationOf(NodeId node, const OperatorFormula* formula) {
    const SpanRow row = tree_.span[node];
    const OperatorDetail* detail = trace_.OperatorOf(row);
    const OperatorDetail none;
    if (detail == nullptr) detail = &none;
    const auto number = [](StringId id) { return static_cast<uint32_t>(id); };
    const uint32_t first =
        names_.Number(Join(number(trace_.spans.name[row]), number(detail->input_dims)));
    const uint32_t second =
        values_.Number(Join(number(detail->input_types), number(detail->concrete_inputs)));
    const uint32_t combination = numbers_.Number(Join(first, second));
    if (combination == combinations_.size()) {
      combinations_.push_back(NewCombination(node, *detail, formula));
    }
    return combination;
  }

  Combination NewCombination(NodeId node, const OperatorDetail& detail,
                             const OperatorFormula* formula) {
    Combination combination;
    combination.formula = formula;
    combination.first = node;
    if (detail.input_dims == kNoString) return combination;
    has_shapes_ = true;
    const std::string_view name = trace_.NameOfSpan(tree_.span[node]);
    const std::string_view plain = name.substr(0, name.find('.'));
    const bool in_place = plain.ends_with('_') && formula->name != plain;
    const CallArguments arguments(trace_.Text(detail.input_dims), trace_.Text(detail.input_types),
                                  trace_.Text(detail.concrete_inputs), in_place);
    const std::optional<CallWork> work = formula->work(arguments);
    if (!work || !work->flops.value() || !work->bytes.value()) return combination;
    combination.flops = work->flops.value();
    combination.bytes = work->bytes.value();
    combination.type = work->type;
    return combination;
  }

  [[nodiscard]] bool IsUsable(NodeId node) const {
    if (combination_[node] == kNone || !combinations_[combination_[node]].valid()) return false;
    return !has_device_ || crosses_[node] == 0;
  }

  // The operator that a node's work counts for: the outermost usable one; wrappers stand back where
  // something inside them is usable.
  void Claim() {
    Column<uint8_t> usable_below(tree_.size());
    for (NodeId node = static_cast<NodeId>(tree_.size()); node-- > 0;) {
      const NodeId parent = tree_.parent[node];
      if (parent != kNoRow && (usable_below[node] != 0 || IsUsable(node))) usable_below[parent] = 1;
    }
    NodeId* const claims = claim_.extend(tree_.size());
    for (NodeId node = 0; node < tree_.size(); ++node) {
      const NodeId parent = tree_.parent[node];
      claims[node] = parent == kNoRow ? kNoRow : claims[parent];
      if (claims[node] != kNoRow || !IsUsable(node)) continue;
      const bool wrapper = combinations_[combination_[node]].formula->wrapper;
      if (!wrapper || usable_below[node] == 0) claims[node] = node;
    }
  }

  Group& GroupOf(NodeId claim, uint32_t device) {
    const bool backward = backward_[claim] != kNoRow;
    const uint32_t number =
        group_numbers_.Number(Join(combination_[claim], device << 1 | (backward ? 1U : 0U)));
    if (number == groups_.size()) {
      Group group;
      group.combination = combination_[claim];
      group.backward = backward;
      group.device = device;
      groups_.push_back(std::move(group));
    }
    return groups_[number];
  }

  // Devices of the same name are one.
  uint32_t DeviceOf(SpanRow row) {
    const DeviceDetail* detail = trace_.DeviceOf(row);
    const int64_t id = detail == nullptr ? kNoInt : detail->device;
    const auto [at, added] = device_of_id_.try_emplace(id, 0U);
    if (!added) return at->second;
    DeviceProperties properties;
    for (const DeviceProperties& device : trace_.devices) {
      // A capture with one entry describes the one device there is, whatever its number.
      if (device.id == id || trace_.devices.size() == 1) properties = device;
    }
    const auto known = std::find_if(
        devices_.begin(), devices_.end(),
        [&](const DeviceProperties& device) { return device.name == properties.name; });
    at->second = static_cast<uint32_t>(known - devices_.begin());
    if (known == devices_.end()) devices_.push_back(properties);
    return at->second;
  }

  Rest& RestOf(StringId name, NoFormulaReason reason) {
    const uint32_t number =
        rest_numbers_.Number(Join(static_cast<uint32_t>(name), static_cast<uint32_t>(reason)));
    if (number == rest_.size()) rest_.push_back({name, reason});
    return rest_[number];
  }
  // Work outside of all usable operators: under the operator that launched it.
  Rest& RestOfNode(NodeId node) {
    if (node == kNoRow) return RestOf(kNoString, NoFormulaReason::kNoOperator);
    const bool lacks = combination_[node] != kNone && !combinations_[combination_[node]].valid();
    return RestOf(trace_.spans.name[tree_.span[node]],
                  lacks ? NoFormulaReason::kArguments : NoFormulaReason::kNoFormula);
  }
  Rest& RestOfDeviceEvent(SpanRow row, NodeId owner) {
    const StringId name = owner == kNoRow ? kNoString : trace_.spans.name[tree_.span[owner]];
    if (Crosses(row)) return RestOf(name, NoFormulaReason::kTransfer);
    if (trace_.spans.category[row] == Category::kKernel &&
        IsCommunication(trace_, context_.facts, row)) {
      return RestOf(name, NoFormulaReason::kCommunication);
    }
    return RestOfNode(owner);
  }

  void SumDevice() {
    const DeviceLinks& links = context_.links;
    Column<uint8_t> counted(tree_.size());
    for (size_t i = 0; i < links.size(); ++i) {
      if (!IsSelected(i)) continue;
      const SpanRow row = links.device[i];
      const int64_t duration = trace_.spans.duration_ns[row];
      const NodeId launch = links.launch[i];
      const NodeId claim = launch == kNoRow ? kNoRow : claim_[launch];
      if (claim == kNoRow) {
        Rest& rest = RestOfDeviceEvent(row, links.owner[i]);
        ++rest.events;
        AddTo(rest.time_ns, duration);
        continue;
      }
      Group& group = GroupOf(claim, DeviceOf(row));
      if (counted[claim] == 0) ++group.calls;
      counted[claim] = 1;
      AddTo(group.time_ns, duration);
      group.events.push_back({file_, row});
      if (trace_.spans.category[row] == Category::kKernel &&
          context_.facts.Is(trace_.spans.name[row], NameFact::kTensorCoreKernel)) {
        AddTo(group.tensor_core_ns, duration);
      }
    }
  }

  // Without a device the time of an operator is its own duration; what is not claimed counts with
  // its self time among operators.
  void SumHost() {
    devices_.emplace_back();
    Column<NodeId> operator_around;
    NodeId* const around = operator_around.extend(tree_.size());
    for (NodeId node = 0; node < tree_.size(); ++node) {
      const NodeId parent = tree_.parent[node];
      around[node] = parent == kNoRow ? kNoRow : IsOperator(parent) ? parent : around[parent];
      if (!IsOperator(node)) continue;
      const SpanRow row = tree_.span[node];
      const int64_t duration = trace_.spans.duration_ns[row];
      const NodeId outer = around[node];
      const bool inside_claim = claim_[node] != kNoRow && claim_[node] != node;
      if (!inside_claim && outer != kNoRow && HasWork(outer)) {
        SubtractFrom(RestOfNode(outer).time_ns, duration);
      }
      if (!HasWork(node) || inside_claim) continue;
      if (claim_[node] == node) {
        Group& group = GroupOf(node, 0);
        ++group.calls;
        AddTo(group.time_ns, duration);
      } else {
        Rest& rest = RestOfNode(node);
        ++rest.events;
        AddTo(rest.time_ns, duration);
      }
    }
  }

  void Finish(RooflineReport& report) {
    for (const DeviceProperties& device : devices_) {
      const bool known =
          std::any_of(report.devices.begin(), report.devices.end(),
                      [&](const RooflineDevice& d) { return d.name == device.name; });
      if (known) continue;
      RooflineDevice added;
      added.name = device.name;
      added.memory_bytes = device.memory_bytes;
      report.devices.push_back(std::move(added));
    }
    for (Group& group : groups_) {
      const Combination& combination = combinations_[group.combination];
      const SpanRow span = tree_.span[combination.first];
      RooflineRow row;
      row.name = trace_.NameOfSpan(span);
      row.backward = group.backward;
      row.family = combination.formula->family;
      if (const OperatorDetail* detail = trace_.OperatorOf(span)) {
        row.input_shapes = trace_.Text(detail->input_dims);
        row.input_types = trace_.Text(detail->input_types);
        row.concrete_inputs = trace_.Text(detail->concrete_inputs);
      }
      row.type = combination.type;
      row.device = devices_[group.device].name;
      row.calls = group.calls;
      row.time_ns = group.time_ns;
      row.tensor_core_ns = group.tensor_core_ns;
      row.events = std::move(group.events);
      row.flops = *combination.flops;
      row.bytes = *combination.bytes;
      report.rows.push_back(std::move(row));
    }
    for (const Rest& rest : rest_) {
      report.without_formula.push_back({rest.name == kNoString
                                            ? std::string("(no operator)")
                                            : std::string(trace_.Text(rest.name)),
                                        rest.reason, rest.events, rest.time_ns});
    }
  }

  const TraceContext& context_;
  uint32_t file_;
  const Trace& trace_;
  const HostTree& tree_;
  bool has_device_;
  bool has_shapes_ = false;
  Column<uint8_t> has_work_;  // by node
  Column<uint8_t> crosses_;   // by node: copies between host and device in it
  KeyNumbers names_;
  KeyNumbers values_;
  KeyNumbers numbers_;
  std::vector<Combination> combinations_;
  Column<uint32_t> combination_;  // by node; kNone: no work or no formula
  Column<NodeId> claim_;          // by node: the operator whose row it counts for
  Column<NodeId> backward_;       // by node: the backward operator around it
  KeyNumbers group_numbers_;
  std::vector<Group> groups_;
  KeyNumbers rest_numbers_;
  std::vector<Rest> rest_;
  std::map<int64_t, uint32_t> device_of_id_;
  std::vector<DeviceProperties> devices_;
};

// Adds rows of the same key, in order of first appearance.
void MergeRows(RooflineReport& report) {
  std::map<std::tuple<std::string, bool, std::string, std::string, std::string, std::string>,
           size_t>
      places;
  std::vector<RooflineRow> merged;
  for (RooflineRow& row : report.rows) {
    const auto [at, added] = places.try_emplace({row.name, row.backward, row.input_shapes,
                                                 row.input_types, row.concrete_inputs, row.device},
                                                merged.size());
    if (added) {
      merged.push_back(std::move(row));
      continue;
    }
    RooflineRow& sum = merged[at->second];
    sum.calls += row.calls;
    AddTo(sum.time_ns, row.time_ns);
    AddTo(sum.tensor_core_ns, row.tensor_core_ns);
    sum.events.insert(sum.events.end(), row.events.begin(), row.events.end());
  }
  report.rows = std::move(merged);

  std::map<std::pair<std::string, NoFormulaReason>, NoFormulaRow> rest;
  for (const NoFormulaRow& row : report.without_formula) {
    NoFormulaRow& sum = rest[{row.name, row.reason}];
    sum.name = row.name;
    sum.reason = row.reason;
    sum.device_events += row.device_events;
    AddTo(sum.time_ns, row.time_ns);
  }
  report.without_formula.clear();
  for (auto& [key, row] : rest) report.without_formula.push_back(std::move(row));
}

// Operations on fp32 run on tensor cores (as TF32) only where the kernels' names say so.
std::optional<PeakKind> PeakFor(const RooflineRow& row, const DevicePeaks& peaks) {
  const bool matrix = IsMatrixWork(row.family);
  switch (row.type) {
    case NumberType::kFp64:
    case NumberType::kComplex128:
      return PeakKind::kFp64;
    case NumberType::kFp32:
    case NumberType::kComplex64:
      if (!matrix) return PeakKind::kFp32;
      if (row.tensor_core_ns > row.time_ns / 2 && peaks.Of(PeakKind::kTf32)) return PeakKind::kTf32;
      return peaks.Of(PeakKind::kFp32Matrix) ? PeakKind::kFp32Matrix : PeakKind::kFp32;
    case NumberType::kFp16:
      return matrix ? PeakKind::kFp16 : PeakKind::kFp32;
    case NumberType::kBf16:
      return matrix ? PeakKind::kBf16 : PeakKind::kFp32;
    case NumberType::kFp8:
      return matrix ? PeakKind::kFp8 : PeakKind::kFp32;
    case NumberType::kInt8:
      return matrix ? PeakKind::kInt8 : PeakKind::kFp32;
    default:
      return PeakKind::kFp32;
  }
}

void ComparePeaks(RooflineRow& row, const DevicePeaks& peaks) {
  const double seconds = static_cast<double>(row.time_ns) * 1e-9;
  const double flops = static_cast<double>(row.flops) * static_cast<double>(row.calls);
  const double bytes = static_cast<double>(row.bytes) * static_cast<double>(row.calls);
  const bool counted = CountsFlops(row.family);
  if (seconds > 0) {
    if (counted) row.flops_per_second = flops / seconds;
    row.bytes_per_second = bytes / seconds;
  }
  if (row.bytes > 0 && counted)
    row.flops_per_byte = static_cast<double>(row.flops) / static_cast<double>(row.bytes);
  row.peak_kind = PeakFor(row, peaks);
  row.peak_flops_per_second = peaks.Of(*row.peak_kind);
  row.peak_bytes_per_second = peaks.Of(PeakKind::kMemory);
  const bool compute_known = row.peak_flops_per_second || row.flops == 0;
  if (!compute_known || !row.peak_bytes_per_second) return;
  const double compute = row.flops == 0 ? 0 : flops / *row.peak_flops_per_second;
  const double memory = bytes / *row.peak_bytes_per_second;
  row.bound = compute >= memory && row.flops > 0 ? RooflineBound::kCompute : RooflineBound::kMemory;
  const double ideal_ns = std::max(compute, memory) * 1e9;
  if (!(ideal_ns < 9e18)) return;  // beyond 64 bits
  row.ideal_ns = std::llround(ideal_ns);
  row.lost_ns = std::max<int64_t>(0, row.time_ns - *row.ideal_ns);
  if (row.time_ns > 0) row.roof_share = ideal_ns / static_cast<double>(row.time_ns);
}

std::vector<RooflineFamily> SumFamilies(const std::vector<RooflineRow>& rows) {
  struct Sum {
    RooflineFamily family;
    double flops = 0;
    double bytes = 0;
    int64_t ideal_ns = 0;
    int64_t lost_ns = 0;
    bool has_roof = true;
  };
  std::array<Sum, 2 * kWorkFamilyCount> sums;
  for (const RooflineRow& row : rows) {
    Sum& sum = sums[2 * static_cast<size_t>(row.family) + (row.backward ? 1 : 0)];
    sum.family.family = row.family;
    sum.family.backward = row.backward;
    sum.family.calls += row.calls;
    AddTo(sum.family.time_ns, row.time_ns);
    sum.flops += static_cast<double>(row.flops) * static_cast<double>(row.calls);
    sum.bytes += static_cast<double>(row.bytes) * static_cast<double>(row.calls);
    sum.has_roof = sum.has_roof && row.ideal_ns.has_value();
    AddTo(sum.ideal_ns, row.ideal_ns.value_or(0));
    AddTo(sum.lost_ns, row.lost_ns.value_or(0));
  }
  std::vector<RooflineFamily> families;
  for (const Sum& sum : sums) {
    if (sum.family.calls == 0) continue;
    RooflineFamily family = sum.family;
    const double seconds = static_cast<double>(family.time_ns) * 1e-9;
    if (seconds > 0) {
      if (CountsFlops(family.family)) family.flops_per_second = sum.flops / seconds;
      family.bytes_per_second = sum.bytes / seconds;
    }
    if (sum.has_roof) {
      family.ideal_ns = sum.ideal_ns;
      family.lost_ns = sum.lost_ns;
    }
    families.push_back(family);
  }
  std::stable_sort(
      families.begin(), families.end(),
      [](const RooflineFamily& a, const RooflineFamily& b) { return a.time_ns > b.time_ns; });
  return families;
}

void FindPeaks(RooflineDevice& device, const RooflineOptions& options) {
  const KnownDevice* known = DeviceNamed(device.name, device.memory_bytes);
  if (known != nullptr) device.known_as = known->name;
  if (options.peaks) {
    device.source = PeakSource::kOption;
    device.peaks = *options.peaks;
  } else if (known != nullptr) {
    device.source = PeakSource::kTable;
    device.peaks = known->peaks;
  }
}

}  // namespace

std::string_view NameOf(NoFormulaReason reason) {
  switch (reason) {
    case NoFormulaReason::kNoFormula:
      return "no_formula";
    case NoFormulaReason::kArguments:
      return "arguments_missing";
    case NoFormulaReason::kTransfer:
      return "transfer";
    case NoFormulaReason::kNoOperator:
      return "no_operator";
    case NoFormulaReason::kCommunication:
      return "communication";
  }
  return "";
}

std::string_view NameOf(PeakSource source) {
  switch (source) {
    case PeakSource::kTable:
      return "table";
    case PeakSource::kOption:
      return "option";
    case PeakSource::kNone:
      return "unknown";
  }
  return "";
}

RooflineReport DescribeRoofline(std::span<const TraceContext> traces,
                                const RooflineOptions& options) {
  RooflineReport report;
  // Beside traces of devices, those without device events have nothing to say.
  const bool any_device = std::any_of(traces.begin(), traces.end(), [](const TraceContext& trace) {
    return trace.links.size() > 0;
  });
  for (uint32_t file = 0; file < traces.size(); ++file) {
    const TraceContext& trace = traces[file];
    if (!any_device || trace.links.size() > 0) TraceRoofline(trace, file).Add(report);
  }
  if (traces.size() > 1) MergeRows(report);
  for (RooflineDevice& device : report.devices) FindPeaks(device, options);
  for (RooflineRow& row : report.rows) {
    const auto device = std::find_if(report.devices.begin(), report.devices.end(),
                                     [&](const RooflineDevice& d) { return d.name == row.device; });
    ComparePeaks(row, device->peaks);
    AddTo(report.covered_ns, row.time_ns);
  }
  report.families = SumFamilies(report.rows);
  report.total_ns = report.covered_ns;
  for (const NoFormulaRow& row : report.without_formula) AddTo(report.total_ns, row.time_ns);

  std::stable_sort(report.rows.begin(), report.rows.end(),
                   [](const RooflineRow& a, const RooflineRow& b) {
                     const int64_t lost_a = a.lost_ns.value_or(-1);
                     const int64_t lost_b = b.lost_ns.value_or(-1);
                     if (lost_a != lost_b) return lost_a > lost_b;
                     if (a.time_ns != b.time_ns) return a.time_ns > b.time_ns;
                     return a.name < b.name;
                   });
  std::stable_sort(report.without_formula.begin(), report.without_formula.end(),
                   [](const NoFormulaRow& a, const NoFormulaRow& b) {
                     if (a.time_ns != b.time_ns) return a.time_ns > b.time_ns;
                     return a.name < b.name;
                   });
  return report;
}

std::optional<WorkBound> BoundOf(const RooflineReport& report) {
  std::array<int64_t, 2> time_ns = {};
  std::array<int64_t, 2> ideal_ns = {};
  for (const RooflineRow& row : report.rows) {
    if (!row.bound || !row.ideal_ns) continue;
    const size_t of = *row.bound == RooflineBound::kMemory ? 0 : 1;
    AddTo(time_ns[of], row.time_ns);
    AddTo(ideal_ns[of], std::min(*row.ideal_ns, row.time_ns));
  }
  const size_t most = time_ns[0] >= time_ns[1] ? 0 : 1;
  if (time_ns[most] <= 0 || report.total_ns <= 0) return std::nullopt;
  const auto ratio = [](int64_t part, int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  return WorkBound{most == 0 ? RooflineBound::kMemory : RooflineBound::kCompute,
                   ratio(time_ns[most], report.total_ns), ratio(ideal_ns[most], time_ns[most])};
}

}  // namespace telltale
