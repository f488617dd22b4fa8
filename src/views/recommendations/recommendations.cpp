// SPDX-License-Identifier: Apache-2.0
// The view `recommendations`: what to try, with the evidence and each rule's threshold.
#include "views/recommendations/recommendations.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "health/advise.h"
#include "views/render/document.h"
#include "views/render/findings.h"
#include "views/view_list.h"
#include "views/words.h"

namespace telltale {

namespace {

using enum Quantity;

void WriteEvidence(const Recommendation& row, JsonWriter& json) {
  json.BeginObject();
  for (const auto& [name, value] : row.evidence) {
    std::visit([&, key = std::string_view(name)](const auto& v) { json.Field(key, v); }, value);
  }
  json.EndObject();
}

std::string Sentence(const std::vector<Recommendation>& rows) {
  if (rows.empty()) return "No rule found anything wrong with this run.";
  return fmt::format("{} to try. First: {}", Plural(rows.size(), "thing"), rows.front().text);
}

Document Build(const ViewInput& input) {
  // The overview shows what the rules about single ranks say; whole documents and this view all.
  const bool all = input.is_view || input.whole_document;
  std::vector<Recommendation> rows =
      all ? health::AdviseView(input.facts, input.profile.recommendations, "")
          : input.profile.recommendations;
  const TableSpec<Recommendation> spec = RecommendationTable();
  if (input.sort_field) SortRows(rows, spec, *input.sort_field);
  Document document("What to try", [rows](const OutputStyle&) { return Sentence(rows); });
  document.SetBare();
  document.HideSentence();  // the list begins with what it says
  if (rows.empty()) document.SetEmpty();
  document.AddText([rows, evidence = input.is_view](std::optional<int64_t> limit,
                                                    const OutputStyle& style) {
    const size_t shown = evidence ? Limited(rows.size(), limit.value_or(0)) : rows.size();
    return Heading("What to try", "", style) + FindingsText({rows.data(), shown}, evidence, style);
  });
  document.AddTable("rows", spec, std::move(rows), {.main = true});
  return document;
}

}  // namespace

TableSpec<Recommendation> RecommendationTable() {
  using R = Recommendation;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.rule); };
  ColumnSpec<R> evidence = Field<R>("evidence", kJson, [](const R& row) -> FieldValue {
    JsonWriter json(false);
    WriteEvidence(row, json);
    std::string text = json.Take();
    text.pop_back();  // the newline
    return text;
  });
  evidence.json = WriteEvidence;
  ColumnSpec<R> views = Field<R>("views", kText, [](const R& row) -> FieldValue {
    return fmt::format("{}", fmt::join(row.views, " "));
  });
  views.json = [](const R& row, JsonWriter& json) {
    json.BeginArray();
    for (const std::string_view view : row.views) json.String(view);
    json.EndArray();
  };
  // The event of the example: in JSON an object, elsewhere as the page's addresses have it.
  ColumnSpec<R> example = Field<R>("example", kText, [](const R& row) -> FieldValue {
    if (!row.example_row) return std::monostate();
    return fmt::format("{}:{}", row.example_file, *row.example_row);
  });
  example.json = [](const R& row, JsonWriter& json) {
    if (!row.example_row) return json.Null();
    json.BeginObject();
    json.Field("file", row.example_file);
    json.Field("row", *row.example_row);
    json.EndObject();
  };
  spec.columns = {
      Field("rule", kText, Get<&R::rule>),
      Field("severity", kText, Get<&R::severity>),
      Field<R>("what", kText,
               [](const R& row) -> FieldValue {
                 return row.what.empty() ? FieldValue() : FieldValue(std::string_view(row.what));
               }),
      Field("saving_ns", kDuration, Get<&R::saving_ns>),
      Field("text", kProse, Get<&R::text>),
      std::move(evidence),
      Field("remedy", kProse, Get<&R::remedy>),
      Field("threshold", kProse, Get<&R::threshold>),
      Field("title", kText, Get<&R::title>),
      std::move(views),
      std::move(example),
  };
  return spec;
}

ViewSpec DescribeRecommendations() {
  ViewSpec spec;
  spec.name = "recommendations";
  spec.help = "what to try, with the evidence and each rule's threshold";
  spec.scope = ViewScope::kBasic;
  spec.sort_fields = RecommendationTable().keys();
  spec.build = Build;
  spec.applies = [](const ViewInput& input) {
    return input.whole_document || HasTraces(input.profile);
  };
  return spec;
}

}  // namespace telltale
