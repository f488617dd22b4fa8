// SPDX-License-Identifier: Apache-2.0
#include "views/profile_json.h"

#include "base/json_writer.h"
#include "health/cause_words.h"
#include "views/answer.h"
#include "views/diagnostics/diagnostics.h"
#include "views/recommendations/recommendations.h"
#include "views/render/document.h"
#include "views/render/table_json.h"
#include "views/words.h"

namespace telltale {

namespace {

// `sorted`: by the view.
void WriteDiagnostics(const Profile& profile, RowRange range, const Document* sorted,
                      JsonWriter& json) {
  json.Key("diagnostics");
  if (sorted != nullptr) return WriteDocumentJson(*sorted, range, json);
  WriteTableJson(RowTable<FileDiagnostic>(DiagnosticTable(),
                                          std::span<const FileDiagnostic>(profile.diagnostics)),
                 range, json);
}

void WriteFindings(const std::vector<Recommendation>& rows, JsonWriter& json) {
  json.Key("recommendations");
  WriteTableJson(
      RowTable<Recommendation>(RecommendationTable(), std::span<const Recommendation>(rows)), {},
      json);
}

void WriteAnswer(const Profile& profile, JsonWriter& json) {
  const std::vector<std::string> labels = FileLabels(profile);
  json.Key("answer");
  json.BeginObject();
  json.Field("text", Answer(profile));
  json.Key("causes");
  json.BeginArray();
  for (const Cause& cause : profile.causes.causes) {
    json.BeginObject();
    json.Field("rule", RuleOf(cause.kind));
    json.Field("what", health::WhatOf(cause, labels));
    json.Field("saving_ns", cause.saving_ns);
    json.Field("step_share", cause.share);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

void WriteProfileJson(const Profile& profile, const BuiltViews& built, RowRange rows,
                      JsonWriter& json) {
  const ViewSpec* const named = built.named;
  json.Field("telltale", kVersion);
  json.Field("schema", kProfileSchema);
  WriteFiles(profile, json);
  const Document* const diagnostics = built.Find("diagnostics");
  WriteDiagnostics(profile, diagnostics != nullptr ? rows : RowRange(), diagnostics, json);
  if (named != nullptr && named->scope == ViewScope::kFurther) WriteFindings(built.findings, json);
  for (const BuiltView& view : built.views) {
    if (&view.document == diagnostics) continue;
    if (named == nullptr && view.spec->name == "recommendations" && HasTraces(profile)) {
      WriteAnswer(profile, json);
    }
    // A limit on the whole document is about its long tables.
    const bool limited = named != nullptr || view.spec->long_table || !HasTraces(profile);
    json.Key(view.spec->name);
    WriteDocumentJson(view.document, limited ? rows : RowRange(), json);
  }
  if (named != nullptr && named->build == nullptr) {
    json.Key(named->name);
    json.BeginArray();
    json.EndArray();
  }
}

std::string ProfileJson(const Profile& profile, const BuiltViews& built, RowRange rows) {
  JsonWriter json;
  json.BeginObject();
  WriteProfileJson(profile, built, rows, json);
  json.EndObject();
  return json.Take();
}

std::vector<std::pair<std::string_view, size_t>> RowCounts(const Profile& profile,
                                                           const BuiltViews& built) {
  std::vector<std::pair<std::string_view, size_t>> counts;
  counts.emplace_back("diagnostics", profile.diagnostics.size());
  for (const BuiltView& view : built.views) {
    if (view.spec->name != "diagnostics")
      counts.emplace_back(view.spec->name, view.document.rows());
  }
  return counts;
}

std::string_view JsonTailOfEvents() { return "]\n}\n"; }

}  // namespace telltale
