// SPDX-License-Identifier: Apache-2.0
// The view `diagnostics`: what could not be used, and what the capture lacks.
#include "views/diagnostics/diagnostics.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "views/capture_gaps.h"
#include "views/render/document.h"
#include "views/render/table_json.h"
#include "views/render/table_text.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"
#include "views/words.h"

namespace telltale {

namespace {

using enum Quantity;

std::string PlaceOf(const FileDiagnostic& row, const OutputStyle& style) {
  return row.first_offset
             ? fmt::format("byte {}", FormatCount(static_cast<int64_t>(*row.first_offset)))
             : Missing(style);
}

FieldValue Captured(int64_t value) { return value == kNoInt ? FieldValue() : FieldValue(value); }

std::string Sentence(const Profile& profile) {
  const std::string loss = SummaryOfDiagnostics(profile, Severity::kLoss);
  if (!loss.empty()) return fmt::format("Parts of the input could not be used: {}.", loss);
  const std::string all = SummaryOfDiagnostics(profile, Severity::kInfo);
  return all.empty() ? "Everything in it could be used."
                     : fmt::format("Everything in it could be used; to know: {}.", all);
}

Document Build(const ViewInput& input) {
  const Profile& profile = input.profile;
  std::vector<FileDiagnostic> rows = profile.diagnostics;
  if (input.sort_field) SortRows(rows, DiagnosticTable(), *input.sort_field);
  Document document("About this capture",
                    [&profile](const OutputStyle&) { return Sentence(profile); });
  document.SetBare();
  document.HideSentence();
  document.AddText([&profile, rows, sorted = input.sort_field.has_value()](
                       std::optional<int64_t> limit, const OutputStyle& style) {
    return CaptureText(profile, rows, {true, sorted, limit.value_or(0)}, style);
  });
  document.AddTable("rows", DiagnosticTable(), std::move(rows), {.main = true});
  return document;
}

}  // namespace

TableSpec<FileDiagnostic> DiagnosticTable() {
  using R = FileDiagnostic;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.kind); };
  ColumnSpec<R> severity =
      Field("severity", kText, Get<&R::severity>, {.title = "severity", .importance = kAlways});
  severity.ink = [](const R& row) { return InkOf(row.severity); };
  ColumnSpec<R> offset =
      Field("first_offset", kId, Get<&R::first_offset>, {.title = "first at", .importance = 50})
          .OnPage("First at byte")
          .WithHelp("of the decoded text");
  offset.text = PlaceOf;
  spec.columns = {
      std::move(severity),
      Field("kind", kText, Get<&R::kind>, {.title = "kind", .importance = kAlways}),
      Field("count", kCount, Get<&R::count>, {.title = "count", .importance = kAlways}),
      std::move(offset),
      Field("message", kProse, Get<&R::message>,
            {.title = "what it means", .importance = kAlways, .least_width = 30}),
      Field("file", kFile, Get<&R::file>,
            {.title = "file",
             .importance = 60,
             .least_width = 8,
             .presence = Presence::kSeveralFiles}),
  };
  spec.order = {"severity", "file", "kind", "count", "first_offset", "message"};
  return spec;
}

TableSpec<FileFacts> FileTable() {
  using R = FileFacts;
  using S = ProfileSource;
  TableSpec<R> spec;
  spec.columns = {
      // A path is bytes; JSON is UTF-8.
      Field<R>("path", kName,
               [](const R& row) -> FieldValue { return RepairUtf8(row.source.path); })
          .Known(),
      Field("format", kText, Get<&R::source, &S::format>),
      Field("compression", kText, Get<&R::source, &S::compression>),
      Field("bytes", kBytes, Get<&R::source, &S::bytes>),
      Field("decoded_bytes", kBytes, Get<&R::source, &S::decoded_bytes>),
      Field("events", kCount, Get<&R::source, &S::events>),
      Field<R>("worker", kName,
               [](const R& row) -> FieldValue {
                 return row.source.worker.empty() ? FieldValue() : RepairUtf8(row.source.worker);
               }),
      Field<R>("rank", kId, [](const R& row) { return Captured(row.source.rank); }),
      Field<R>("span", kId, [](const R& row) { return Captured(row.source.span); }),
      Field("start_ns", kMoment, Get<&R::start_ns>),
      Field("end_ns", kMoment, Get<&R::end_ns>),
  };
  return spec;
}

void WriteFiles(const Profile& profile, JsonWriter& json) {
  json.Key("files");
  WriteTableJson(RowTable<FileFacts>(FileTable(), std::span<const FileFacts>(profile.files)), {},
                 json);
}

namespace {

// Up to the last '/' that the paths of all series share: files of different runs may have the same
// name, and what is behind it tells them apart.
size_t SharedFolder(const Profile& profile) {
  std::optional<std::string_view> shared;
  for (const FileFacts& file : profile.files) {
    if (file.kind != ContentKind::kSeries) continue;
    const std::string_view path = file.source.path;
    if (!shared) shared = path.substr(0, path.find_last_of('/') + 1);
    const auto end = std::ranges::mismatch(*shared, path).in1;
    shared = shared->substr(0, static_cast<size_t>(end - shared->begin()));
    shared = shared->substr(0, shared->find_last_of('/') + 1);
  }
  return shared ? shared->size() : 0;
}

}  // namespace

std::string DiagnosticsText(const Profile& profile, std::vector<FileDiagnostic> rows,
                            const OutputStyle& style) {
  // Below this a column of sentences has three words a line.
  constexpr size_t kTableWidth = 90;
  std::vector<std::string> labels;
  const size_t shared = SharedFolder(profile);
  size_t series = 0;
  for (const FileFacts& file : profile.files) {
    const bool is_series = file.kind == ContentKind::kSeries;
    labels.push_back(is_series ? file.source.path.substr(shared) : LabelOf(file));
    if (is_series) ++series;
  }
  const bool several = TraceFiles(profile).size() + series > 1;
  if (style.width >= kTableWidth) {
    if (!several) labels.clear();
    return TableText(RowTable<FileDiagnostic>(DiagnosticTable(), std::move(rows)), {0, labels},
                     style);
  }
  std::string out;
  for (const FileDiagnostic& row : rows) {
    std::string head =
        fmt::format("{}, {}", row.kind, FormatCount(static_cast<int64_t>(row.count)));
    if (row.first_offset) head += fmt::format(", first at {}", PlaceOf(row, style));
    if (several) {
      head += fmt::format(", {}", row.file && IndexOf(*row.file) < labels.size()
                                      ? Printable(labels[IndexOf(*row.file)], style.unicode)
                                      : Missing(style));
    }
    const std::string_view severity = NameOf(row.severity);
    out += fmt::format("  {} {}\n", Paint(InkOf(row.severity), severity, style),
                       ShortenMiddle(head, style.width - 3 - severity.size(), style.unicode));
    for (const std::string& line : Wrap(Printable(row.message, style.unicode), style.width - 4))
      out += fmt::format("    {}\n", line);
  }
  return out;
}

std::string CaptureText(const Profile& profile, std::vector<FileDiagnostic> rows,
                        const CaptureTextRequest& request, const OutputStyle& style) {
  const std::vector<CaptureGap> gaps = CaptureGaps(profile);
  if (rows.empty() && gaps.empty() && !request.is_view) return "";
  const bool any = !rows.empty();
  const bool loss = std::any_of(rows.begin(), rows.end(), [](const FileDiagnostic& row) {
    return row.severity != Severity::kInfo;
  });
  std::string out =
      Heading("About this capture", loss ? "parts of it could not be used" : "", style);
  if (!any && request.is_view) out += Paragraph("Everything in it could be used.", style, 2);
  if (!request.sorted) {
    std::stable_sort(
        rows.begin(), rows.end(),
        [](const FileDiagnostic& a, const FileDiagnostic& b) { return a.severity > b.severity; });
  }
  rows.resize(Limited(rows.size(), request.limit));
  if (!rows.empty()) out += DiagnosticsText(profile, std::move(rows), style);
  if (gaps.empty()) return out;
  if (any) out += '\n';
  std::vector<std::string> lacking;
  for (const CaptureGap& gap : gaps)
    lacking.push_back(fmt::format("{} ({})", gap.what, gap.remedy));
  return out + Paragraph(fmt::format("Not captured, with what would add it: {}.",
                                     fmt::join(lacking, ", ")),
                         style, 2);
}

ViewSpec DescribeDiagnostics() {
  ViewSpec spec;
  spec.name = "diagnostics";
  spec.needs.profile = true;
  spec.help = "what could not be used, and what the capture lacks";
  spec.scope = ViewScope::kAlone;
  spec.sort_fields = DiagnosticTable().keys();
  spec.needs_trace = false;
  spec.build = Build;
  spec.tables = [] {
    return std::vector{ForPage("DIAGNOSTICS", "DiagnosticRow", DiagnosticTable())};
  };
  return spec;
}

}  // namespace telltale
