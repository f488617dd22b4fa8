// SPDX-License-Identifier: Apache-2.0
#include "views/profile_json.h"

#include <algorithm>

#include "analysis/core/typical_step.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "views/fields.h"
#include "views/render/display.h"
#include "views/rows.h"
#include "views/section.h"

namespace telltale {

namespace {

std::optional<int64_t> Known(int64_t value) {
  return value == kNoInt ? std::nullopt : std::optional<int64_t>(value);
}

void WriteFiles(const std::vector<FileFacts>& files, JsonWriter& json) {
  json.Key("files");
  json.BeginArray();
  for (const FileFacts& file : files) {
    const ProfileSource& source = file.source;
    json.BeginObject();
    // A path is bytes; JSON is UTF-8.
    json.Field("path", RepairUtf8(source.path));
    json.Field("format", source.format);
    json.Field("compression", source.compression);
    json.Field("bytes", source.bytes);
    json.Field("decoded_bytes", source.decoded_bytes);
    json.Field("events", source.events);
    json.Field("worker", source.worker.empty()
                             ? std::nullopt
                             : std::optional<std::string>(RepairUtf8(source.worker)));
    json.Field("rank", Known(source.rank));
    json.Field("span", Known(source.span));
    json.Field("start_ns", file.start_ns);
    json.Field("end_ns", file.end_ns);
    json.EndObject();
  }
  json.EndArray();
}

// `known` false: every value is null.
void WriteCategories(const StepTimes& times, bool known, JsonWriter& json) {
  json.Key("categories");
  json.BeginObject();
  for (size_t c = 0; c < kStepCategoryCount; ++c) {
    const std::string_view name = NameOf(static_cast<StepCategory>(c));
    if (known) {
      json.Field(name, times[c]);
    } else {
      json.FieldNull(name);
    }
  }
  json.EndObject();
}

void WriteSteps(const StepReport& steps, RowRange range, JsonWriter& json) {
  const bool any_complete = std::any_of(steps.rows.begin(), steps.rows.end(),
                                        [](const StepRow& row) { return row.complete; });
  const StepRow* typical = TypicalStep(steps);
  json.Key("steps");
  json.BeginObject();
  json.Field("source", NameOf(steps.source));
  json.Field("average_ns", any_complete ? std::optional<int64_t>(steps.average_ns) : std::nullopt);
  json.Field("typical",
             typical == nullptr ? std::nullopt : std::optional(typical - steps.rows.data()));
  WriteCategories(steps.average, any_complete, json);
  json.Key("rows");
  json.BeginArray();
  const size_t end = range.End(steps.rows.size());
  for (size_t i = range.First(steps.rows.size()); i < end; ++i) {
    const StepRow& row = steps.rows[i];
    json.BeginObject();
    json.Field("name", row.name);
    json.Field("start_ns", row.start_ns);
    json.Field("duration_ns", row.duration_ns);
    json.Field("complete", row.complete);
    WriteCategories(row.categories, true, json);
    json.Field("device_events", row.device_events);
    json.Field("file", row.file);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

void WriteRecommendations(const std::vector<Recommendation>& rows, RowRange range,
                          JsonWriter& json) {
  json.Key("recommendations");
  json.BeginArray();
  const size_t end = range.End(rows.size());
  for (size_t i = range.First(rows.size()); i < end; ++i) {
    json.BeginObject();
    json.Field("rule", rows[i].rule);
    json.Field("severity", NameOf(rows[i].severity));
    json.Field("text", rows[i].text);
    json.Key("evidence");
    WriteEvidence(rows[i], json);
    json.Field("remedy", rows[i].remedy);
    json.Field("threshold", rows[i].threshold);
    json.Field("title", rows[i].title);
    json.Key("views");
    json.BeginArray();
    for (const std::string_view view : rows[i].views) json.String(view);
    json.EndArray();
    json.Key("example");
    if (rows[i].example_row) {
      json.BeginObject();
      json.Field("file", rows[i].example_file);
      json.Field("row", *rows[i].example_row);
      json.EndObject();
    } else {
      json.Null();
    }
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

void WriteProfileJson(const Profile& profile, const JsonRequest& request, JsonWriter& json) {
  const ProfileReport& report = profile.report;
  const bool all = request.view == View::kOverview;
  const auto has = [&](View view) { return HasTraces(profile) && (all || request.view == view); };
  // A limit on the whole document is about its long tables.
  const RowRange short_tables = all ? RowRange() : request.rows;

  json.Field("telltale", kVersion);
  json.Field("schema", kSchema);
  WriteFiles(profile.files, json);
  WriteJsonRows("diagnostics", profile.diagnostics, DiagnosticFields(),
                request.view == View::kDiagnostics ? request.rows : RowRange(), json);
  if (has(View::kDevices)) {
    WriteJsonRows("devices", report.devices, DeviceFields(), short_tables, json);
  }
  if (has(View::kSteps)) WriteSteps(report.steps, short_tables, json);
  if (has(View::kOperators)) {
    WriteJsonRows("operators", report.operators, OperatorFields(), request.rows, json);
  }
  if (has(View::kKernels)) {
    WriteJsonRows("kernels", report.kernels, KernelFields(profile.kernel_grouping), request.rows,
                  json);
  }
  if (has(View::kCopies)) WriteJsonRows("copies", report.copies, CopyFields(), request.rows, json);
  if (has(View::kRecommendations) || request.view == View::kSection || all) {
    WriteRecommendations(profile.recommendations,
                         request.view == View::kSection ? RowRange() : short_tables, json);
  }
  for (const auto& [name, section] : profile.sections) {
    json.Key(name);
    section->WriteJson(HasTraces(profile) ? short_tables : request.rows, json);
  }
  if (request.view == View::kEvents) {
    json.Key("events");
    json.BeginArray();
    json.EndArray();
  }
}

std::string ProfileJson(const Profile& profile, const JsonRequest& request) {
  JsonWriter json;
  json.BeginObject();
  WriteProfileJson(profile, request, json);
  json.EndObject();
  return json.Take();
}

std::vector<std::pair<std::string_view, size_t>> RowCounts(const Profile& profile, View view) {
  const ProfileReport& report = profile.report;
  std::vector<std::pair<std::string_view, size_t>> counts;
  const auto add = [&](View table, size_t rows) {
    if (HasTraces(profile) && (view == View::kOverview || view == table)) {
      counts.emplace_back(NameOf(table), rows);
    }
  };
  counts.emplace_back(NameOf(View::kDiagnostics), profile.diagnostics.size());
  add(View::kDevices, report.devices.size());
  add(View::kSteps, report.steps.rows.size());
  add(View::kOperators, report.operators.size());
  add(View::kKernels, report.kernels.size());
  add(View::kCopies, report.copies.size());
  add(View::kRecommendations, profile.recommendations.size());
  for (const auto& [name, section] : profile.sections) counts.emplace_back(name, section->rows());
  return counts;
}

std::string_view JsonTailOfEvents() { return "]\n}\n"; }

std::string ValidateJson(const Profile& findings) {
  JsonWriter json;
  json.BeginObject();
  json.Field("schema", kSchema);
  json.Field("ok", !HasError(findings.diagnostics));
  WriteFiles(findings.files, json);
  WriteJsonRows("findings", findings.diagnostics, DiagnosticFields(), 0, json);
  json.EndObject();
  return json.Take();
}

bool HasError(const std::vector<FileDiagnostic>& findings) {
  return std::any_of(findings.begin(), findings.end(),
                     [](const FileDiagnostic& f) { return f.severity == Severity::kError; });
}

}  // namespace telltale
