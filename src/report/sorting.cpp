// SPDX-License-Identifier: Apache-2.0
#include "report/sorting.h"

#include <array>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "report/display.h"
#include "report/suggest.h"

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

// Orders numbers of either signedness and doubles.
template <typename A, typename B>
int CompareNumbers(A a, B b) {
  if constexpr (std::is_same_v<A, B>) {
    return a < b ? 1 : b < a ? -1 : 0;
  } else {
    const auto x = static_cast<double>(a);
    const auto y = static_cast<double>(b);
    return x < y ? 1 : y < x ? -1 : 0;
  }
}

std::optional<std::string_view> TextOf(const FieldValue& value) {
  if (const auto* view = std::get_if<std::string_view>(&value)) return *view;
  if (const auto* json = std::get_if<JsonText>(&value)) return json->text;
  if (const auto* text = std::get_if<std::string>(&value)) return std::string_view(*text);
  return std::nullopt;
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

int CompareDescending(const FieldValue& a, const FieldValue& b) {
  const bool a_missing = std::holds_alternative<std::monostate>(a);
  const bool b_missing = std::holds_alternative<std::monostate>(b);
  if (a_missing || b_missing) return static_cast<int>(a_missing) - static_cast<int>(b_missing);
  const std::optional<std::string_view> a_text = TextOf(a);
  const std::optional<std::string_view> b_text = TextOf(b);
  if (a_text && b_text) return a_text->compare(*b_text);
  return std::visit(
      [](const auto& x, const auto& y) {
        if constexpr (std::is_arithmetic_v<std::decay_t<decltype(x)>> &&
                      std::is_arithmetic_v<std::decay_t<decltype(y)>>) {
          return CompareNumbers(x, y);
        } else {
          return 0;
        }
      },
      a, b);
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
      return SortRows(profile.report.recommendations, RecommendationFields(), field);
    case kDiagnostics:
      return SortRows(profile.diagnostics, DiagnosticFields(), field);
    case kEvents:
    case kSection:
      return;
  }
}

}  // namespace telltale
