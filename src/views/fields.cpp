// SPDX-License-Identifier: Apache-2.0
#include "views/fields.h"

#include <type_traits>

#include <fmt/format.h>

namespace telltale {

namespace {

template <typename T>
FieldValue Value(const std::optional<T>& value) {
  if (!value) return std::monostate();
  if constexpr (std::is_same_v<T, std::string>) {
    return std::string_view(*value);
  } else {
    return *value;
  }
}

FieldValue Count(uint64_t value) { return value; }

FieldValue TextOrNull(const std::string& text) {
  return text.empty() ? FieldValue() : FieldValue(std::string_view(text));
}

FieldValue JsonOrNull(const std::optional<std::string>& text) {
  return text ? FieldValue(JsonText{*text}) : FieldValue();
}

std::string_view KindName(OperatorKind kind) {
  return kind == OperatorKind::kOperator ? "operator" : "annotation";
}

std::string_view KindName(KernelKind kind) {
  return kind == KernelKind::kCompute ? "compute" : "communication";
}

template <StepCategory kCategory>
FieldValue StepTime(const StepRow& row) {
  return row.categories[static_cast<size_t>(kCategory)];
}

RowFields<KernelRow> MakeKernelFields(KernelGrouping grouping) {
  using Row = KernelRow;
  RowFields<Row> fields = {
      {"name", [](const Row& r) -> FieldValue { return std::string_view(r.name); }},
      {"kind", [](const Row& r) -> FieldValue { return KindName(r.kind); }},
      {"calls", [](const Row& r) { return Count(r.calls); }},
      {"total_ns", [](const Row& r) -> FieldValue { return r.total_ns; }},
      {"mean_ns", [](const Row& r) -> FieldValue { return r.mean_ns; }},
      {"min_ns", [](const Row& r) -> FieldValue { return r.min_ns; }},
      {"max_ns", [](const Row& r) -> FieldValue { return r.max_ns; }},
      {"mean_blocks_per_sm", [](const Row& r) { return Value(r.mean_blocks_per_sm); }},
      {"mean_achieved_occupancy_share",
       [](const Row& r) { return Value(r.mean_achieved_occupancy_share); }},
      {"tensor_core", [](const Row& r) -> FieldValue { return r.tensor_core; }},
      {"operator", [](const Row& r) { return Value(r.op); }},
  };
  if (grouping == KernelGrouping::kLaunch) {
    fields.push_back({"grid", [](const Row& r) { return JsonOrNull(r.grid); }});
    fields.push_back({"block", [](const Row& r) { return JsonOrNull(r.block); }});
    fields.push_back(
        {"registers_per_thread", [](const Row& r) { return Value(r.registers_per_thread); }});
    fields.push_back(
        {"shared_memory_bytes", [](const Row& r) { return Value(r.shared_memory_bytes); }});
  }
  return fields;
}

}  // namespace

const RowFields<StepRow>& StepFields() {
  using Row = StepRow;
  static const RowFields<Row> fields = {
      {"name", [](const Row& r) -> FieldValue { return std::string_view(r.name); }},
      {"start_ns", [](const Row& r) -> FieldValue { return r.start_ns; }},
      {"duration_ns", [](const Row& r) -> FieldValue { return r.duration_ns; }},
      {"complete", [](const Row& r) -> FieldValue { return r.complete; }},
      {"kernel", StepTime<StepCategory::kKernel>},
      {"memcpy", StepTime<StepCategory::kMemcpy>},
      {"memset", StepTime<StepCategory::kMemset>},
      {"communication", StepTime<StepCategory::kCommunication>},
      {"runtime", StepTime<StepCategory::kRuntime>},
      {"dataloader", StepTime<StepCategory::kDataloader>},
      {"cpu_exec", StepTime<StepCategory::kCpuExec>},
      {"other", StepTime<StepCategory::kOther>},
      {"device_events", [](const Row& r) { return Count(r.device_events); }},
      {"file", [](const Row& r) { return Count(r.file); }},
  };
  return fields;
}

const RowFields<DeviceRow>& DeviceFields() {
  using Row = DeviceRow;
  static const RowFields<Row> fields = {
      {"id", [](const Row& r) -> FieldValue { return r.id; }},
      {"type", [](const Row& r) -> FieldValue { return std::string_view(r.type); }},
      {"name",
       [](const Row& r) -> FieldValue {
         return r.has_name ? FieldValue(std::string_view(r.name)) : FieldValue();
       }},
      {"memory_bytes", [](const Row& r) { return Value(r.memory_bytes); }},
      {"compute_capability", [](const Row& r) { return TextOrNull(r.compute_capability); }},
      {"kernel_count", [](const Row& r) { return Count(r.kernel_count); }},
      {"utilization_share", [](const Row& r) -> FieldValue { return r.utilization_share; }},
      {"sm_efficiency_share", [](const Row& r) { return Value(r.sm_efficiency_share); }},
      {"achieved_occupancy_share", [](const Row& r) { return Value(r.achieved_occupancy_share); }},
      {"tensor_core_share", [](const Row& r) { return Value(r.tensor_core_share); }},
      {"file", [](const Row& r) { return Count(r.file); }},
  };
  return fields;
}

const RowFields<OperatorRow>& OperatorFields() {
  using Row = OperatorRow;
  static const RowFields<Row> fields = {
      {"name", [](const Row& r) -> FieldValue { return std::string_view(r.name); }},
      {"kind", [](const Row& r) -> FieldValue { return KindName(r.kind); }},
      {"input_shapes", [](const Row& r) { return JsonOrNull(r.input_shapes); }},
      {"stack", [](const Row& r) { return Value(r.stack); }},
      {"calls", [](const Row& r) { return Count(r.calls); }},
      {"host_total_ns", [](const Row& r) -> FieldValue { return r.host_total_ns; }},
      {"host_self_ns", [](const Row& r) -> FieldValue { return r.host_self_ns; }},
      {"device_total_ns", [](const Row& r) -> FieldValue { return r.device_total_ns; }},
      {"device_self_ns", [](const Row& r) -> FieldValue { return r.device_self_ns; }},
      {"memory_total_bytes", [](const Row& r) { return Value(r.memory_total_bytes); }},
      {"memory_self_bytes", [](const Row& r) { return Value(r.memory_self_bytes); }},
      {"flops", [](const Row& r) { return Value(r.flops); }},
      {"tensor_core_eligible", [](const Row& r) -> FieldValue { return r.tensor_core_eligible; }},
      {"tensor_core_self_share", [](const Row& r) { return Value(r.tensor_core_self_share); }},
      {"tensor_core_total_share", [](const Row& r) { return Value(r.tensor_core_total_share); }},
  };
  return fields;
}

const RowFields<KernelRow>& KernelFields(KernelGrouping grouping) {
  static const RowFields<KernelRow> by_name = MakeKernelFields(KernelGrouping::kName);
  static const RowFields<KernelRow> by_launch = MakeKernelFields(KernelGrouping::kLaunch);
  return grouping == KernelGrouping::kName ? by_name : by_launch;
}

const RowFields<CopyRow>& CopyFields() {
  using Row = CopyRow;
  static const RowFields<Row> fields = {
      {"name", [](const Row& r) -> FieldValue { return std::string_view(r.name); }},
      {"direction", [](const Row& r) -> FieldValue { return std::string_view(r.direction); }},
      {"pageable", [](const Row& r) { return Value(r.pageable); }},
      {"calls", [](const Row& r) { return Count(r.calls); }},
      {"total_ns", [](const Row& r) -> FieldValue { return r.total_ns; }},
      {"min_ns", [](const Row& r) -> FieldValue { return r.min_ns; }},
      {"max_ns", [](const Row& r) -> FieldValue { return r.max_ns; }},
      {"bytes", [](const Row& r) { return Value(r.bytes); }},
      {"bandwidth_gb_per_s", [](const Row& r) { return Value(r.bandwidth_gb_per_s); }},
  };
  return fields;
}

const RowFields<Recommendation>& RecommendationFields() {
  using Row = Recommendation;
  static const RowFields<Row> fields = {
      {"rule", [](const Row& r) -> FieldValue { return std::string_view(r.rule); }},
      {"severity", [](const Row& r) -> FieldValue { return NameOf(r.severity); }},
      {"text", [](const Row& r) -> FieldValue { return std::string_view(r.text); }},
      {"evidence",
       [](const Row& r) -> FieldValue {
         JsonWriter json(false);
         WriteEvidence(r, json);
         std::string text = json.Take();
         text.pop_back();  // the newline
         return text;
       }},
      {"remedy", [](const Row& r) -> FieldValue { return std::string_view(r.remedy); }},
      {"threshold", [](const Row& r) -> FieldValue { return std::string_view(r.threshold); }},
      {"title", [](const Row& r) -> FieldValue { return std::string_view(r.title); }},
      {"views",
       [](const Row& r) -> FieldValue { return fmt::format("{}", fmt::join(r.views, " ")); }},
  };
  return fields;
}

const RowFields<FileDiagnostic>& DiagnosticFields() {
  using Row = FileDiagnostic;
  static const RowFields<Row> fields = {
      {"severity", [](const Row& r) -> FieldValue { return NameOf(r.severity); }},
      {"kind", [](const Row& r) -> FieldValue { return std::string_view(r.kind); }},
      {"count", [](const Row& r) { return Count(r.count); }},
      {"first_offset", [](const Row& r) { return Value(r.first_offset); }},
      {"message", [](const Row& r) -> FieldValue { return std::string_view(r.message); }},
      {"file", [](const Row& r) -> FieldValue { return r.file ? Count(*r.file) : FieldValue(); }},
  };
  return fields;
}

const RowFields<EventRow>& EventFields() {
  using Row = EventRow;
  static const RowFields<Row> fields = {
      {"file", [](const Row& r) { return Count(r.file); }},
      {"kind", [](const Row& r) -> FieldValue { return r.kind; }},
      {"category", [](const Row& r) -> FieldValue { return r.category; }},
      {"name", [](const Row& r) -> FieldValue { return r.name; }},
      {"pid", [](const Row& r) -> FieldValue { return r.pid; }},
      {"tid", [](const Row& r) -> FieldValue { return r.tid; }},
      {"start_ns", [](const Row& r) -> FieldValue { return r.start_ns; }},
      {"duration_ns", [](const Row& r) -> FieldValue { return r.duration_ns; }},
      {"device", [](const Row& r) { return Value(r.device); }},
      {"stream", [](const Row& r) { return Value(r.stream); }},
      {"correlation", [](const Row& r) { return Value(r.correlation); }},
      {"operator", [](const Row& r) { return Value(r.op); }},
  };
  return fields;
}

void WriteEvidence(const Recommendation& recommendation, JsonWriter& json) {
  json.BeginObject();
  for (const auto& [name, value] : recommendation.evidence) {
    std::visit([&, key = std::string_view(name)](const auto& v) { json.Field(key, v); }, value);
  }
  json.EndObject();
}

}  // namespace telltale
