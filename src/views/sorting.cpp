// SPDX-License-Identifier: Apache-2.0
#include "views/sorting.h"

#include <array>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "views/render/display.h"
#include "views/suggest.h"

namespace telltale {

namespace {

using enum View;

constexpr std::array<std::pair<View, std::string_view>, 9> kViews = {{
    {kOverview, "overview"},
    {kSteps, "steps"},
    {kDevices, "devices"},
    {kOperators, "operators"},
    {kKernels, "kernels"},
    {kCopies, "copies"},
    {kRecommendations, "recommendations"},
    {kDiagnostics, "diagnostics"},
    {kEvents, "events"},
}};

struct Alias {
  std::string_view name;
  std::string_view field;
};

// The sort keys of torch's key_averages().table(). Its cuda_, xpu_ and privateuse1_ names all mean
// the device (see TorchName), so only that spelling is listed.
constexpr std::array<Alias, 11> kOperatorAliases = {{
    {"cpu_time_total", "host_total_ns"},
    {"self_cpu_time_total", "host_self_ns"},
    {"cpu_time", "host_mean_ns"},
    {"device_time_total", "device_total_ns"},
    {"self_device_time_total", "device_self_ns"},
    {"device_time", "device_mean_ns"},
    {"count", "calls"},
    {"cpu_memory_usage", "memory_total_bytes"},
    {"self_cpu_memory_usage", "memory_self_bytes"},
    {"device_memory_usage", "memory_total_bytes"},
    {"self_device_memory_usage", "memory_self_bytes"},
}};
constexpr std::array<Alias, 4> kKernelAliases = {{
    {"device_time_total", "total_ns"},
    {"self_device_time_total", "total_ns"},
    {"device_time", "mean_ns"},
    {"count", "calls"},
}};
constexpr std::array<Alias, 3> kCopyAliases = {{
    {"device_time_total", "total_ns"},
    {"self_device_time_total", "total_ns"},
    {"count", "calls"},
}};

std::span<const Alias> AliasesOf(View view) {
  switch (view) {
    case kOverview:
    case kOperators:
      return kOperatorAliases;
    case kKernels:
      return kKernelAliases;
    case kCopies:
      return kCopyAliases;
    default:
      return {};
  }
}

template <typename Row>
std::vector<std::string_view> Names(const RowFields<Row>& fields) {
  std::vector<std::string_view> names;
  for (const RowField<Row>& field : fields) names.push_back(field.name);
  return names;
}

std::vector<std::string_view> FieldNames(View view) {
  switch (view) {
    case kSteps:
      return Names(StepFields());
    case kDevices:
      return Names(DeviceFields());
    case kOverview:
    case kOperators:
      return Names(OperatorSortFields());
    case kKernels:
      return Names(KernelFields(KernelGrouping::kLaunch));
    case kCopies:
      return Names(CopyFields());
    case kRecommendations:
      return Names(RecommendationFields());
    case kDiagnostics:
      return Names(DiagnosticFields());
    case kEvents:
      return Names(EventFields());
    case kSection:
      break;
  }
  return {};
}

// Torch's rule: cuda, xpu and privateuse1 in a name mean the device.
std::string TorchName(std::string name) {
  for (const std::string_view vendor : {"cuda", "xpu", "privateuse1", "hpu", "mtia"}) {
    const size_t at = name.find(vendor);
    if (at != std::string::npos) name.replace(at, vendor.size(), "device");
  }
  return name;
}

// Mean duration, rounded down; only for comparing.
int64_t Mean(int64_t total, uint64_t calls) {
  return calls == 0 ? 0 : total / static_cast<int64_t>(calls);
}

}  // namespace

std::string_view NameOf(View view) {
  for (const auto& [each, name] : kViews) {
    if (each == view) return name;
  }
  return "overview";
}

std::vector<std::string_view> ViewNames() {
  std::vector<std::string_view> names;
  for (const auto& [view, name] : kViews) names.push_back(name);
  return names;
}

std::optional<View> ViewNamed(std::string_view name) {
  for (const auto& [view, each] : kViews) {
    if (each == name) return view;
  }
  return std::nullopt;
}

Result<std::string> SectionSortField(std::string_view section,
                                     std::span<const std::string_view> fields,
                                     std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), '-', '_');
  if (std::find(fields.begin(), fields.end(), name) != fields.end()) return name;
  return Fail(ErrorCode::kUsage,
              fields.empty()
                  ? fmt::format("--sort does not apply to {}", section)
                  : fmt::format("--sort '{}' is no field of {}{}\nvalid: {}", Printable(text, true),
                                section, DidYouMean(name, fields), fmt::join(fields, ", ")));
}

Result<std::string> SortFieldFor(View view, std::string_view text) {
  std::string name(text);
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string_view> known = FieldNames(view);
  if (std::find(known.begin(), known.end(), name) != known.end()) return name;
  for (const Alias& alias : AliasesOf(view)) {
    if (alias.name == TorchName(name)) return std::string(alias.field);
  }
  const std::string listed = fmt::format("{}", fmt::join(known, ", "));
  for (const Alias& alias : AliasesOf(view)) known.push_back(alias.name);
  const View sorted = view == kOverview ? kOperators : view;
  return Fail(
      ErrorCode::kUsage,
      fmt::format("--sort '{}' is no field of {}{}\nvalid: {}{}", Printable(text, true),
                  NameOf(sorted), DidYouMean(TorchName(name), known), listed,
                  sorted == kOperators ? ", and torch's names such as self_cpu_time_total" : ""));
}

const RowFields<OperatorRow>& OperatorSortFields() {
  static const RowFields<OperatorRow> sort_fields = [] {
    RowFields<OperatorRow> fields = OperatorFields();
    fields.push_back({"host_mean_ns", [](const OperatorRow& r) -> FieldValue {
                        return Mean(r.host_total_ns, r.calls);
                      }});
    fields.push_back({"device_mean_ns", [](const OperatorRow& r) -> FieldValue {
                        return Mean(r.device_total_ns, r.calls);
                      }});
    return fields;
  }();
  return sort_fields;
}

void SortView(Profile& profile, View view, std::string_view field) {
  switch (view) {
    case kOverview:
    case kOperators:
      return SortRows(profile.report.operators, OperatorSortFields(), field);
    case kSteps:
      return SortRows(profile.report.steps.rows, StepFields(), field);
    case kDevices:
      return SortRows(profile.report.devices, DeviceFields(), field);
    case kKernels:
      return SortRows(profile.report.kernels, KernelFields(KernelGrouping::kLaunch), field);
    case kCopies:
      return SortRows(profile.report.copies, CopyFields(), field);
    case kRecommendations:
      return SortRows(profile.recommendations, RecommendationFields(), field);
    case kDiagnostics:
      return SortRows(profile.diagnostics, DiagnosticFields(), field);
    case kEvents:
    case kSection:
      return;
  }
}

}  // namespace telltale
