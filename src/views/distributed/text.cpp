// SPDX-License-Identifier: Apache-2.0
#include "views/distributed/text.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "views/lane_parts.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"

namespace telltale {

namespace {

using enum ColumnKind;

constexpr size_t kTextRows = 30;
constexpr size_t kTextSteps = 12;
constexpr size_t kTextStragglers = 4;
constexpr size_t kTextActivities = 5;

std::string Capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

class TextBuilder {
 public:
  TextBuilder(const DistributedReport& report, const std::vector<std::string>& labels,
              const std::optional<std::string>& sort_field, std::optional<int64_t> limit,
              const OutputStyle& style)
      : report_(report), labels_(labels), sort_field_(sort_field), limit_(limit), style_(style) {}

  std::string Build() {
    if (report_.collectives.empty()) {
      return EmptyView("Distributed", Answer(), style_);
    }
    std::string out = Paragraph(Answer(), style_) + "\n";
    out += Heading("Ranks", "mean step of each", style_) + RanksTable();
    if (report_.ranks.size() > 1 || report_.steps.size() > 1) out += StepsPart();
    const size_t shown = RowLimit(limit_, kTextRows);
    const std::string order = sort_field_ ? fmt::format("by {}", *sort_field_) : "by total time";
    out += "\n" +
           Heading("Collectives", Remark(order, shown, report_.collectives.size(), style_), style_);
    out += CollectivesTable(shown) + StragglersPart() + Notes();
    return out;
  }

  [[nodiscard]] std::string Answer() const {
    if (report_.collectives.empty()) {
      return "The capture holds no communication between ranks: no kernels of NCCL or its kin and "
             "no ranges of gloo, MPI or UCC. Profile a distributed run, with ProfilerActivity.CUDA "
             "where the ranks compute on GPUs, and give the traces of all ranks (or their folder) "
             "at once.";
    }
    const Stragglers& stragglers = report_.stragglers;
    if (!stragglers.rows.empty()) {
      const StragglerRow& worst = stragglers.rows.front();
      std::string text = fmt::format(
          "{} keeps the others waiting: it came last in {} of {}, and they waited {} for it",
          Capitalised(Label(worst.file)), FormatCount(static_cast<int64_t>(worst.last)),
          Plural(stragglers.decided + stragglers.undecided, "collective"), Time(worst.waited_ns));
      if (!worst.meanwhile.empty()) {
        const Activity& most = worst.meanwhile.front();
        text +=
            fmt::format(". Meanwhile it spent {} more than the others in {}",
                        Time(Difference(most.time_ns, most.others_ns)),
                        ShortenMiddle(Printable(most.name, style_.unicode), 60, style_.unicode));
      }
      return text + ".";
    }
    int64_t duration = 0;
    int64_t exposed = 0;
    int64_t overlap = 0;
    for (const RankRow& row : report_.ranks) {
      AddTo(duration, row.average.duration_ns);
      AddTo(exposed, row.average.communication_ns);
      AddTo(overlap, row.average.overlap_ns);
    }
    if (report_.device_calls_without_kernels) {
      return "Collectives were called, but their kernels are not in the capture: how long they "
             "took "
             "is not known.";
    }
    const std::string alone = fmt::format(
        "Communication takes {} of an average step without computation at the same time",
        FormatShare(Ratio(exposed, duration), 0));
    if (overlap == 0) return alone + "; none of it is hidden behind computation.";
    return fmt::format("{}, and {} more is hidden behind computation.", alone,
                       FormatShare(Ratio(overlap, duration), 0));
  }

 private:
  [[nodiscard]] std::string Label(uint32_t file) const {
    return file < labels_.size() ? Printable(labels_[file], style_.unicode)
                                 : fmt::format("file {}", file);
  }
  [[nodiscard]] std::string Time(int64_t ns) const { return FormatDuration(ns, style_.unicode); }

  // Clock: what was added to the file's times, and how sure that is.
  [[nodiscard]] std::string Clock(const FileAlignment& clock) const {
    if (clock.source == AlignmentSource::kReference) return "reference";
    if (clock.source == AlignmentSource::kWallClock) return "as captured";
    return fmt::format("{}{} {} {}", clock.offset_ns < 0 ? "-" : "+",
                       Time(clock.offset_ns < 0 ? Difference(0, clock.offset_ns) : clock.offset_ns),
                       style_.unicode ? "±" : "+-", Time(clock.error_ns.value_or(0)));
  }

  template <typename Row, typename Get>
  [[nodiscard]] std::string TimesTable(const std::vector<Row>& rows, size_t count, Get times,
                                       std::vector<TableColumn> columns, bool clocks) const {
    const auto column = [&](std::string_view title, int64_t RankTimes::* field) {
      return Durations(
          title, rows, count,
          [&, field](const Row& row) { return std::optional(times(row).*field); }, style_);
    };
    const auto optional_column = [&](std::string_view title,
                                     std::optional<int64_t> RankTimes::* field) {
      return Durations(
          title, rows, count, [&, field](const Row& row) { return times(row).*field; }, style_);
    };
    const UnitColumn step = column("step", &RankTimes::duration_ns);
    const UnitColumn transfer = optional_column("transfer", &RankTimes::transfer_ns);
    const UnitColumn waiting = optional_column("waiting", &RankTimes::waiting_ns);
    const bool matched = std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
      return times(row).transfer_ns.has_value();
    });
    columns.push_back({step.Header(), kNumber});
    columns.push_back({"computation", kNumber, 90});
    columns.push_back({"overlap", kNumber, 89});
    columns.push_back({"communication", kNumber, 92});
    columns.push_back({"other", kNumber, 88});
    if (matched) {
      columns.push_back({transfer.Header(), kNumber, 84});
      columns.push_back({waiting.Header(), kNumber, 86});
    }
    if (clocks) columns.push_back({"clock", kText, 40});
    Table table(std::move(columns));
    for (size_t i = 0; i < count; ++i) {
      const RankTimes& t = times(rows[i]);
      std::vector<TableCell> cells = {Label(rows[i].file)};
      if constexpr (requires { rows[i].name; })
        cells.emplace_back(Printable(rows[i].name, style_.unicode));
      cells.emplace_back(step.Cell(t.duration_ns));
      for (const int64_t part : {t.computation_ns, t.overlap_ns, t.communication_ns, t.other_ns}) {
        cells.emplace_back(FormatShare(Ratio(part, t.duration_ns)));
      }
      if (matched) {
        cells.emplace_back(transfer.Cell(t.transfer_ns));
        cells.emplace_back(waiting.Cell(t.waiting_ns));
      }
      if constexpr (requires { rows[i].clock; }) {
        if (clocks) cells.emplace_back(Clock(rows[i].clock), Ink::kDim);
      }
      table.AddRow(std::move(cells));
    }
    return table.Render(style_);
  }

  [[nodiscard]] std::string RanksTable() const {
    return TimesTable(
        report_.ranks, report_.ranks.size(),
        [](const RankRow& row) -> const RankTimes& { return row.average; },
        {{"rank", kName, TableColumn::kAlways, 6}}, report_.ranks.size() > 1);
  }

  // Steps in the order of time, ranks next to each other.
  [[nodiscard]] std::string StepsPart() const {
    std::vector<RankStep> steps = report_.steps;
    std::stable_sort(steps.begin(), steps.end(), [](const RankStep& a, const RankStep& b) {
      return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
    });
    const size_t shown = RowLimit(limit_, kTextSteps);
    const size_t count = CountShown(steps.size(), shown);
    return "\n" + Heading("Steps", Remark("of each rank", shown, steps.size(), style_), style_) +
           TimesTable(
               steps, count, [](const RankStep& row) -> const RankTimes& { return row.times; },
               {{"rank", kName, TableColumn::kAlways, 6}, {"step", kText}}, false);
  }

  [[nodiscard]] std::string CollectivesTable(size_t limit) const {
    using Row = CollectiveRow;
    const std::vector<Row>& rows = report_.collectives;
    const size_t count = CountShown(rows.size(), limit);
    const UnitColumn size =
        Sizes("size", rows, count, [](const Row& r) { return r.bytes_max; }, style_);
    const auto time = [&](std::string_view title, std::optional<int64_t> Row::* field) {
      return Durations(title, rows, count, [field](const Row& r) { return r.*field; }, style_);
    };
    const UnitColumn total = time("total", &Row::total_ns);
    const UnitColumn mean = time("mean", &Row::mean_ns);
    const UnitColumn transfer = time("transfer", &Row::transfer_ns);
    const UnitColumn waiting = time("waiting", &Row::waiting_ns);
    const bool matched =
        std::any_of(rows.begin(), rows.end(), [](const Row& r) { return r.matched > 0; });
    std::vector<TableColumn> columns = {{"collective", kName, TableColumn::kAlways, 12},
                                        {"group", kText, 50},
                                        {"ranks", kNumber, 45},
                                        {"type", kText, 40},
                                        {size.Header(), kNumber, 85},
                                        {"calls", kNumber, 88},
                                        {total.Header(), kNumber, 90},
                                        {mean.Header(), kNumber, 80}};
    if (matched) {
      columns.push_back({transfer.Header(), kNumber, 70});
      columns.push_back({waiting.Header(), kNumber, 75});
    }
    columns.push_back({"GB/s", kNumber, 60});
    columns.push_back({"bus GB/s", kNumber, 65});
    Table table(std::move(columns));
    const auto text = [&](const std::optional<std::string>& value) {
      return value ? Printable(*value, style_.unicode) : Missing(style_);
    };
    const auto rate = [&](const std::optional<double>& value) {
      if (!value) return Missing(style_);
      return *value > 0 && *value < 0.001 ? std::string("<0.001") : fmt::format("{:.3g}", *value);
    };
    for (size_t i = 0; i < count; ++i) {
      const Row& row = rows[i];
      std::vector<TableCell> cells = {
          {Printable(row.name, style_.unicode), Ink::kCommunication},
          text(row.group),
          row.group_size ? fmt::format("{}", *row.group_size) : Missing(style_),
          text(row.dtype),
          size.Cell(row.bytes_max),
          FormatCount(static_cast<int64_t>(row.calls)),
          total.Cell(row.total_ns),
          mean.Cell(row.mean_ns)};
      if (matched) {
        cells.emplace_back(transfer.Cell(row.transfer_ns));
        cells.emplace_back(waiting.Cell(row.waiting_ns));
      }
      cells.emplace_back(rate(row.algorithm_bandwidth_gb_per_s));
      cells.emplace_back(rate(row.bus_bandwidth_gb_per_s));
      table.AddRow(std::move(cells));
    }
    return table.Render(style_);
  }

  [[nodiscard]] std::string StragglersPart() const {
    const Stragglers& all = report_.stragglers;
    if (all.decided + all.undecided == 0) return "";
    std::string out = "\n";
    const std::string remark = fmt::format(
        "who came last in {}{}", Plural(all.decided + all.undecided, "collective"),
        all.undecided == 0 ? std::string()
                           : fmt::format("; {} within the error of the clocks",
                                         FormatCount(static_cast<int64_t>(all.undecided))));
    out += Heading("Stragglers", remark, style_);
    if (all.rows.empty()) return out + Paragraph("No rank was late by more than that.", style_, 2);
    out += StragglersTable();
    const size_t explained = std::min(all.rows.size(), kTextStragglers);
    for (size_t i = 0; i < explained; ++i) {
      if (!all.rows[i].meanwhile.empty()) out += MeanwhileTable(all.rows[i]);
    }
    return out;
  }

  [[nodiscard]] std::string StragglersTable() const {
    const Stragglers& all = report_.stragglers;
    const UnitColumn waited = Durations(
        "others waited", all.rows, all.rows.size(),
        [](const StragglerRow& r) { return std::optional(r.waited_ns); }, style_);
    int64_t most = 0;
    for (const StragglerRow& row : all.rows) most = std::max(most, row.waited_ns);
    Table table({{"rank", kName, TableColumn::kAlways, 6},
                 {"last", kNumber},
                 {"share", kNumber, 90},
                 {"steps", kNumber, 70},
                 {waited.Header(), kNumber},
                 {"", kBar, 50}});
    for (const StragglerRow& row : all.rows) {
      table.AddRow({Label(row.file), FormatCount(static_cast<int64_t>(row.last)),
                    FormatShare(Ratio(static_cast<int64_t>(row.last),
                                      static_cast<int64_t>(all.decided + all.undecided))),
                    fmt::format("{} of {}", row.steps_last, all.steps), waited.Cell(row.waited_ns),
                    TableCell::Bar(Ratio(row.waited_ns, most), Ink::kCommunication)});
    }
    return table.Render(style_);
  }

  [[nodiscard]] std::string MeanwhileTable(const StragglerRow& row) const {
    const size_t count = std::min(row.meanwhile.size(), kTextActivities);
    const ColumnUnit unit = DurationUnit(
        Collect(row.meanwhile, count, [](const Activity& a) { return std::optional(a.time_ns); }),
        style_.unicode);
    const UnitColumn own("here", unit, style_);
    const UnitColumn others("others", unit, style_);
    Table table(
        {{fmt::format("what {} did meanwhile", Label(row.file)), kName, TableColumn::kAlways, 24},
         {"kind", kText, 60},
         {own.Header(), kNumber},
         {others.Header(), kNumber, 90}});
    for (size_t i = 0; i < count; ++i) {
      const Activity& activity = row.meanwhile[i];
      table.AddRow({Printable(activity.name, style_.unicode), std::string(NameOf(activity.kind)),
                    own.Cell(activity.time_ns), others.Cell(activity.others_ns)});
    }
    return "\n" + table.Render(style_);
  }

  // What is to know about the match of the ranks.
  [[nodiscard]] std::string Notes() const {
    std::vector<std::string> notes;
    if (report_.missing_rank_count > 0) {
      notes.push_back(
          fmt::format("The run has {} more than there are traces of: waiting for them "
                      "counts as transfer.",
                      Plural(report_.missing_rank_count, "rank")));
    }
    uint64_t unmatched = 0;
    uint64_t contradicted = 0;
    for (const RankRow& row : report_.ranks) {
      unmatched += row.unmatched;
      contradicted += row.clock.contradicted;
    }
    if (unmatched > 0) {
      notes.push_back(
          fmt::format("{} found no partner on another rank: the captures begin or end "
                      "at different moments. What matched is used.",
                      Plural(unmatched, "call")));
    }
    if (contradicted > 0) {
      notes.push_back(
          fmt::format("{} would end on one rank before it began on another: no match "
                      "after all, and not used.",
                      Plural(contradicted, "collective")));
    }
    if (report_.device_calls_without_kernels) {
      notes.emplace_back(
          "Some collectives have no kernel in the capture: add ProfilerActivity.CUDA to the "
          "profiler's activities.");
    }
    if (notes.empty()) return "";
    std::string out = "\n" + Heading("About the match", "", style_);
    for (const std::string& note : notes) out += Paragraph(note, style_, 2);
    return out;
  }

  const DistributedReport& report_;
  const std::vector<std::string>& labels_;
  const std::optional<std::string>& sort_field_;
  std::optional<int64_t> limit_;
  const OutputStyle& style_;
};

}  // namespace

std::string DistributedText(const DistributedReport& report, const std::vector<std::string>& labels,
                            const std::optional<std::string>& sort_field,
                            std::optional<int64_t> limit, const OutputStyle& style) {
  return TextBuilder(report, labels, sort_field, limit, style).Build();
}

std::string DistributedAnswer(const DistributedReport& report,
                              const std::vector<std::string>& labels, const OutputStyle& style) {
  const std::optional<std::string> no_order;
  return TextBuilder(report, labels, no_order, std::nullopt, style).Answer();
}

}  // namespace telltale
