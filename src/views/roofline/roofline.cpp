// SPDX-License-Identifier: Apache-2.0
// The view `roofline`: how near operators come to the device's peaks, and where the time above that
// goes.
#include <algorithm>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/roofline/roofline.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"
#include "views/rows.h"
#include "views/sections.h"

namespace telltale {

inline std::string_view SortName(const RooflineRow& row) { return row.name; }

namespace {

using enum ColumnKind;

constexpr size_t kTextRows = 25;
constexpr size_t kRestRows = 8;

template <typename T>
FieldValue OrMissing(const std::optional<T>& value) {
  return value ? FieldValue(*value) : FieldValue();
}
FieldValue Json(const std::string& text) {
  if (text.empty()) return {};
  return IsJson(text) ? FieldValue(JsonText{text}) : FieldValue(std::string_view(text));
}
std::string_view NameOf(RooflineBound bound) {
  return bound == RooflineBound::kCompute ? "compute" : "memory";
}

const RowFields<RooflineRow>& Fields() {
  using Row = RooflineRow;
  static const RowFields<Row> fields = {
      {"name", [](const Row& r) -> FieldValue { return std::string_view(r.name); }},
      {"phase",
       [](const Row& r) -> FieldValue {
         return std::string_view(r.backward ? "backward" : "forward");
       }},
      {"family", [](const Row& r) -> FieldValue { return telltale::NameOf(r.family); }},
      {"input_shapes", [](const Row& r) { return Json(r.input_shapes); }},
      {"input_types", [](const Row& r) { return Json(r.input_types); }},
      {"concrete_inputs", [](const Row& r) { return Json(r.concrete_inputs); }},
      {"type", [](const Row& r) -> FieldValue { return telltale::NameOf(r.type); }},
      {"device",
       [](const Row& r) -> FieldValue {
         return r.device.empty() ? FieldValue() : FieldValue(std::string_view(r.device));
       }},
      {"calls", [](const Row& r) -> FieldValue { return r.calls; }},
      {"time_ns", [](const Row& r) -> FieldValue { return r.time_ns; }},
      {"flops_per_call",
       [](const Row& r) -> FieldValue {
         return CountsFlops(r.family) ? FieldValue(r.flops) : FieldValue();
       }},
      {"call_bytes", [](const Row& r) -> FieldValue { return r.bytes; }},
      {"flops_per_byte", [](const Row& r) { return OrMissing(r.flops_per_byte); }},
      {"flops_per_second", [](const Row& r) { return OrMissing(r.flops_per_second); }},
      {"bytes_per_second", [](const Row& r) { return OrMissing(r.bytes_per_second); }},
      {"peak",
       [](const Row& r) -> FieldValue {
         return r.peak_flops_per_second ? FieldValue(telltale::NameOf(*r.peak_kind)) : FieldValue();
       }},
      {"peak_flops_per_second", [](const Row& r) { return OrMissing(r.peak_flops_per_second); }},
      {"peak_bytes_per_second", [](const Row& r) { return OrMissing(r.peak_bytes_per_second); }},
      {"bound",
       [](const Row& r) -> FieldValue {
         return r.bound ? FieldValue(NameOf(*r.bound)) : FieldValue();
       }},
      {"ideal_ns", [](const Row& r) { return OrMissing(r.ideal_ns); }},
      {"lost_ns", [](const Row& r) { return OrMissing(r.lost_ns); }},
      {"roof_share", [](const Row& r) { return OrMissing(r.roof_share); }},
  };
  return fields;
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

class RooflineTables final : public Section {
 public:
  explicit RooflineTables(const SectionInput& input)
      : sort_field_(input.sort_field), report_(*input.facts.Roofline()) {
    if (sort_field_) SortRows(report_.rows, Fields(), *sort_field_);
  }

  void WriteJson(RowRange range, JsonWriter& json) const override {
    json.BeginObject();
    json.Field("time", report_.has_device ? "device" : "host");
    json.Field("total_ns", report_.total_ns);
    json.Field("covered_ns", report_.covered_ns);
    json.Key("devices");
    json.BeginArray();
    for (const RooflineDevice& device : report_.devices) {
      json.BeginObject();
      json.Field("name", Named(device.name));
      json.Field("known_as", Named(device.known_as));
      json.Field("peaks", telltale::NameOf(device.source));
      for (size_t i = 0; i < kPeakKindCount; ++i) {
        const auto kind = static_cast<PeakKind>(i);
        json.Field(fmt::format("{}_per_second", telltale::NameOf(kind)), device.peaks.Of(kind));
      }
      json.EndObject();
    }
    json.EndArray();
    json.Key("families");
    json.BeginArray();
    for (const RooflineFamily& family : report_.families) {
      json.BeginObject();
      json.Field("family", telltale::NameOf(family.family));
      json.Field("phase", family.backward ? "backward" : "forward");
      json.Field("calls", family.calls);
      json.Field("time_ns", family.time_ns);
      json.Field("flops_per_second", family.flops_per_second);
      json.Field("bytes_per_second", family.bytes_per_second);
      json.Field("ideal_ns", family.ideal_ns);
      json.Field("lost_ns", family.lost_ns);
      json.EndObject();
    }
    json.EndArray();
    WriteJsonRows("rows", report_.rows, Fields(), range, json);
    json.Key("without_formula");
    json.BeginArray();
    const size_t count = Limited(report_.without_formula.size(), range.limit);
    for (size_t i = 0; i < count; ++i) {
      const NoFormulaRow& row = report_.without_formula[i];
      json.BeginObject();
      json.Field("name", row.name);
      json.Field("reason", telltale::NameOf(row.reason));
      json.Field("events", row.device_events);
      json.Field("time_ns", row.time_ns);
      json.Field("time_share", Ratio(row.time_ns, report_.total_ns));
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }

  void WriteCsv(int64_t limit, Output& output) const override {
    WriteCsvRows(report_.rows, Fields(), limit, output);
  }

  [[nodiscard]] size_t rows() const override { return report_.rows.size(); }

  [[nodiscard]] std::string Answer(const OutputStyle& style) const override {
    if (report_.rows.empty()) {
      return report_.has_shapes
                 ? "No operator with a formula did any work: shapes are captured, but there is "
                   "nothing to count."
                 : "The capture does not hold the shapes of operators' inputs, from which "
                   "operations and bytes follow. torch.profiler records them with "
                   "record_shapes=True.";
    }
    const std::string_view what = report_.has_device ? "device" : "operator";
    std::string text = fmt::format("{} of the {} time has a formula",
                                   FormatShare(Ratio(report_.covered_ns, report_.total_ns)), what);
    int64_t ideal = 0;
    int64_t time = 0;
    int64_t lost = 0;
    const RooflineRow* worst = nullptr;
    for (const RooflineRow& row : report_.rows) {
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
      text += fmt::format(" The most is lost in {} ({}): {}, {} of its roof.",
                          Printable(worst->name, style.unicode),
                          worst->backward ? "backward" : "forward",
                          FormatDuration(*worst->lost_ns, style.unicode),
                          FormatShare(worst->roof_share.value_or(0), 0));
    }
    return text;
  }

  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override {
    if (report_.rows.empty()) return EmptyText(style);
    const size_t most = !limit ? kTextRows : *limit <= 0 ? 0 : static_cast<size_t>(*limit);
    std::string out;
    for (const std::string& line : Wrap(Answer(style), style.width)) out += line + "\n";
    out += "\n" + DevicesText(style) + FamiliesText(style);
    const size_t count = CountShown(report_.rows.size(), most);
    out += Heading("Operators by shape",
                   fmt::format("{}{}{} of {}", Order(), style.unicode ? " · " : ", ", count,
                               report_.rows.size()),
                   style);
    out += RowsTable(count, style);
    out += RestText(limit, style);
    return out;
  }

 private:
  static std::optional<std::string> Named(const std::string& name) {
    return name.empty() ? std::nullopt : std::optional(name);
  }

  [[nodiscard]] std::string Order() const {
    if (sort_field_) return fmt::format("by {}", *sort_field_);
    return HasRoof() ? "by the time above their roof" : "by their time";
  }
  [[nodiscard]] bool HasRoof() const {
    return std::any_of(report_.rows.begin(), report_.rows.end(),
                       [](const RooflineRow& row) { return row.roof_share.has_value(); });
  }

  [[nodiscard]] std::string EmptyText(const OutputStyle& style) const {
    std::string out = Heading("Roofline", "", style);
    const std::string text = Answer(style);
    for (const std::string& line : Wrap(text, style.width > 2 ? style.width - 2 : 1)) {
      out += "  " + line + "\n";
    }
    return out;
  }

  [[nodiscard]] std::string DevicesText(const OutputStyle& style) const {
    std::string out;
    for (const RooflineDevice& device : report_.devices) {
      std::string line = device.name.empty()
                             ? std::string(report_.has_device ? "Device without a name" : "CPU")
                             : Printable(device.name, style.unicode);
      if (device.source == PeakSource::kNone) {
        line += ": peaks not known (--device-peak gives them)";
      } else {
        std::vector<std::string> peaks;
        for (size_t i = 0; i < kPeakKindCount; ++i) {
          const auto kind = static_cast<PeakKind>(i);
          const std::optional<double> value = device.peaks.Of(kind);
          if (!value) continue;
          peaks.push_back(fmt::format("{} {}{}", telltale::NameOf(kind), Scaled(*value),
                                      kind == PeakKind::kMemory ? "B/s" : ""));
        }
        line +=
            fmt::format(" (peaks {}): {}",
                        device.source == PeakSource::kTable ? fmt::format("of {}", device.known_as)
                                                            : std::string("as given"),
                        fmt::join(peaks, ", "));
      }
      for (const std::string& part : Wrap(line, style.width)) {
        out += Paint(Ink::kDim, part, style) + "\n";
      }
    }
    return out + "\n";
  }

  [[nodiscard]] std::string FamiliesText(const OutputStyle& style) const {
    const std::vector<RooflineFamily>& rows = report_.families;
    const bool roof = HasRoof();
    const ColumnUnit unit =
        DurationUnit(Collect(rows, rows.size(),
                             [](const RooflineFamily& r) { return std::optional(r.time_ns); }),
                     style.unicode);
    const UnitColumn time("time", unit, style);
    const UnitColumn lost("lost", unit, style);
    std::vector<TableColumn> columns = {
        {"family", kText},      {"", kText, 85}, {"calls", kNumber, 60},  {time.Header(), kNumber},
        {"share", kNumber, 90}, {"", kBar, 50},  {"FLOP/s", kNumber, 80}, {"B/s", kNumber, 80}};
    if (roof) {
      columns.push_back({"of roof", kNumber, 90});
      columns.push_back({lost.Header(), kNumber, 75});
    }
    Table table(std::move(columns));
    for (const RooflineFamily& row : rows) {
      const auto number = [&](const std::optional<double>& value) {
        return value ? Scaled(*value) : Missing(style);
      };
      const double share = Ratio(row.time_ns, report_.total_ns);
      const bool counted = row.flops_per_second && *row.flops_per_second > 0;
      std::vector<TableCell> cells = {
          std::string(telltale::NameOf(row.family)),
          {row.backward ? "backward" : "", Ink::kDim},
          FormatCount(static_cast<int64_t>(row.calls)),
          time.Cell(row.time_ns),
          FormatShare(share),
          TableCell::Bar(share, report_.has_device ? Ink::kKernel : Ink::kCpu),
          counted ? number(row.flops_per_second) : std::string(),
          number(row.bytes_per_second)};
      if (roof) {
        cells.emplace_back(row.ideal_ns ? FormatShare(Ratio(*row.ideal_ns, row.time_ns), 0)
                                        : Missing(style));
        cells.emplace_back(lost.Cell(row.lost_ns));
      }
      table.AddRow(std::move(cells));
    }
    return Heading("Families", "of operators with a formula", style) + table.Render(style) + "\n";
  }

  [[nodiscard]] std::string RowsTable(size_t count, const OutputStyle& style) const {
    const std::vector<RooflineRow>& rows = report_.rows;
    const bool roof = HasRoof();
    const bool any_backward =
        std::any_of(rows.begin(), rows.end(), [](const RooflineRow& row) { return row.backward; });
    const ColumnUnit unit = DurationUnit(
        Collect(rows, count, [](const RooflineRow& r) { return std::optional(r.time_ns); }),
        style.unicode);
    const UnitColumn time("time", unit, style);
    const UnitColumn lost("lost", unit, style);
    std::vector<TableColumn> columns = {{"operator", kName, TableColumn::kAlways, 18}};
    if (any_backward) columns.push_back({"", kText, 72});
    columns.push_back({"shapes", kName, 85, 16});
    columns.push_back({"type", kText, 45});
    columns.push_back({"calls", kNumber, 55});
    columns.push_back({time.Header(), kNumber});
    columns.push_back({"FLOP/s", kNumber, 80});
    columns.push_back({"B/s", kNumber, 80});
    columns.push_back({"FLOP/B", kNumber, 40});
    if (roof) {
      columns.push_back({"bound", kText, 60});
      columns.push_back({"of roof", kNumber, 90});
      columns.push_back({lost.Header(), kNumber, 75});
    }
    Table table(std::move(columns));
    for (size_t i = 0; i < count; ++i) {
      const RooflineRow& row = rows[i];
      const auto number = [&](const std::optional<double>& value) {
        return value ? Scaled(*value) : Missing(style);
      };
      std::vector<TableCell> cells = {Printable(row.name, style.unicode)};
      if (any_backward) cells.emplace_back(row.backward ? "backward" : "", Ink::kDim);
      cells.emplace_back(ShortShapes(row.input_shapes, style), Ink::kDim);
      cells.emplace_back(std::string(telltale::NameOf(row.type)));
      cells.emplace_back(FormatCount(static_cast<int64_t>(row.calls)));
      cells.emplace_back(time.Cell(row.time_ns));
      cells.emplace_back(row.flops == 0 ? std::string() : number(row.flops_per_second));
      cells.emplace_back(number(row.bytes_per_second));
      cells.emplace_back(row.flops_per_byte ? fmt::format("{:.1f}", *row.flops_per_byte)
                                            : Missing(style));
      if (roof) {
        cells.emplace_back(row.bound ? std::string(NameOf(*row.bound)) : Missing(style));
        cells.emplace_back(row.roof_share ? FormatShare(*row.roof_share, 0) : Missing(style));
        cells.emplace_back(lost.Cell(row.lost_ns));
      }
      table.AddRow(std::move(cells));
    }
    return table.Render(style);
  }

  // "[[8192,1024],[],[1024]]" without what is no tensor: "8192×1024 1024".
  static std::string ShortShapes(std::string_view shapes, const OutputStyle& style) {
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
  static constexpr std::string_view kTimes = "×";

  [[nodiscard]] std::string RestText(std::optional<int64_t> limit, const OutputStyle& style) const {
    const std::vector<NoFormulaRow>& rows = report_.without_formula;
    if (rows.empty()) return "";
    const size_t most = !limit ? kRestRows : *limit <= 0 ? 0 : static_cast<size_t>(*limit);
    const size_t count = CountShown(rows.size(), most);
    const UnitColumn time = Durations(
        "time", rows, count, [](const NoFormulaRow& r) { return std::optional(r.time_ns); }, style);
    Table table({{"operator", kName, TableColumn::kAlways, 24},
                 {"why", kText, 80},
                 {"events", kNumber, 60},
                 {time.Header(), kNumber},
                 {"share", kNumber, 90}});
    for (size_t i = 0; i < count; ++i) {
      const NoFormulaRow& row = rows[i];
      table.AddRow({Printable(row.name, style.unicode),
                    {std::string(Explain(row.reason)), Ink::kDim},
                    FormatCount(static_cast<int64_t>(row.device_events)),
                    time.Cell(row.time_ns),
                    FormatShare(Ratio(row.time_ns, report_.total_ns))});
    }
    return "\n" +
           Heading("Without a formula",
                   fmt::format(
                       "{} of the time{}{} of {}",
                       FormatShare(Ratio(report_.total_ns - report_.covered_ns, report_.total_ns)),
                       style.unicode ? " · " : ", ", count, rows.size()),
                   style) +
           table.Render(style);
  }

  static std::string_view Explain(NoFormulaReason reason) {
    switch (reason) {
      case NoFormulaReason::kNoFormula:
        return "no formula";
      case NoFormulaReason::kArguments:
        return "shapes or values missing";
      case NoFormulaReason::kTransfer:
        return "host and device";
      case NoFormulaReason::kNoOperator:
        return "launched by no operator";
      case NoFormulaReason::kCommunication:
        return "communication";
    }
    return "";
  }

  std::optional<std::string> sort_field_;
  RooflineReport report_;
};

}  // namespace

SectionSpec RooflineSection() {
  return {.name = "roofline",
          .help = "operations and bytes per operator and shape, against the device's peaks",
          .sort_fields = FieldNames(Fields()),
          .options = {{.name = "device-peak",
                       .type = OptionType::kText,
                       .value = "PEAKS",
                       .help = "roofline: peaks per second, fp16=989e12,memory=3.35e12, or a "
                               "file with them",
                       .or_file = true}},
          .check = [](const Arguments& arguments) -> Result<void> {
            if (!arguments.Has("device-peak")) return {};
            const Result<DevicePeaks> peaks = ParseDevicePeaks(arguments.Text("device-peak"));
            if (!peaks) return tl::unexpected<Error>(peaks.error());
            return {};
          },
          .make = [](const SectionInput& input) -> std::unique_ptr<Section> {
            return std::make_unique<RooflineTables>(input);
          }};
}

}  // namespace telltale
