// SPDX-License-Identifier: Apache-2.0
// The view `distributed`: ranks, their steps, collectives and stragglers.
#include "analysis/distributed/distributed.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "views/distributed/words.h"
#include "views/lane_parts.h"
#include "views/render/document.h"
#include "views/render/table_json.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

// Late ranks of which the terminal says what they did meanwhile, and how much of that.
constexpr size_t kExplained = 4;
constexpr size_t kActivities = 5;

template <typename Row>
const RankTimes& TimesOf(const Row& row) {
  if constexpr (requires { row.average; }) {
    return row.average;
  } else {
    return row.times;
  }
}

// A part of the step: the terminal shows its share.
template <typename Row, int64_t RankTimes::* kMember>
ColumnSpec<Row> PartOfStep(std::string_view key, const std::string& title, int importance) {
  return Field<Row>(key, kDuration,
                    [](const Row& row) -> FieldValue { return TimesOf(row).*kMember; },
                    {.title = title, .importance = importance, .with_unit = false})
      .Known()
      .WithText([](const Row& row, const OutputStyle&) {
        return FormatShare(Ratio(TimesOf(row).*kMember, TimesOf(row).duration_ns));
      });
}

template <typename Row>
std::vector<ColumnSpec<Row>> PartsOfStep() {
  using T = RankTimes;
  return {
      PartOfStep<Row, &T::computation_ns>("computation_ns", "computation", 90),
      PartOfStep<Row, &T::overlap_ns>("overlap_ns", "overlap", 89)
          .WithHelp("communication while something computes"),
      PartOfStep<Row, &T::communication_ns>("communication_ns", "communication", 92)
          .WithHelp("exposed: nothing computes meanwhile"),
      PartOfStep<Row, &T::other_ns>("other_ns", "other", 88),
      Field<Row>("transfer_ns", kDuration,
                 [](const Row& row) { return OrMissing(TimesOf(row).transfer_ns); },
                 {.title = "transfer", .importance = 84})
          .WithHelp("what the matched collectives need at least"),
      Field<Row>("waiting_ns", kDuration,
                 [](const Row& row) { return OrMissing(TimesOf(row).waiting_ns); },
                 {.title = "waiting", .importance = 86})
          .WithHelp("for the last rank to arrive"),
  };
}

TableSpec<RankRow> RankTable() {
  using R = RankRow;
  using C = FileAlignment;
  TableSpec<R> spec;
  spec.columns = {
      Field("file", kFile, Get<&R::file>,
            {.title = "rank", .importance = Shown::kAlways, .least_width = 6}),
      Field("rank", kId, Get<&R::rank>),
      Field("world_size", kCount, Get<&R::world_size>),
      Field<R>(
          "backend", kText,
          [](const R& row) { return row.backend.empty() ? FieldValue() : Get<&R::backend>(row); }),
      Field("clock", kText, Get<&R::clock, &C::source>,
            {.title = "clock", .importance = 40, .ink = Ink::kDim})
          .WithText(
              [](const R& row, const OutputStyle& style) { return ClockText(row.clock, style); })
          .WithHelp("what was added to the file's times"),
      Field("clock_offset_ns", kDuration, Get<&R::clock, &C::offset_ns>),
      Field("clock_error_ns", kDuration, Get<&R::clock, &C::error_ns>),
      Field("clock_collectives", kCount, Get<&R::clock, &C::collectives>),
      Field("clock_contradicted", kCount, Get<&R::clock, &C::contradicted>),
      Field("collectives", kCount, Get<&R::collectives>, {.title = "collectives"}),
      Field("matched", kCount, Get<&R::matched>, {.title = "matched"}),
      Field("unmatched", kCount, Get<&R::unmatched>),
      Field("alone", kCount, Get<&R::alone>),
      Field("steps", kCount, Get<&R::steps>),
      Field("average_ns", kDuration, Get<&R::average, &RankTimes::duration_ns>,
            {.title = "step", .importance = Shown::kAlways})
          .NoSum(),
      BarOf<R>("bar", "average_ns", {}),
  };
  for (ColumnSpec<R>& part : PartsOfStep<R>()) spec.columns.push_back(std::move(part));
  spec.order = {"file",     "average_ns",  "computation_ns", "overlap_ns",  "communication_ns",
                "other_ns", "transfer_ns", "waiting_ns",     "collectives", "matched",
                "clock"};
  return spec;
}

TableSpec<RankStep> StepTable() {
  using S = RankStep;
  TableSpec<S> spec;
  spec.columns = {
      Field("file", kFile, Get<&S::file>,
            {.title = "rank", .importance = Shown::kAlways, .least_width = 6}),
      Field("name", kText, Get<&S::name>, {.title = "step", .importance = Shown::kAlways}),
      Field("start_ns", kMoment, Get<&S::start_ns>),
      Field("duration_ns", kDuration, Get<&S::times, &RankTimes::duration_ns>,
            {.title = "step", .importance = Shown::kAlways}),
      Field("complete", kFlag, Get<&S::complete>),
  };
  for (ColumnSpec<S>& part : PartsOfStep<S>()) spec.columns.push_back(std::move(part));
  return spec;
}

template <auto kMember, typename Row>
std::string RateText(const Row& row, const OutputStyle& style) {
  const std::optional<double>& rate = row.*kMember;
  if (!rate) return Missing(style);
  return *rate > 0 && *rate < 0.001 ? std::string("<0.001") : fmt::format("{:.3g}", *rate);
}

TableSpec<CollectiveRow> CollectiveTable() {
  using R = CollectiveRow;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  spec.columns = {
      Field("name", kName, Get<&R::name>,
            {.title = "collective",
             .importance = Shown::kAlways,
             .least_width = 12,
             .ink = Ink::kCommunication}),
      Field("group", kText, Get<&R::group>, {.title = "group", .importance = 50}),
      Field("group_size", kId, Get<&R::group_size>, {.title = "ranks", .importance = 45}),
      Field("dtype", kText, Get<&R::dtype>, {.title = "type", .importance = 40}),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 88}),
      Field("total_bytes", kBytes, Get<&R::bytes>,
            {.title = "data", .importance = 85, .terminal = false}),
      Field("min_bytes", kBytes, Get<&R::bytes_min>),
      Field("max_bytes", kBytes, Get<&R::bytes_max>,
            {.title = "size", .importance = 85, .page = false})
          .WithHelp("of the largest message"),
      Field("total_ns", kDuration, Get<&R::total_ns>, {.title = "total", .importance = 90})
          .WithHelp("over all ranks"),
      BarOf<R>("bar", "total_ns", {}),
      Field("mean_ns", kDuration, Get<&R::mean_ns>, {.title = "mean", .importance = 80}).NoSum(),
      Field("min_ns", kDuration, Get<&R::min_ns>),
      Field("max_ns", kDuration, Get<&R::max_ns>,
            {.title = "longest", .importance = 60, .terminal = false})
          .NoSum(),
      Field("matched", kCount, Get<&R::matched>),
      Field("transfer_ns", kDuration, Get<&R::transfer_ns>,
            {.title = "transfer", .importance = 70}),
      Field("waiting_ns", kDuration, Get<&R::waiting_ns>, {.title = "waiting", .importance = 75}),
      BarOf<R>("waiting_bar", "waiting_ns", {}),
      Field("algorithm_bandwidth_gb_per_s", kRate, Get<&R::algorithm_bandwidth_gb_per_s>,
            {.title = "GB/s", .importance = 60, .page = false})
          .WithText(RateText<&R::algorithm_bandwidth_gb_per_s, R>),
      Field("bus_bandwidth_gb_per_s", kRate, Get<&R::bus_bandwidth_gb_per_s>,
            {.title = "bus GB/s", .importance = 65})
          .WithText(RateText<&R::bus_bandwidth_gb_per_s, R>)
          .WithHelp("size ÷ transfer × the usual factor of the collective; without matched ranks "
                    "it includes waiting"),
  };
  spec.order = {"name",
                "group",
                "group_size",
                "dtype",
                "max_bytes",
                "calls",
                "total_bytes",
                "total_ns",
                "mean_ns",
                "max_ns",
                "transfer_ns",
                "waiting_ns",
                "algorithm_bandwidth_gb_per_s",
                "bus_bandwidth_gb_per_s"};
  return spec;
}

TableSpec<MatchMember> MemberTable() {
  using R = MatchMember;
  TableSpec<R> spec;
  spec.columns = {
      Field("file", kFile, Get<&R::file>),
      Field("row", kId, Get<&R::span>),
      Field("start_ns", kMoment, Get<&R::start_ns>),
      Field("duration_ns", kDuration, Get<&R::duration_ns>),
      Field("waiting_ns", kDuration, Get<&R::waiting_ns>),
  };
  return spec;
}

// Single collectives that were found on several ranks.
TableSpec<MatchRow> MatchTable() {
  using R = MatchRow;
  ColumnSpec<R> members;
  members.key = "members";
  members.json_type = "readonly MatchMember[]";
  members.nullable = false;
  members.json = [](const R& row, JsonWriter& json) {
    WriteTableJson(RowTable<MatchMember>(MemberTable(), row.members), {}, json);
  };
  TableSpec<R> spec;
  spec.columns = {
      Field("name", kName, Get<&R::name>, {.title = "collective", .importance = Shown::kAlways}),
      Field("group", kText, Get<&R::group>),
      Field("sequence", kId, Get<&R::sequence>),
      Field("dtype", kText, Get<&R::dtype>),
      Field("bytes", kBytes, Get<&R::bytes>, {.title = "data", .importance = 70}),
      Field<R>("step", kText,
               [](const R& row) { return row.step.empty() ? FieldValue() : Get<&R::step>(row); },
               {.title = "step", .importance = 75}),
      Field("start_ns", kMoment, Get<&R::start_ns>),
      Field("start_skew_ns", kDuration, Get<&R::start_skew_ns>, {.title = "skew", .importance = 90})
          .NoSum()
          .WithHelp("from the first rank's start to the last one's"),
      BarOf<R>("bar", "start_skew_ns", {}),
      Field("transfer_ns", kDuration, Get<&R::transfer_ns>,
            {.title = "transfer", .importance = 80}),
      Field("algorithm_bandwidth_gb_per_s", kRate, Get<&R::algorithm_bandwidth_gb_per_s>),
      Field("bus_bandwidth_gb_per_s", kRate, Get<&R::bus_bandwidth_gb_per_s>,
            {.title = "bus GB/s", .importance = 60}),
      Field("last_file", kFile, Get<&R::last_file>, {.title = "came last", .importance = 85}),
      std::move(members),
  };
  spec.order = {"name",
                "step",
                "bytes",
                "start_skew_ns",
                "transfer_ns",
                "last_file",
                "bus_bandwidth_gb_per_s"};
  return spec;
}

TableSpec<Activity> ActivityTable(std::string title) {
  using R = Activity;
  TableSpec<R> spec;
  spec.columns = {
      Field("name", kName, Get<&R::name>,
            {.title = std::move(title), .importance = Shown::kAlways, .least_width = 24}),
      Field("kind", kText, Get<&R::kind>, {.title = "kind", .importance = 60}),
      Field("time_ns", kDuration, Get<&R::time_ns>,
            {.title = "here", .importance = Shown::kAlways}),
      BarOf<R>("bar", "time_ns", {}),
      Field("others_ns", kDuration, Get<&R::others_ns>,
            {.title = "others", .importance = 90, .unit_of = "time_ns"})
          .WithHelp("mean of the other ranks before the same collectives"),
  };
  return spec;
}

struct ShownStraggler : StragglerRow {
  uint64_t of_collectives = 0;
  uint64_t of_steps = 0;
};

FieldValue PartOfAll(uint64_t part, uint64_t whole) {
  return whole == 0 ? FieldValue() : static_cast<double>(part) / static_cast<double>(whole);
}

TableSpec<ShownStraggler> StragglerTable() {
  using R = ShownStraggler;
  ColumnSpec<R> meanwhile;
  meanwhile.key = "meanwhile";
  meanwhile.json_type = "readonly ActivityRow[]";
  meanwhile.nullable = false;
  meanwhile.json = [](const R& row, JsonWriter& json) {
    WriteTableJson(RowTable<Activity>(ActivityTable("what it did"), row.meanwhile), {}, json);
  };
  TableSpec<R> spec;
  spec.columns = {
      Field("file", kFile, Get<R, &R::file>,
            {.title = "rank", .importance = Shown::kAlways, .least_width = 6}),
      Field("last", kCount, Get<R, &R::last>, {.title = "last", .importance = Shown::kAlways}),
      Field<R>("last_share", kShare,
               [](const R& row) { return PartOfAll(row.last, row.of_collectives); },
               {.title = "share", .importance = 90}),
      Field("steps_last", kCount, Get<R, &R::steps_last>, {.title = "steps", .importance = 70})
          .WithText([](const R& row, const OutputStyle&) {
            return fmt::format("{} of {}", row.steps_last, row.of_steps);
          }),
      Field<R>("steps_last_share", kShare,
               [](const R& row) { return PartOfAll(row.steps_last, row.of_steps); }),
      Field("others_waited_ns", kDuration, Get<R, &R::waited_ns>,
            {.title = "others waited", .importance = Shown::kAlways}),
      BarOf<R>("bar", "others_waited_ns", {.importance = 50, .ink = Ink::kCommunication}),
      std::move(meanwhile),
  };
  spec.order = {"file", "last", "last_share", "steps_last", "others_waited_ns", "bar"};
  return spec;
}

// Steps in the order of time, ranks next to each other.
std::vector<RankStep> StepsForPeople(std::vector<RankStep> steps) {
  std::stable_sort(steps.begin(), steps.end(), [](const RankStep& a, const RankStep& b) {
    return a.name.size() != b.name.size() ? a.name.size() < b.name.size() : a.name < b.name;
  });
  return steps;
}

// Where no ranks met, nobody waited.
template <typename Row>
TableSpec<Row> IfMatched(TableSpec<Row> spec, const std::vector<Row>& rows) {
  const auto get = spec.Find("transfer_ns")->get;
  if (std::all_of(rows.begin(), rows.end(),
                  [&](const Row& row) { return std::holds_alternative<std::monostate>(get(row)); }))
    spec.Hide({"transfer_ns", "waiting_ns"});
  return spec;
}

void AddStragglers(const Stragglers& all, const std::vector<std::string>& labels,
                   Document& document) {
  constexpr std::string_view kGroup = "stragglers";
  const uint64_t met = all.decided + all.undecided;
  document.AddField("decided", all.decided, kGroup);
  document.AddField("undecided", all.undecided, kGroup);
  document.AddField("steps", all.steps, kGroup);
  const std::string remark = StragglerRemark(all);
  std::vector<ShownStraggler> rows;
  for (const StragglerRow& row : all.rows) rows.push_back({row, met, all.steps});
  document.AddTable(
      "rows", StragglerTable(), std::move(rows),
      {.title = "Stragglers", .remark = remark, .whole = true, .every_row = true, .group = kGroup});
  if (met > 0 && all.rows.empty()) {
    document.AddText([remark](std::optional<int64_t>, const OutputStyle& style) {
      return "\n" + Heading("Stragglers", remark, style) +
             Paragraph("No rank was late by more than that.", style, 2);
    });
  }
  for (size_t i = 0; i < std::min(all.rows.size(), kExplained); ++i) {
    std::vector<Activity> activities = all.rows[i].meanwhile;
    if (activities.size() > kActivities) activities.resize(kActivities);
    const std::string title = fmt::format("what {} did meanwhile", labels[all.rows[i].file]);
    document.AddTable("", ActivityTable(title), std::move(activities),
                      {.title = title, .every_row = true, .headed = false});
  }
}

Document Build(const ViewInput& input) {
  const std::shared_ptr<const DistributedReport> report = input.facts.Distributed();
  std::vector<CollectiveRow> collectives = report->collectives;
  const std::vector<std::string> labels = FileLabels(input.profile);
  if (input.sort_field) SortRows(collectives, CollectiveTable(), *input.sort_field);

  Document document("Distributed", [report, &profile = input.profile](const OutputStyle& style) {
    return DistributedSentence(*report, profile, style);
  });
  if (report->collectives.empty()) document.SetEmpty();
  document.SetLabels(labels);
  TableSpec<RankRow> ranks = IfMatched(RankTable(), report->ranks);
  if (report->ranks.size() < 2) ranks.Hide({"clock"});
  document.AddTable(
      "ranks", ranks, report->ranks,
      {.title = "Ranks", .remark = "mean step of each", .whole = true, .every_row = true});
  document.AddJson("missing_ranks", [report](RowRange, JsonWriter& json) {
    json.BeginArray();
    for (const int64_t rank : report->missing_ranks) json.Int(rank);
    json.EndArray();
  });
  document.AddField("missing_rank_count", report->missing_rank_count);
  const TableSpec<RankStep> steps = IfMatched(StepTable(), report->steps);
  if (report->ranks.size() > 1 || report->steps.size() > 1) {
    document.AddTable("", steps, StepsForPeople(report->steps),
                      {.title = "Steps", .remark = "of each rank", .usual_rows = 12});
  }
  document.AddTable("steps", steps, report->steps);
  const TableSpec<CollectiveRow> collective_table = IfMatched(CollectiveTable(), collectives);
  document.AddTable(
      "collectives", collective_table, std::move(collectives),
      {.title = "Collectives",
       .remark = input.sort_field ? fmt::format("by {}", *input.sort_field) : "by total time",
       .main = true});
  document.AddTable("matches", MatchTable(), report->matches,
                    {.title = "Matched collectives", .terminal = false});
  AddStragglers(report->stragglers, labels, document);
  document.AddText([report](std::optional<int64_t>, const OutputStyle& style) {
    return DistributedNotes(*report, style);
  });
  return document;
}

}  // namespace

ViewSpec DescribeDistributed() {
  ViewSpec spec;
  spec.name = "distributed";
  spec.needs = {.part = "communication",
                .words = "Needs the traces of several ranks, in one folder.",
                // With or without communication.
                .instead = [](const ViewInput& input) { return input.traces.size() > 1; }};
  spec.help = "ranks: computation, communication and waiting, collectives, stragglers";
  spec.sort_fields = CollectiveTable().keys();
  spec.build = Build;
  spec.tables = [] {
    return std::vector{ForPage("RANKS", "RankRow", RankTable()),
                       ForPage("", "RankStepRow", StepTable()),
                       ForPage("COLLECTIVES", "CollectiveRow", CollectiveTable()),
                       ForPage("", "MatchMember", MemberTable()),
                       ForPage("MATCHES", "MatchRow", MatchTable()),
                       ForPage("ACTIVITIES", "ActivityRow", ActivityTable("what it did")),
                       ForPage("", "StragglerRow", StragglerTable())};
  };
  return spec;
}

}  // namespace telltale
