// SPDX-License-Identifier: Apache-2.0
// The view `causes`: from today's step to the best reachable one, cause by cause.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/causes/causes.h"
#include "health/cause_words.h"
#include "views/answer.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"
#include "views/words.h"

namespace telltale {

namespace {

using enum Quantity;

// A cause with its words.
struct CauseRow : Cause {
  std::string_view rule;
  std::string named;  // the field `what`
};

TableSpec<CauseRow> CauseTable() {
  using R = CauseRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.named); };
  spec.columns = {
      Field("rule", kText, Get<R, &R::rule>, {.title = "kind", .importance = 75}),
      Field("what", kName, Get<R, &R::named>,
            {.title = "without", .importance = kAlways, .least_width = 24}),
      Field("saving_ns", kDuration, Get<R, &R::saving_ns>,
            {.title = "saves", .importance = kAlways})
          .NoSum()
          .WithHelp("How much shorter an average step would be, by a replay of what waited for "
                    "what; savings do not add up"),
      Field("step_share", kShare, Get<R, &R::share>, {.title = "share", .importance = 90}).NoSum(),
      BarOf<R>("bar", "saving_ns", {.importance = 50, .ink = Ink::kDim}),
      Field("left_ns", kDuration, Get<R, &R::left_ns>, {.title = "step then", .importance = 95})
          .NoSum()
          .OnPage("Left")
          .WithHelp("An average step with this cause and all above it gone"),
      Field("path_ns", kDuration, Get<R, &R::path_ns>, {.title = "on the path", .importance = 40})
          .NoSum()
          .WithHelp("Its time on the critical path of an average step"),
      Field("calls", kCount, Get<R, &R::calls>, {.title = "calls", .importance = 60}),
      Field("least_saving_ns", kDuration, Get<R, &R::least_saving_ns>).NoSum(),
      Field("most_saving_ns", kDuration, Get<R, &R::most_saving_ns>).NoSum(),
      Field<R>("inside", kName,
               [](const R& row) {
                 return row.inside.empty() ? FieldValue()
                                           : FieldValue(std::string_view(row.inside));
               },
               {.title = "in", .importance = 55}),
      Field<R>("called_from", kName,
               [](const R& row) {
                 return row.called_from.empty() ? FieldValue()
                                                : FieldValue(std::string_view(row.called_from));
               },
               {.title = "from", .importance = 54}),
      Field("file", kFile, Get<R, &R::example_file>),
      Field("start_ns", kMoment, Get<R, &R::example_start_ns>)
          .WithHelp("Where the longest of it begins"),
      Field("duration_ns", kDuration, Get<R, &R::example_duration_ns>).NoSum(),
      Field("event", kId, Get<R, &R::example_row>),
  };
  return spec;
}

std::vector<CauseRow> RowsOf(const Profile& profile) {
  std::vector<CauseRow> rows;
  const std::vector<std::string> labels = FileLabels(profile);
  for (const Cause& cause : profile.causes.causes) {
    CauseRow row;
    static_cast<Cause&>(row) = cause;
    row.rule = RuleOf(cause.kind);
    row.named = health::WhatOf(cause, labels);
    rows.push_back(std::move(row));
  }
  return rows;
}

Document Build(const ViewInput& input) {
  const Profile& profile = input.profile;
  const CausesReport& report = profile.causes;
  const TableSpec<CauseRow> spec = CauseTable();
  std::vector<CauseRow> rows = RowsOf(profile);
  if (input.sort_field) SortRows(rows, spec, *input.sort_field);
  Document document(
      "Causes", [&profile](const OutputStyle& style) { return Answer(profile, style.unicode); });
  if (rows.empty()) document.SetEmpty();
  document.AddField("region", NameOf(report.kind));
  document.AddField("regions", report.regions);
  document.AddField("joined_ranks", report.joined);
  document.AddField("average_ns", report.average_ns);
  document.AddField("work_ns", report.work_ns);
  document.AddTable("rows", spec, std::move(rows), {.title = "Causes", .main = true});
  return document;
}

}  // namespace

ViewSpec DescribeCauses() {
  ViewSpec spec;
  spec.name = "causes";
  spec.help = "what a step would be shorter without, and by how much";
  spec.sort_fields = CauseTable().keys();
  spec.build = Build;
  spec.tables = [] { return std::vector{ForPage("CAUSES", "CauseRow", CauseTable())}; };
  return spec;
}

}  // namespace telltale
