// SPDX-License-Identifier: Apache-2.0
#include "views/validate/validate.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/validate/validate.h"
#include "base/json_writer.h"
#include "views/diagnostics/diagnostics.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table_json.h"
#include "views/render/units.h"

namespace telltale {

namespace {

size_t CountOf(const Profile& findings, Severity severity) {
  return static_cast<size_t>(
      std::count_if(findings.diagnostics.begin(), findings.diagnostics.end(),
                    [&](const FileDiagnostic& d) { return d.severity == severity; }));
}

std::string Number(size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

Profile ValidateSubject(const Subject& subject) {
  Profile findings;
  for (const auto& artifact : subject.artifacts()) {
    const ArtifactId id{static_cast<uint32_t>(findings.files.size())};
    findings.files.push_back(FactsAbout(*artifact));
    const Trace* const trace = artifact->As<Trace>();
    if (trace == nullptr) {
      AppendDiagnostics(artifact->diagnostics(), {}, id, findings.diagnostics);
      continue;
    }
    for (Finding& finding : ValidateTrace(*trace)) {
      findings.diagnostics.push_back({finding.severity, std::move(finding.kind), finding.count,
                                      finding.first_offset, std::move(finding.message), id});
    }
  }
  for (const Error& failure : subject.failures) findings.diagnostics.push_back(Unreadable(failure));
  std::ranges::stable_sort(
      findings.diagnostics,
      [](const FileDiagnostic& a, const FileDiagnostic& b) { return a.severity > b.severity; });
  return findings;
}

bool HasError(const Profile& findings) { return CountOf(findings, Severity::kError) > 0; }

std::string Verdict(const Profile& findings, bool unicode) {
  uint64_t events = 0;
  for (const FileFacts& file : findings.files) {
    const bool counts = file.kind == ContentKind::kTrace || !HasTraces(findings);
    if (counts) events += file.source.events;
  }
  const std::string subject =
      findings.files.size() == 1
          ? Printable(findings.files[0].source.path == "-" ? "standard input"
                                                           : findings.files[0].source.path,
                      unicode)
          : fmt::format("{} files", findings.files.size());
  const bool only_series = std::ranges::all_of(
      findings.files, [](const FileFacts& file) { return file.kind == ContentKind::kSeries; });
  const std::string_view what = HasTraces(findings) ? "event" : only_series ? "record" : "function";
  const std::string counted = fmt::format("{} {}{}", FormatCount(static_cast<int64_t>(events)),
                                          what, events == 1 ? "" : "s");
  const size_t errors = CountOf(findings, Severity::kError);
  const size_t losses = CountOf(findings, Severity::kLoss);
  const size_t notes = CountOf(findings, Severity::kInfo);
  if (errors + losses + notes == 0)
    return fmt::format("{}: nothing wrong in {}.", subject, counted);
  if (errors + losses == 0) {
    return fmt::format("{}: fine, {} read, {} worth knowing.", subject, counted,
                       notes == 1 ? "1 thing" : fmt::format("{} things", notes));
  }
  if (errors == 0) {
    return fmt::format("{}: usable, {} read, but {} of loss: the numbers lack something.", subject,
                       counted, Number(losses, "kind"));
  }
  std::string out =
      fmt::format("{}: not sound, {} read, {}", subject, counted, Number(errors, "kind"));
  out += errors == 1 ? " of error" : " of errors";
  if (losses > 0) out += fmt::format(" and {} of loss", Number(losses, "kind"));
  return out + ".";
}

std::string ValidateText(const Profile& findings, const OutputStyle& style) {
  std::string out = Paragraph(Verdict(findings, style.unicode), style, 0, Ink::kBold);
  if (!findings.diagnostics.empty())
    out += "\n" + DiagnosticsText(findings, findings.diagnostics, style);
  return out;
}

std::string ValidateJson(const Profile& findings) {
  JsonWriter json;
  json.BeginObject();
  json.Field("schema", kValidateSchema);
  json.Field("ok", !HasError(findings));
  WriteFiles(findings, json);
  json.Key("findings");
  WriteTableJson(RowTable<FileDiagnostic>(DiagnosticTable(),
                                          std::span<const FileDiagnostic>(findings.diagnostics)),
                 {}, json);
  json.EndObject();
  return json.Take();
}

}  // namespace telltale
