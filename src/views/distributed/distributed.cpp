// SPDX-License-Identifier: Apache-2.0
// The view `distributed`: ranks, their steps, collectives and stragglers. The tables for people are
// in distributed_text.cpp.
#include "analysis/distributed/distributed.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "views/distributed/text.h"
#include "views/lane_parts.h"
#include "views/rows.h"
#include "views/sections.h"

namespace telltale {

inline std::string_view SortName(const CollectiveRow& row) { return row.name; }

namespace {

const RowFields<RankRow>& RankFields() {
  static const RowFields<RankRow> fields = {
      {"file", [](const RankRow& r) -> FieldValue { return uint64_t{r.file}; }},
      {"rank", [](const RankRow& r) { return OrMissing(r.rank); }},
      {"world_size", [](const RankRow& r) { return OrMissing(r.world_size); }},
      {"backend",
       [](const RankRow& r) -> FieldValue {
         return r.backend.empty() ? FieldValue() : FieldValue(std::string_view(r.backend));
       }},
      {"clock", [](const RankRow& r) -> FieldValue { return NameOf(r.clock.source); }},
      {"clock_offset_ns", [](const RankRow& r) -> FieldValue { return r.clock.offset_ns; }},
      {"clock_error_ns", [](const RankRow& r) { return OrMissing(r.clock.error_ns); }},
      {"clock_collectives", [](const RankRow& r) -> FieldValue { return r.clock.collectives; }},
      {"clock_contradicted", [](const RankRow& r) -> FieldValue { return r.clock.contradicted; }},
      {"collectives", [](const RankRow& r) -> FieldValue { return r.collectives; }},
      {"matched", [](const RankRow& r) -> FieldValue { return r.matched; }},
      {"unmatched", [](const RankRow& r) -> FieldValue { return r.unmatched; }},
      {"alone", [](const RankRow& r) -> FieldValue { return r.alone; }},
      {"steps", [](const RankRow& r) -> FieldValue { return r.steps; }},
      {"average_ns", [](const RankRow& r) -> FieldValue { return r.average.duration_ns; }},
      {"computation_ns", [](const RankRow& r) -> FieldValue { return r.average.computation_ns; }},
      {"overlap_ns", [](const RankRow& r) -> FieldValue { return r.average.overlap_ns; }},
      {"communication_ns",
       [](const RankRow& r) -> FieldValue { return r.average.communication_ns; }},
      {"other_ns", [](const RankRow& r) -> FieldValue { return r.average.other_ns; }},
      {"transfer_ns", [](const RankRow& r) { return OrMissing(r.average.transfer_ns); }},
      {"waiting_ns", [](const RankRow& r) { return OrMissing(r.average.waiting_ns); }},
  };
  return fields;
}

const RowFields<RankStep>& StepFieldsOfRanks() {
  static const RowFields<RankStep> fields = {
      {"file", [](const RankStep& s) -> FieldValue { return uint64_t{s.file}; }},
      {"name", [](const RankStep& s) -> FieldValue { return std::string_view(s.name); }},
      {"start_ns", [](const RankStep& s) -> FieldValue { return s.start_ns; }},
      {"duration_ns", [](const RankStep& s) -> FieldValue { return s.times.duration_ns; }},
      {"complete", [](const RankStep& s) -> FieldValue { return s.complete; }},
      {"computation_ns", [](const RankStep& s) -> FieldValue { return s.times.computation_ns; }},
      {"overlap_ns", [](const RankStep& s) -> FieldValue { return s.times.overlap_ns; }},
      {"communication_ns",
       [](const RankStep& s) -> FieldValue { return s.times.communication_ns; }},
      {"other_ns", [](const RankStep& s) -> FieldValue { return s.times.other_ns; }},
      {"transfer_ns", [](const RankStep& s) { return OrMissing(s.times.transfer_ns); }},
      {"waiting_ns", [](const RankStep& s) { return OrMissing(s.times.waiting_ns); }},
  };
  return fields;
}

const RowFields<CollectiveRow>& CollectiveFields() {
  using Row = CollectiveRow;
  static const RowFields<Row> fields = {
      {"name", [](const Row& r) -> FieldValue { return std::string_view(r.name); }},
      {"group", [](const Row& r) { return OrMissing(r.group); }},
      {"group_size", [](const Row& r) { return OrMissing(r.group_size); }},
      {"dtype", [](const Row& r) { return OrMissing(r.dtype); }},
      {"calls", [](const Row& r) -> FieldValue { return r.calls; }},
      {"total_bytes", [](const Row& r) { return OrMissing(r.bytes); }},
      {"min_bytes", [](const Row& r) { return OrMissing(r.bytes_min); }},
      {"max_bytes", [](const Row& r) { return OrMissing(r.bytes_max); }},
      {"total_ns", [](const Row& r) { return OrMissing(r.total_ns); }},
      {"mean_ns", [](const Row& r) { return OrMissing(r.mean_ns); }},
      {"min_ns", [](const Row& r) { return OrMissing(r.min_ns); }},
      {"max_ns", [](const Row& r) { return OrMissing(r.max_ns); }},
      {"matched", [](const Row& r) -> FieldValue { return r.matched; }},
      {"transfer_ns", [](const Row& r) { return OrMissing(r.transfer_ns); }},
      {"waiting_ns", [](const Row& r) { return OrMissing(r.waiting_ns); }},
      {"algorithm_bandwidth_gb_per_s",
       [](const Row& r) { return OrMissing(r.algorithm_bandwidth_gb_per_s); }},
      {"bus_bandwidth_gb_per_s", [](const Row& r) { return OrMissing(r.bus_bandwidth_gb_per_s); }},
  };
  return fields;
}

void WriteMatch(const MatchRow& match, JsonWriter& json) {
  json.BeginObject();
  json.Field("name", match.name);
  json.Field("group", match.group);
  json.Field("sequence", match.sequence);
  json.Field("dtype", match.dtype);
  json.Field("bytes", match.bytes);
  if (match.step.empty()) {
    json.FieldNull("step");
  } else {
    json.Field("step", match.step);
  }
  json.Field("start_ns", match.start_ns);
  json.Field("start_skew_ns", match.start_skew_ns);
  json.Field("transfer_ns", match.transfer_ns);
  json.Field("algorithm_bandwidth_gb_per_s", match.algorithm_bandwidth_gb_per_s);
  json.Field("bus_bandwidth_gb_per_s", match.bus_bandwidth_gb_per_s);
  json.Field("last_file", match.last_file);
  json.Key("members");
  json.BeginArray();
  for (const MatchMember& member : match.members) {
    json.BeginObject();
    json.Field("file", member.file);
    json.Field("row", member.span);
    json.Field("start_ns", member.start_ns);
    json.Field("duration_ns", member.duration_ns);
    json.Field("waiting_ns", member.waiting_ns);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteStraggler(const StragglerRow& row, const Stragglers& all, JsonWriter& json) {
  const auto share = [](uint64_t part, uint64_t whole) {
    return whole == 0 ? std::nullopt
                      : std::optional(static_cast<double>(part) / static_cast<double>(whole));
  };
  json.BeginObject();
  json.Field("file", row.file);
  json.Field("last", row.last);
  json.Field("last_share", share(row.last, all.decided + all.undecided));
  json.Field("steps_last", row.steps_last);
  json.Field("steps_last_share", share(row.steps_last, all.steps));
  json.Field("others_waited_ns", row.waited_ns);
  json.Key("meanwhile");
  json.BeginArray();
  for (const Activity& activity : row.meanwhile) {
    json.BeginObject();
    json.Field("name", activity.name);
    json.Field("kind", NameOf(activity.kind));
    json.Field("time_ns", activity.time_ns);
    json.Field("others_ns", activity.others_ns);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

class DistributedView final : public Section {
 public:
  explicit DistributedView(const SectionInput& input)
      : labels_(LabelsOf(input)),
        sort_field_(input.sort_field),
        report_(*input.facts.Distributed()) {
    if (sort_field_) SortRows(report_.collectives, CollectiveFields(), *sort_field_);
  }

  void WriteJson(RowRange range, JsonWriter& json) const override {
    json.BeginObject();
    WriteJsonRows("ranks", report_.ranks, RankFields(), 0, json);
    json.Key("missing_ranks");
    json.BeginArray();
    for (const int64_t rank : report_.missing_ranks) json.Int(rank);
    json.EndArray();
    json.Field("missing_rank_count", report_.missing_rank_count);
    WriteJsonRows("steps", report_.steps, StepFieldsOfRanks(), range.limit, json);
    WriteJsonRows("collectives", report_.collectives, CollectiveFields(), range, json);
    json.Key("matches");
    json.BeginArray();
    const size_t count = Limited(report_.matches.size(), range.limit);
    for (size_t i = 0; i < count; ++i) WriteMatch(report_.matches[i], json);
    json.EndArray();
    json.Key("stragglers");
    json.BeginObject();
    json.Field("decided", report_.stragglers.decided);
    json.Field("undecided", report_.stragglers.undecided);
    json.Field("steps", report_.stragglers.steps);
    json.Key("rows");
    json.BeginArray();
    for (const StragglerRow& row : report_.stragglers.rows)
      WriteStraggler(row, report_.stragglers, json);
    json.EndArray();
    json.EndObject();
    json.EndObject();
  }

  void WriteCsv(int64_t limit, Output& output) const override {
    WriteCsvRows(report_.collectives, CollectiveFields(), limit, output);
  }

  [[nodiscard]] size_t rows() const override { return report_.collectives.size(); }
  [[nodiscard]] std::string Answer(const OutputStyle& style) const override {
    return DistributedAnswer(report_, labels_, style);
  }
  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override {
    return DistributedText(report_, labels_, sort_field_, limit, style);
  }

 private:
  std::vector<std::string> labels_;
  std::optional<std::string> sort_field_;
  DistributedReport report_;
};

}  // namespace

SectionSpec DistributedSection() {
  SectionSpec spec;
  spec.name = "distributed";
  spec.help = "ranks: computation, communication and waiting, collectives, stragglers";
  spec.sort_fields = FieldNames(CollectiveFields());
  spec.make = [](const SectionInput& input) -> std::unique_ptr<Section> {
    return std::make_unique<DistributedView>(input);
  };
  return spec;
}

}  // namespace telltale
