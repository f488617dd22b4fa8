// SPDX-License-Identifier: Apache-2.0
#include "views/validate/text.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "views/diagnostics/diagnostics.h"
#include "views/render/colors.h"
#include "views/render/display.h"
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
  const std::string_view what = HasTraces(findings) ? "event" : "function";
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
  std::string out;
  for (const std::string& line : Wrap(Verdict(findings, style.unicode), style.width)) {
    out += Paint(Ink::kBold, line, style) + "\n";
  }
  if (!findings.diagnostics.empty())
    out += "\n" + DiagnosticsText(findings, findings.diagnostics, style);
  return out;
}

}  // namespace telltale
