// SPDX-License-Identifier: Apache-2.0
// The view `launches`: the calls that give the devices work, the delay until it begins, and the
// queues of the streams.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/launches/launches.h"
#include "report/rows.h"
#include "report/sections.h"
#include "report/sections/lane_parts.h"
#include "report/table.h"
#include "report/unit_column.h"

namespace telltale {

inline std::string_view SortName(const LaunchRow& row) { return row.name; }

namespace {

using enum ColumnKind;

constexpr size_t kTextRows = 30;

double ShortShare(const LaunchRow& row) {
  return Ratio(static_cast<int64_t>(row.short_calls), static_cast<int64_t>(row.calls));
}

const RowFields<LaunchRow>& LaunchFields() {
  static const RowFields<LaunchRow> fields = {
      {"file", [](const LaunchRow& r) -> FieldValue { return uint64_t{r.file}; }},
      {"name", [](const LaunchRow& r) -> FieldValue { return std::string_view(r.name); }},
      {"calls", [](const LaunchRow& r) -> FieldValue { return r.calls; }},
      {"device_events", [](const LaunchRow& r) -> FieldValue { return r.device_events; }},
      {"host_total_ns", [](const LaunchRow& r) -> FieldValue { return r.host_total_ns; }},
      {"host_mean_ns", [](const LaunchRow& r) -> FieldValue { return r.host_mean_ns; }},
      {"host_max_ns", [](const LaunchRow& r) -> FieldValue { return r.host_max_ns; }},
      {"device_total_ns", [](const LaunchRow& r) -> FieldValue { return r.device_total_ns; }},
      {"delay_mean_ns", [](const LaunchRow& r) -> FieldValue { return r.delay_mean_ns; }},
      {"delay_median_ns", [](const LaunchRow& r) -> FieldValue { return r.delay_median_ns; }},
      {"delay_p99_ns", [](const LaunchRow& r) -> FieldValue { return r.delay_p99_ns; }},
      {"delay_max_ns", [](const LaunchRow& r) -> FieldValue { return r.delay_max_ns; }},
      {"short_calls", [](const LaunchRow& r) -> FieldValue { return r.short_calls; }},
      {"short_share", [](const LaunchRow& r) -> FieldValue { return ShortShare(r); }},
  };
  return fields;
}

const RowFields<QueueRow>& QueueFields() {
  static const RowFields<QueueRow> fields = {
      {"file", [](const QueueRow& r) -> FieldValue { return uint64_t{r.file}; }},
      {"device", [](const QueueRow& r) -> FieldValue { return r.device; }},
      {"stream", [](const QueueRow& r) { return OrMissing(r.stream); }},
      {"launches", [](const QueueRow& r) -> FieldValue { return r.launches; }},
      {"max_length", [](const QueueRow& r) -> FieldValue { return r.max_length; }},
      {"mean_length", [](const QueueRow& r) -> FieldValue { return r.mean_length; }},
      {"window_ns", [](const QueueRow& r) -> FieldValue { return r.window_ns; }},
      {"full_ns", [](const QueueRow& r) -> FieldValue { return r.full_ns; }},
      {"full_share", [](const QueueRow& r) -> FieldValue { return Ratio(r.full_ns, r.window_ns); }},
  };
  return fields;
}

const RowFields<LaunchSummary>& SummaryFields() {
  static const RowFields<LaunchSummary> fields = {
      {"file", [](const LaunchSummary& s) -> FieldValue { return uint64_t{s.file}; }},
      {"launches", [](const LaunchSummary& s) -> FieldValue { return s.launches; }},
      {"device_events", [](const LaunchSummary& s) -> FieldValue { return s.device_events; }},
      {"launch_missing", [](const LaunchSummary& s) -> FieldValue { return s.launch_missing; }},
      {"graph_launches", [](const LaunchSummary& s) -> FieldValue { return s.graph_launches; }},
      {"graph_device_events",
       [](const LaunchSummary& s) -> FieldValue { return s.graph_device_events; }},
      {"short_launches", [](const LaunchSummary& s) -> FieldValue { return s.short_launches; }},
      {"short_share",
       [](const LaunchSummary& s) -> FieldValue {
         return Ratio(static_cast<int64_t>(s.short_launches), static_cast<int64_t>(s.launches));
       }},
      {"host_total_ns", [](const LaunchSummary& s) -> FieldValue { return s.host_total_ns; }},
      {"launches_per_step", [](const LaunchSummary& s) { return OrMissing(s.launches_per_step); }},
      {"device_events_per_step",
       [](const LaunchSummary& s) { return OrMissing(s.device_events_per_step); }},
      {"launches_per_second",
       [](const LaunchSummary& s) { return OrMissing(s.launches_per_second); }},
  };
  return fields;
}

class LaunchView final : public Section {
 public:
  explicit LaunchView(const SectionInput& input)
      : labels_(LabelsOf(input)), sort_field_(input.sort_field) {
    for (uint32_t file = 0; file < input.traces.size(); ++file) {
      LaunchReport report = DescribeLaunches(input.traces[file]);
      report.summary.file = file;
      summaries_.push_back(report.summary);
      for (LaunchRow& row : report.rows) {
        row.file = file;
        rows_.push_back(std::move(row));
      }
      for (QueueRow& row : report.queues) {
        row.file = file;
        queues_.push_back(row);
      }
    }
    SortRows(rows_, LaunchFields(), sort_field_.value_or("host_total_ns"));
  }

  void WriteJson(RowRange range, JsonWriter& json) const override {
    json.BeginObject();
    json.Field("full_queue_length", kFullQueue);
    WriteJsonRows("files", summaries_, SummaryFields(), 0, json);
    WriteJsonRows("rows", rows_, LaunchFields(), range, json);
    WriteJsonRows("queues", queues_, QueueFields(), range.limit, json);
    json.EndObject();
  }

  void WriteCsv(int64_t limit, Output& output) const override {
    WriteCsvRows(rows_, LaunchFields(), limit, output);
  }

  [[nodiscard]] size_t rows() const override { return rows_.size(); }

  [[nodiscard]] std::string Answer(const OutputStyle& style) const override {
    if (rows_.empty()) {
      const bool events = std::any_of(summaries_.begin(), summaries_.end(),
                                      [](const LaunchSummary& s) { return s.launch_missing > 0; });
      return events ? "The capture holds device events, but none of the calls that "
                      "launched them: runtime and driver calls come with "
                      "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]."
                    : "The capture holds no device events, so nothing was launched. "
                      "torch.profiler records them with "
                      "activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA].";
    }
    std::string out;
    for (const LaunchSummary& summary : summaries_) {
      if (summary.launches == 0) continue;
      if (!out.empty()) out += ' ';
      out += AnswerOf(summary, style);
    }
    return out;
  }

  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override {
    if (rows_.empty()) return EmptyView("Launches", Answer(style), style);
    std::string out;
    for (const LaunchSummary& summary : summaries_) {
      if (summary.launches > 0) out += Paragraph(AnswerOf(summary, style), style);
    }
    const size_t shown = RowLimit(limit, kTextRows);
    const std::string order = sort_field_ ? fmt::format("by {}", *sort_field_) : "by host time";
    out += "\n" + Heading("Launches", Remark(order, shown, rows_.size(), style), style);
    out += RowsTable(shown, style);
    out += "\n" + Heading("Queues",
                          Remark("launches that wait on a stream", shown, queues_.size(), style),
                          style);
    return out + QueuesTable(shown, style);
  }

 private:
  [[nodiscard]] std::string AnswerOf(const LaunchSummary& s, const OutputStyle& style) const {
    std::string out;
    if (labels_.size() > 1) out += Label(s.file, style) + ": ";
    out += Plural(s.launches, "launch");
    if (s.launches != 1) out.insert(out.size() - 1, "e");
    if (s.graph_launches > 0) {
      out += fmt::format(", {} of graphs with {},",
                         FormatCount(static_cast<int64_t>(s.graph_launches)),
                         Plural(s.graph_device_events, "device event"));
    }
    out += fmt::format(" took the host {}", FormatDuration(s.host_total_ns, style.unicode));
    if (s.launches_per_step) out += fmt::format(" ({:.4g} a step)", *s.launches_per_step);
    out += fmt::format(
        "; {} took longer to launch than to run.",
        FormatShare(Ratio(static_cast<int64_t>(s.short_launches), static_cast<int64_t>(s.launches)),
                    0));
    const auto full = std::find_if(queues_.begin(), queues_.end(), [&](const QueueRow& q) {
      return q.file == s.file && q.full_ns > 0;
    });
    if (full != queues_.end()) {
      out += fmt::format(" A queue was full for {}.", FormatDuration(full->full_ns, style.unicode));
    }
    return out;
  }

  [[nodiscard]] std::string Label(uint32_t file, const OutputStyle& style) const {
    return file < labels_.size() ? Printable(labels_[file], style.unicode) : "";
  }

  [[nodiscard]] std::string RowsTable(size_t limit, const OutputStyle& style) const {
    const size_t count = CountShown(rows_.size(), limit);
    const auto time = [&](std::string_view title, int64_t LaunchRow::* field) {
      return Durations(
          title, rows_, count, [field](const LaunchRow& r) { return std::optional(r.*field); },
          style);
    };
    const UnitColumn total = time("host", &LaunchRow::host_total_ns);
    const UnitColumn mean = time("mean", &LaunchRow::host_mean_ns);
    const UnitColumn delay = time("delay mean", &LaunchRow::delay_mean_ns);
    const UnitColumn median = time("median", &LaunchRow::delay_median_ns);
    const UnitColumn p99 = time("p99", &LaunchRow::delay_p99_ns);
    const UnitColumn most = time("max", &LaunchRow::delay_max_ns);
    const bool many = labels_.size() > 1;
    std::vector<TableColumn> columns;
    if (many) columns.push_back({"file", kName, 95, 8});
    columns.insert(columns.end(), {{"call", kName, TableColumn::kAlways, 20},
                                   {"calls", kNumber, 90},
                                   {"device events", kNumber, 40},
                                   {total.Header(), kNumber},
                                   {mean.Header(), kNumber, 70},
                                   {delay.Header(), kNumber, 85},
                                   {median.Header(), kNumber, 65},
                                   {p99.Header(), kNumber, 60},
                                   {most.Header(), kNumber, 50},
                                   {"short", kNumber, 55}});
    Table table(std::move(columns));
    for (size_t i = 0; i < count; ++i) {
      const LaunchRow& row = rows_[i];
      std::vector<TableCell> cells;
      if (many) cells.emplace_back(Label(row.file, style));
      cells.emplace_back(Printable(row.name, style.unicode));
      cells.emplace_back(FormatCount(static_cast<int64_t>(row.calls)));
      cells.emplace_back(FormatCount(static_cast<int64_t>(row.device_events)));
      cells.emplace_back(total.Cell(row.host_total_ns));
      cells.emplace_back(mean.Cell(row.host_mean_ns));
      cells.emplace_back(delay.Cell(row.delay_mean_ns));
      cells.emplace_back(median.Cell(row.delay_median_ns));
      cells.emplace_back(p99.Cell(row.delay_p99_ns));
      cells.emplace_back(most.Cell(row.delay_max_ns));
      cells.emplace_back(FormatShare(ShortShare(row)));
      table.AddRow(std::move(cells));
    }
    return table.Render(style);
  }

  [[nodiscard]] std::string QueuesTable(size_t limit, const OutputStyle& style) const {
    const size_t count = CountShown(queues_.size(), limit);
    const UnitColumn window = Durations(
        "window", queues_, count, [](const QueueRow& r) { return std::optional(r.window_ns); },
        style);
    const bool many = labels_.size() > 1;
    std::vector<TableColumn> columns;
    if (many) columns.push_back({"file", kName, TableColumn::kAlways, 8});
    columns.insert(columns.end(), {{"device", kNumber},
                                   {"stream", kNumber},
                                   {"launches", kNumber, 80},
                                   {window.Header(), kNumber, 60},
                                   {"mean length", kNumber, 90},
                                   {"max length", kNumber},
                                   {"full", kNumber, 70}});
    Table table(std::move(columns));
    for (size_t i = 0; i < count; ++i) {
      const QueueRow& row = queues_[i];
      std::vector<TableCell> cells;
      if (many) cells.emplace_back(Label(row.file, style));
      cells.emplace_back(fmt::format("{}", row.device));
      cells.emplace_back(row.stream ? fmt::format("{}", *row.stream) : Missing(style));
      cells.emplace_back(FormatCount(static_cast<int64_t>(row.launches)));
      cells.emplace_back(window.Cell(row.window_ns));
      cells.emplace_back(fmt::format("{:.2f}", row.mean_length));
      cells.emplace_back(FormatCount(row.max_length));
      cells.emplace_back(FormatShare(Ratio(row.full_ns, row.window_ns)));
      table.AddRow(std::move(cells));
    }
    return table.Render(style);
  }

  std::vector<std::string> labels_;
  std::optional<std::string> sort_field_;
  std::vector<LaunchSummary> summaries_;
  std::vector<LaunchRow> rows_;
  std::vector<QueueRow> queues_;
};

}  // namespace

SectionSpec LaunchesSection() {
  SectionSpec spec;
  spec.name = "launches";
  spec.help = "launch calls, the delay until their work begins, and queue lengths";
  spec.sort_fields = FieldNames(LaunchFields());
  spec.make = [](const SectionInput& input) -> std::unique_ptr<Section> {
    return std::make_unique<LaunchView>(input);
  };
  return spec;
}

}  // namespace telltale
