// SPDX-License-Identifier: Apache-2.0
// The view `idle`: how long devices and streams had nothing to run, by cause, and the longest gaps.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/idle/idle.h"
#include "report/rows.h"
#include "report/sections.h"
#include "report/sections/lane_parts.h"
#include "report/table.h"
#include "report/unit_column.h"

namespace telltale {

inline std::string_view SortName(const IdleRow&) { return {}; }

namespace {

using enum ColumnKind;

constexpr size_t kTextRows = 40;
constexpr size_t kTextGaps = 10;

int64_t TimeOf(const IdleRow& row, IdleCause cause) {
  return row.cause_ns[static_cast<size_t>(cause)];
}

double ShareOf(const IdleRow& row) { return Ratio(row.idle_ns, row.window_ns); }

template <IdleCause kCause>
FieldValue CauseTime(const IdleRow& row) {
  return TimeOf(row, kCause);
}

template <IdleCause kCause>
FieldValue CauseGaps(const IdleRow& row) {
  return row.cause_gaps[static_cast<size_t>(kCause)];
}

const RowFields<IdleRow>& IdleFields() {
  static const RowFields<IdleRow> fields = {
      {"file", [](const IdleRow& r) -> FieldValue { return uint64_t{r.file}; }},
      {"scope",
       [](const IdleRow& r) -> FieldValue {
         return std::string_view(r.whole_device ? "device" : "stream");
       }},
      {"device", [](const IdleRow& r) -> FieldValue { return r.device; }},
      {"stream", [](const IdleRow& r) { return OrMissing(r.stream); }},
      {"events", [](const IdleRow& r) -> FieldValue { return r.events; }},
      {"window_ns", [](const IdleRow& r) -> FieldValue { return r.window_ns; }},
      {"busy_ns", [](const IdleRow& r) -> FieldValue { return r.busy_ns; }},
      {"idle_ns", [](const IdleRow& r) -> FieldValue { return r.idle_ns; }},
      {"idle_share", [](const IdleRow& r) -> FieldValue { return ShareOf(r); }},
      {"gaps", [](const IdleRow& r) -> FieldValue { return r.gaps; }},
      {"gap_min_ns", [](const IdleRow& r) { return OrMissing(r.gap_min_ns); }},
      {"gap_mean_ns", [](const IdleRow& r) { return OrMissing(r.gap_mean_ns); }},
      {"gap_max_ns", [](const IdleRow& r) { return OrMissing(r.gap_max_ns); }},
      {"host_wait_ns", CauseTime<IdleCause::kHostWait>},
      {"synchronisation_ns", CauseTime<IdleCause::kSynchronisation>},
      {"input_ns", CauseTime<IdleCause::kInput>},
      {"kernel_wait_ns", CauseTime<IdleCause::kKernelWait>},
      {"other_ns", CauseTime<IdleCause::kOther>},
      {"host_wait_gaps", CauseGaps<IdleCause::kHostWait>},
      {"synchronisation_gaps", CauseGaps<IdleCause::kSynchronisation>},
      {"input_gaps", CauseGaps<IdleCause::kInput>},
      {"kernel_wait_gaps", CauseGaps<IdleCause::kKernelWait>},
      {"other_gaps", CauseGaps<IdleCause::kOther>},
  };
  return fields;
}

const RowFields<IdleGap>& GapFields() {
  static const RowFields<IdleGap> fields = {
      {"file", [](const IdleGap& g) -> FieldValue { return uint64_t{g.file}; }},
      {"device", [](const IdleGap& g) -> FieldValue { return g.device; }},
      {"stream", [](const IdleGap& g) { return OrMissing(g.stream); }},
      {"start_ns", [](const IdleGap& g) -> FieldValue { return g.start_ns; }},
      {"duration_ns", [](const IdleGap& g) -> FieldValue { return g.duration_ns; }},
      {"cause", [](const IdleGap& g) -> FieldValue { return NameOf(g.cause); }},
      {"before", [](const IdleGap& g) -> FieldValue { return std::string_view(g.before); }},
      {"after", [](const IdleGap& g) -> FieldValue { return std::string_view(g.after); }},
      {"host", [](const IdleGap& g) { return OrMissing(g.host); }},
      {"host_ns", [](const IdleGap& g) { return OrMissing(g.host_ns); }},
  };
  return fields;
}

std::string_view WordsFor(IdleCause cause) {
  switch (cause) {
    case IdleCause::kHostWait:
      return "the host had not launched the next work yet";
    case IdleCause::kSynchronisation:
      return "the host had waited for the device, so nothing was queued";
    case IdleCause::kInput:
      return "the host waited for its DataLoader";
    case IdleCause::kKernelWait:
      return "short gaps between kernels that were queued";
    case IdleCause::kOther:
      break;
  }
  return "the work was queued but did not begin, or its launch is not in the trace";
}

class IdleView final : public Section {
 public:
  explicit IdleView(const SectionInput& input) : labels_(LabelsOf(input)) {
    for (uint32_t file = 0; file < input.traces.size(); ++file) {
      IdleReport report = DescribeIdle(input.traces[file]);
      for (IdleRow& row : report.rows) {
        row.file = file;
        rows_.push_back(row);
      }
      for (IdleGap& gap : report.gaps) {
        gap.file = file;
        gaps_.push_back(std::move(gap));
      }
    }
    std::stable_sort(gaps_.begin(), gaps_.end(), [](const IdleGap& a, const IdleGap& b) {
      return a.duration_ns > b.duration_ns;
    });
    if (gaps_.size() > kMostGaps) gaps_.resize(kMostGaps);
    if (input.sort_field) SortRows(rows_, IdleFields(), *input.sort_field);
  }

  void WriteJson(RowRange range, JsonWriter& json) const override {
    json.BeginObject();
    json.Field("kernel_wait_below_ns", kKernelWaitNs);
    WriteJsonRows("rows", rows_, IdleFields(), range, json);
    WriteJsonRows("longest_gaps", gaps_, GapFields(), range.limit, json);
    json.EndObject();
  }

  void WriteCsv(int64_t limit, Output& output) const override {
    WriteCsvRows(rows_, IdleFields(), limit, output);
  }

  [[nodiscard]] size_t rows() const override { return rows_.size(); }

  // The device that was idle for the largest share of its time, and what it mostly waited for.
  [[nodiscard]] std::string Answer(const OutputStyle& style) const override {
    if (rows_.empty()) {
      return "The capture holds no device events, so there is no idle time to explain. "
             "torch.profiler records them with activities=[ProfilerActivity.CPU, "
             "ProfilerActivity.CUDA].";
    }
    const IdleRow* worst = nullptr;
    for (const IdleRow& row : rows_) {
      if (row.whole_device && (worst == nullptr || ShareOf(row) > ShareOf(*worst))) worst = &row;
    }
    const std::string device = DeviceName(*worst, style);
    if (worst->idle_ns == 0) return fmt::format("{} was never idle.", device);
    size_t cause = 0;
    for (size_t c = 1; c < kIdleCauseCount; ++c) {
      if (worst->cause_ns[c] > worst->cause_ns[cause]) cause = c;
    }
    return fmt::format(
        "{} was idle {} of the time from its first to its last event ({} of {}, {}). "
        "Most of it, {}: {}.",
        device, FormatShare(ShareOf(*worst), 0), FormatDuration(worst->idle_ns, style.unicode),
        FormatDuration(worst->window_ns, style.unicode), Plural(worst->gaps, "gap"),
        FormatShare(Ratio(worst->cause_ns[cause], worst->idle_ns), 0),
        WordsFor(static_cast<IdleCause>(cause)));
  }

  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override {
    if (rows_.empty()) return EmptyView("Idle time", Answer(style), style);
    std::string out = Paragraph(Answer(style), style) + "\n";
    const std::vector<IdleRow> rows = RowsToShow();
    const size_t shown = RowLimit(limit, kTextRows);
    out += Heading("Idle time", Remark("by device and stream", shown, rows.size(), style), style);
    out += RowsTable(rows, shown, style);
    if (!gaps_.empty()) {
      const size_t most = RowLimit(limit, kTextGaps);
      out += "\n" + Heading("Longest gaps",
                            Remark("nothing ran on the device", most, gaps_.size(), style), style);
      out += GapsTable(most, style);
    }
    return out;
  }

 private:
  [[nodiscard]] std::string Label(uint32_t file, const OutputStyle& style) const {
    return file < labels_.size() ? Printable(labels_[file], style.unicode) : "";
  }

  [[nodiscard]] std::string DeviceName(const IdleRow& row, const OutputStyle& style) const {
    const std::string name = fmt::format("Device {}", row.device);
    return labels_.size() > 1 ? fmt::format("{} of {}", name, Label(row.file, style)) : name;
  }

  // A device with one stream needs one row.
  [[nodiscard]] std::vector<IdleRow> RowsToShow() const {
    std::map<std::pair<uint32_t, int64_t>, size_t> streams;
    for (const IdleRow& row : rows_) {
      if (!row.whole_device) ++streams[{row.file, row.device}];
    }
    std::vector<IdleRow> rows;
    for (const IdleRow& row : rows_) {
      if (!row.whole_device || streams[{row.file, row.device}] > 1) rows.push_back(row);
    }
    return rows;
  }

  [[nodiscard]] std::string RowsTable(const std::vector<IdleRow>& rows, size_t limit,
                                      const OutputStyle& style) const {
    const size_t count = CountShown(rows.size(), limit);
    const auto time = [&](std::string_view title, auto get) {
      return Durations(title, rows, count, get, style);
    };
    const UnitColumn window =
        time("window", [](const IdleRow& r) { return std::optional(r.window_ns); });
    const UnitColumn idle = time("idle", [](const IdleRow& r) { return std::optional(r.idle_ns); });
    const UnitColumn mean = time("mean", [](const IdleRow& r) { return r.gap_mean_ns; });
    const UnitColumn longest = time("longest", [](const IdleRow& r) { return r.gap_max_ns; });
    const bool many = labels_.size() > 1;
    std::vector<TableColumn> columns;
    if (many) columns.push_back({"file", kName, TableColumn::kAlways, 8});
    columns.insert(columns.end(), {{"device", kText},
                                   {"stream", kText},
                                   {"events", kNumber, 45},
                                   {window.Header(), kNumber, 55},
                                   {idle.Header(), kNumber},
                                   {"share", kNumber, 90},
                                   {"", kBar, 50},
                                   {"host", kNumber, 85},
                                   {"sync", kNumber, 84},
                                   {"input", kNumber, 83},
                                   {"kernel", kNumber, 82},
                                   {"other", kNumber, 81},
                                   {"gaps", kNumber, 60},
                                   {mean.Header(), kNumber, 40},
                                   {longest.Header(), kNumber, 58}});
    Table table(std::move(columns));
    for (size_t i = 0; i < count; ++i) {
      const IdleRow& row = rows[i];
      std::vector<TableCell> cells;
      if (many) cells.emplace_back(Label(row.file, style));
      cells.emplace_back(fmt::format("{}", row.device));
      cells.emplace_back(row.whole_device ? "all"
                         : row.stream     ? fmt::format("{}", *row.stream)
                                          : Missing(style));
      cells.emplace_back(FormatCount(static_cast<int64_t>(row.events)));
      cells.emplace_back(window.Cell(row.window_ns));
      cells.emplace_back(idle.Cell(row.idle_ns));
      cells.emplace_back(FormatShare(ShareOf(row)));
      cells.push_back(TableCell::Bar(ShareOf(row), Ink::kDim));
      for (size_t c = 0; c < kIdleCauseCount; ++c) {
        cells.emplace_back(row.idle_ns == 0 ? Missing(style)
                                            : FormatShare(Ratio(row.cause_ns[c], row.idle_ns), 0));
      }
      cells.emplace_back(FormatCount(static_cast<int64_t>(row.gaps)));
      cells.emplace_back(mean.Cell(row.gap_mean_ns));
      cells.emplace_back(longest.Cell(row.gap_max_ns));
      table.AddRow(std::move(cells));
    }
    return table.Render(style) +
           Paragraph("host, sync, input, kernel, other: shares of the idle time by cause.", style,
                     2);
  }

  [[nodiscard]] std::string GapsTable(size_t limit, const OutputStyle& style) const {
    const size_t count = CountShown(gaps_.size(), limit);
    const UnitColumn length = Durations(
        "gap", gaps_, count, [](const IdleGap& g) { return std::optional(g.duration_ns); }, style);
    const UnitColumn host =
        Durations("for", gaps_, count, [](const IdleGap& g) { return g.host_ns; }, style);
    const bool many = labels_.size() > 1;
    std::vector<TableColumn> columns;
    if (many) columns.push_back({"file", kName, 70, 8});
    columns.insert(columns.end(), {{"device", kText, 60},
                                   {length.Header(), kNumber},
                                   {"cause", kText, 90},
                                   {"the host was in", kName, 80, 16},
                                   {host.Header(), kNumber, 75},
                                   {"before", kName, 40, 14},
                                   {"after", kName, 70, 16}});
    Table table(std::move(columns));
    for (size_t i = 0; i < count; ++i) {
      const IdleGap& gap = gaps_[i];
      std::vector<TableCell> cells;
      if (many) cells.emplace_back(Label(gap.file, style));
      cells.emplace_back(fmt::format("{}", gap.device));
      cells.emplace_back(length.Cell(gap.duration_ns));
      cells.emplace_back(std::string(NameOf(gap.cause)));
      cells.emplace_back(gap.host ? Printable(*gap.host, style.unicode) : Missing(style));
      cells.emplace_back(host.Cell(gap.host_ns));
      cells.emplace_back(Printable(gap.before, style.unicode));
      cells.emplace_back(Printable(gap.after, style.unicode));
      table.AddRow(std::move(cells));
    }
    return table.Render(style);
  }

  std::vector<std::string> labels_;
  std::vector<IdleRow> rows_;
  std::vector<IdleGap> gaps_;
};

}  // namespace

SectionSpec IdleSection() {
  SectionSpec spec;
  spec.name = "idle";
  spec.help = "when devices and streams had nothing to run, and why";
  spec.sort_fields = FieldNames(IdleFields());
  spec.make = [](const SectionInput& input) -> std::unique_ptr<Section> {
    return std::make_unique<IdleView>(input);
  };
  return spec;
}

}  // namespace telltale
