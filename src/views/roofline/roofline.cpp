// SPDX-License-Identifier: Apache-2.0
// The view `roofline`: how near operators come to the device's peaks, and where the time above that
// goes.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/roofline/roofline.h"
#include "base/json/scan.h"
#include "views/lane_parts.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

FieldValue Json(const std::string& text) {
  if (text.empty()) return {};
  return IsJson(text) ? FieldValue(JsonText{text}) : FieldValue(std::string_view(text));
}
template <auto kMember>
FieldValue JsonOf(const RooflineRow& row) {
  return Json(row.*kMember);
}
template <typename Row>
FieldValue Phase(const Row& row) {
  return std::string_view(row.backward ? "backward" : "forward");
}
template <typename Row>
std::string PhaseText(const Row& row, const OutputStyle&) {
  return row.backward ? "backward" : "";
}
// A text that may be missing.
FieldValue Named(const std::string& name) {
  return name.empty() ? FieldValue() : FieldValue(std::string_view(name));
}

// "1,3.4 T" is too much for a table: three digits and a letter.
std::string Scaled(double value) {
  static constexpr std::string_view kLetters = " KMGTPE";
  size_t letter = 0;
  while (value >= 999.5 && letter + 1 < kLetters.size()) {
    value /= 1000;
    ++letter;
  }
  const int decimals = value >= 99.95 || letter == 0 ? 0 : value >= 9.995 ? 1 : 2;
  std::string text = fmt::format("{:.{}f}", value, decimals);
  if (letter > 0) text += fmt::format(" {}", kLetters[letter]);
  return text;
}

std::string ScaledOrMissing(const std::optional<double>& value, const OutputStyle& style) {
  return value ? Scaled(*value) : Missing(style);
}

// "[[8192,1024],[],[1024]]" without what is no tensor: "8192×1024 1024".
std::string ShortShapes(std::string_view shapes, const OutputStyle& style) {
  static constexpr std::string_view kTimes = "×";
  std::string text;
  bool number = false;  // the last character was a digit
  for (const char c : shapes) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !number && !text.empty() && !text.ends_with(kTimes) && !text.ends_with('x')) {
      text += ' ';
    }
    if (digit) text += c;
    if (c == ',' && number) text += style.unicode ? kTimes : "x";
    number = digit;
  }
  return text;
}

constexpr std::string_view kAboveRoof = "time beyond what the device's peaks would allow";

TableSpec<RooflineRow> RooflineTable() {
  using R = RooflineRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  spec.columns = {
      Field("name", kName, Get<&R::name>,
            {.title = "operator", .importance = kAlways, .least_width = 18})
          .Names(Naming::kOperator),
      Field("phase", kText, Phase<R>,
            {.title = "phase", .importance = 72, .with_title = false, .ink = Ink::kDim})
          .Known()
          .WithText(PhaseText<R>),
      Field("family", kText, Get<&R::family>, {.title = "family"}),
      Field("input_shapes", kJson, JsonOf<&R::input_shapes>,
            {.title = "shapes", .importance = 85, .terminal = false}),
      Field<R>(
          "shapes", kName, nullptr,
          {.title = "shapes", .importance = 85, .least_width = 16, .page = false, .ink = Ink::kDim})
          .WithText([](const R& row, const OutputStyle& style) {
            return ShortShapes(row.input_shapes, style);
          })
          .ForPeople(),
      Field("input_types", kJson, JsonOf<&R::input_types>),
      Field("concrete_inputs", kJson, JsonOf<&R::concrete_inputs>),
      Field("type", kText, Get<&R::type>, {.title = "type", .importance = 45}),
      Field<R>("device", kText, [](const R& row) { return Named(row.device); }),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 55}),
      Field("time_ns", kDuration, Get<&R::time_ns>, {.title = "time", .importance = kAlways}),
      BarOf<R>("bar", "time_ns", {}),
      Field<R>("flops_per_call", kFlops,
               [](const R& row) -> FieldValue {
                 return CountsFlops(row.family) ? FieldValue(row.flops) : FieldValue();
               }),
      Field("call_bytes", kBytes, Get<&R::bytes>),
      Field("flops_per_byte", kNumber, Get<&R::flops_per_byte>,
            {.title = "FLOP/B", .importance = 40}),
      Field("flops_per_second", kNumber, Get<&R::flops_per_second>,
            {.title = "FLOP/s", .importance = 80})
          .WithText([](const R& row, const OutputStyle& style) {
            return row.flops == 0 ? std::string() : ScaledOrMissing(row.flops_per_second, style);
          }),
      Field("bytes_per_second", kNumber, Get<&R::bytes_per_second>,
            {.title = "B/s", .importance = 80})
          .WithText([](const R& row, const OutputStyle& style) {
            return ScaledOrMissing(row.bytes_per_second, style);
          }),
      Field<R>("peak", kText,
               [](const R& row) -> FieldValue {
                 return row.peak_flops_per_second ? FieldValue(NameOf(*row.peak_kind))
                                                  : FieldValue();
               }),
      Field("peak_flops_per_second", kNumber, Get<&R::peak_flops_per_second>),
      Field("peak_bytes_per_second", kNumber, Get<&R::peak_bytes_per_second>),
      Field<R>("bound", kText,
               [](const R& row) -> FieldValue {
                 if (!row.bound) return {};
                 return std::string_view(*row.bound == RooflineBound::kCompute ? "compute"
                                                                               : "memory");
               },
               {.title = "bound", .importance = 60})
          .WithHelp("what the time could not fall below: the device's operations or its memory"),
      Field("ideal_ns", kDuration, Get<&R::ideal_ns>),
      Field("lost_ns", kDuration, Get<&R::lost_ns>,
            {.title = "lost", .importance = 75, .unit_of = "time_ns"})
          .OnPage("Above roof")
          .WithHelp(kAboveRoof),
      BarOf<R>("lost_bar", "lost_ns", {}),
      Field("roof_share", kShare, Get<&R::roof_share>,
            {.title = "of roof", .importance = 90, .decimals = 0})
          .WithHelp("ideal time ÷ time; above 100 % data came from a cache"),
  };
  spec.order = {"name",  "phase",      "input_shapes",     "shapes",           "type",
                "calls", "time_ns",    "flops_per_second", "bytes_per_second", "flops_per_byte",
                "bound", "roof_share", "lost_ns"};
  return spec;
}

struct FamilyRow : RooflineFamily {
  double share = 0;  // of all time
};

TableSpec<FamilyRow> FamilyTable(bool device) {
  using R = FamilyRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.columns = {
      Field("family", kText, Get<R, &R::family>, {.title = "family", .importance = kAlways}),
      Field("phase", kText, Phase<R>,
            {.title = "phase", .importance = 85, .with_title = false, .ink = Ink::kDim})
          .Known()
          .WithText(PhaseText<R>),
      Field("calls", kCount, Get<R, &R::calls>, {.title = "calls", .importance = 60}),
      Field("time_ns", kDuration, Get<R, &R::time_ns>, {.title = "time", .importance = kAlways}),
      Field("share", kShare, Get<&R::share>, {.title = "share", .importance = 90, .page = false})
          .ForPeople(),
      BarOf<R>("time_bar", "time_ns", {}),
      Field("bar", kBar, Get<&R::share>,
            {.importance = 50, .ink = device ? Ink::kKernel : Ink::kCpu})
          .ForPeople(),
      Field("flops_per_second", kNumber, Get<R, &R::flops_per_second>,
            {.title = "FLOP/s", .importance = 80})
          .WithText([](const R& row, const OutputStyle&) {
            return row.flops_per_second.value_or(0) > 0 ? Scaled(*row.flops_per_second) : "";
          }),
      Field("bytes_per_second", kNumber, Get<R, &R::bytes_per_second>,
            {.title = "B/s", .importance = 80})
          .WithText([](const R& row, const OutputStyle& style) {
            return ScaledOrMissing(row.bytes_per_second, style);
          }),
      Field("ideal_ns", kDuration, Get<R, &R::ideal_ns>),
      Field<R>("roof_share", kShare,
               [](const R& row) -> FieldValue {
                 return row.ideal_ns ? FieldValue(Ratio(*row.ideal_ns, row.time_ns)) : FieldValue();
               },
               {.title = "of roof", .importance = 90, .page = false, .decimals = 0})
          .ForPeople(),
      Field("lost_ns", kDuration, Get<R, &R::lost_ns>,
            {.title = "lost", .importance = 75, .unit_of = "time_ns"})
          .OnPage("Above roof")
          .WithHelp(kAboveRoof),
      BarOf<R>("lost_bar", "lost_ns", {}),
  };
  return spec;
}

std::string_view Explain(NoFormulaReason reason) {
  switch (reason) {
    case NoFormulaReason::kNoFormula:
      return "no formula";
    case NoFormulaReason::kArguments:
      return "shapes or values missing";
    case NoFormulaReason::kTransfer:
      return "copy between host and device";
    case NoFormulaReason::kNoOperator:
      return "launched by no operator";
    case NoFormulaReason::kCommunication:
      return "communication";
  }
  return "";
}

struct RestRow : NoFormulaRow {
  double share = 0;  // of all time
};

TableSpec<RestRow> RestTable() {
  using R = RestRow;
  TableSpec<R> spec;
  spec.columns = {
      Field("name", kName, Get<R, &R::name>,
            {.title = "operator", .importance = Shown::kAlways, .least_width = 24})
          .Names(Naming::kOperator),
      Field("reason", kText, Get<R, &R::reason>,
            {.title = "why", .importance = 80, .ink = Ink::kDim})
          .WithText(
              [](const R& row, const OutputStyle&) { return std::string(Explain(row.reason)); }),
      Field("events", kCount, Get<R, &R::device_events>, {.title = "events", .importance = 60}),
      Field("time_ns", kDuration, Get<R, &R::time_ns>,
            {.title = "time", .importance = Shown::kAlways}),
      BarOf<R>("bar", "time_ns", {}),
      Field("time_share", kShare, Get<&R::share>, {.title = "share", .importance = 90}),
  };
  return spec;
}

void WriteDevices(const std::vector<RooflineDevice>& devices, JsonWriter& json) {
  json.BeginArray();
  for (const RooflineDevice& device : devices) {
    json.BeginObject();
    json.Key("name");
    WriteJson(Named(device.name), json);
    json.Key("known_as");
    WriteJson(Named(device.known_as), json);
    json.Field("peaks", NameOf(device.source));
    for (size_t i = 0; i < kPeakKindCount; ++i) {
      const auto kind = static_cast<PeakKind>(i);
      json.Field(fmt::format("{}_per_second", NameOf(kind)), device.peaks.Of(kind));
    }
    json.EndObject();
  }
  json.EndArray();
}

// A paragraph a device.
std::string DevicesText(const RooflineReport& report, const OutputStyle& style) {
  std::string out = "\n";
  for (const RooflineDevice& device : report.devices) {
    std::string line = device.name.empty()
                           ? std::string(report.has_device ? "Device without a name" : "CPU")
                           : Printable(device.name, style.unicode);
    if (device.source == PeakSource::kNone) {
      line += ": peaks not known (--device-peak gives them)";
    } else {
      std::vector<std::string> peaks;
      for (size_t i = 0; i < kPeakKindCount; ++i) {
        const auto kind = static_cast<PeakKind>(i);
        const std::optional<double> value = device.peaks.Of(kind);
        if (!value) continue;
        peaks.push_back(fmt::format("{} {}{}", NameOf(kind), Scaled(*value),
                                    kind == PeakKind::kMemory ? "B/s" : ""));
      }
      line +=
          fmt::format(" (peaks {}): {}",
                      device.source == PeakSource::kTable ? fmt::format("of {}", device.known_as)
                                                          : std::string("as given"),
                      fmt::join(peaks, ", "));
    }
    out += Paragraph(line, style, 0, Ink::kDim);
  }
  return out;
}

std::string Sentence(const RooflineReport& report, const OutputStyle& style) {
  if (report.rows.empty()) {
    return report.has_shapes
               ? "No operator with a formula did any work: shapes are captured, but there is "
                 "nothing to count."
               : "The capture does not hold the shapes of operators' inputs, from which "
                 "operations and bytes follow. torch.profiler records them with "
                 "record_shapes=True.";
  }
  std::string text = fmt::format("{} of the {} time has a formula",
                                 FormatShare(Ratio(report.covered_ns, report.total_ns)),
                                 report.has_device ? "device" : "operator");
  int64_t ideal = 0;
  int64_t time = 0;
  int64_t lost = 0;
  const RooflineRow* worst = nullptr;
  for (const RooflineRow& row : report.rows) {
    if (!row.ideal_ns) continue;
    ideal += *row.ideal_ns;
    time += row.time_ns;
    lost += *row.lost_ns;
    if (worst == nullptr || *row.lost_ns > *worst->lost_ns) worst = &row;
  }
  if (worst == nullptr) {
    return text + "; the device's peaks are not known.";
  }
  text += fmt::format("; at the device's peaks it would take {} instead of {}.",
                      FormatDuration(ideal, style.unicode), FormatDuration(time, style.unicode));
  if (lost > 0) {
    text += fmt::format(
        " The most is lost in {} ({}): {}, {} of its roof.", Printable(worst->name, style.unicode),
        worst->backward ? "backward" : "forward", FormatDuration(*worst->lost_ns, style.unicode),
        FormatShare(worst->roof_share.value_or(0), 0));
  }
  return text;
}

// "by their time · 25 of 25"
auto Counted(std::string order) {
  return [order = std::move(order)](size_t shown, size_t rows, const OutputStyle& style) {
    return fmt::format("{}{}{} of {}", order, style.unicode ? " · " : ", ", CountShown(rows, shown),
                       rows);
  };
}

Document Build(const ViewInput& input) {
  const std::shared_ptr<const RooflineReport> report = input.facts.Roofline();
  TableSpec<RooflineRow> table = RooflineTable();
  TableSpec<FamilyRow> family_table = FamilyTable(report->has_device);
  std::vector<RooflineRow> rows = report->rows;
  if (input.sort_field) SortRows(rows, table, *input.sort_field);
  const bool roof =
      std::any_of(rows.begin(), rows.end(), [](const auto& row) { return row.roof_share; });
  if (!roof) {
    table.Hide({"bound", "roof_share", "lost_ns"});
    family_table.Hide({"roof_share", "lost_ns"});
  }
  if (std::none_of(rows.begin(), rows.end(), [](const auto& row) { return row.backward; }))
    table.Hide({"phase"});
  std::vector<FamilyRow> families;
  for (const RooflineFamily& row : report->families)
    families.push_back({row, Ratio(row.time_ns, report->total_ns)});
  std::vector<RestRow> rest;
  for (const NoFormulaRow& row : report->without_formula)
    rest.push_back({row, Ratio(row.time_ns, report->total_ns)});

  Document document("Roofline",
                    [report](const OutputStyle& style) { return Sentence(*report, style); });
  if (rows.empty()) document.SetEmpty();
  document.AddField("time", std::string_view(report->has_device ? "device" : "host"));
  document.AddField("total_ns", report->total_ns);
  document.AddField("covered_ns", report->covered_ns);
  document.AddJson("devices",
                   [report](RowRange, JsonWriter& json) { WriteDevices(report->devices, json); });
  document.AddText([report](std::optional<int64_t>, const OutputStyle& style) {
    return DevicesText(*report, style);
  });
  document.AddTable("families", family_table, std::move(families),
                    {.title = "Families",
                     .remark = "of operators with a formula",
                     .whole = true,
                     .every_row = true});
  document.AddTable("rows", table, std::move(rows),
                    {.title = "Operators by shape",
                     .words = Counted(input.sort_field ? "by " + *input.sort_field
                                      : roof           ? "by the time above their roof"
                                                       : "by their time"),
                     .usual_rows = 25,
                     .main = true});
  document.AddTable(
      "without_formula", RestTable(), std::move(rest),
      {.title = "Without a formula",
       .words =
           Counted(FormatShare(Ratio(report->total_ns - report->covered_ns, report->total_ns)) +
                   " of the time"),
       .usual_rows = 8});
  return document;
}

}  // namespace

ViewSpec DescribeRoofline() {
  return {.name = "roofline",
          .help = "operations and bytes per operator and shape, against the device's peaks",
          .needs = {.part = "shapes", .words = "Needs record_shapes=True, and device activity."},
          .sort_fields = RooflineTable().keys(),
          .params = {{.name = "device-peak",
                      .type = ParamType::kText,
                      .value = "PEAKS",
                      .help = "roofline: peaks per second, fp16=989e12,memory=3.35e12"}},
          .check = [](const ParamValues& params) -> Result<void> {
            if (!params.Has("device-peak")) return {};
            const Result<DevicePeaks> peaks = ParseDevicePeaks(params.Text("device-peak"));
            if (!peaks) return tl::unexpected<Error>(peaks.error());
            return {};
          },
          .build = Build,
          .tables =
              [] {
                return std::vector{
                    ForPage("ROOFLINE", "RooflineRow", RooflineTable()),
                    ForPage("ROOFLINE_FAMILIES", "RooflineFamilyRow", FamilyTable(true)),
                    ForPage("WITHOUT_FORMULA", "NoFormulaRow", RestTable())};
              },
          .words =
              [] {
                PageWords reasons = {.name = "NO_FORMULA_REASONS", .words = {}};
                for (const NoFormulaReason reason :
                     {NoFormulaReason::kNoFormula, NoFormulaReason::kArguments,
                      NoFormulaReason::kTransfer, NoFormulaReason::kNoOperator,
                      NoFormulaReason::kCommunication})
                  reasons.words.emplace_back(NameOf(reason), Explain(reason));
                return std::vector{reasons};
              }};
}

}  // namespace telltale
