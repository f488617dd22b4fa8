// SPDX-License-Identifier: Apache-2.0
// --view critical_path: what decided how long a step took.
#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/critical_path/critical_path.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/table.h"
#include "views/render/unit_column.h"
#include "views/render/units.h"
#include "views/rows.h"
#include "views/sections.h"

namespace telltale {

namespace {

using enum ColumnKind;

// A piece with the texts of its trace.
struct PieceRow {
  uint32_t file = 0;
  std::string_view region;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  std::string_view cause;
  std::string_view name;
  std::string_view pid;
  std::string_view tid;
  bool has_name = false;
};

const RowFields<PieceRow>& PieceFields() {
  static const RowFields<PieceRow> fields = {
      {"region", [](const PieceRow& r) { return FieldValue(r.region); }},
      {"start_ns", [](const PieceRow& r) { return FieldValue(r.start_ns); }},
      {"duration_ns", [](const PieceRow& r) { return FieldValue(r.duration_ns); }},
      {"cause", [](const PieceRow& r) { return FieldValue(r.cause); }},
      {"name", [](const PieceRow& r) { return r.has_name ? FieldValue(r.name) : FieldValue(); }},
      {"pid", [](const PieceRow& r) { return FieldValue(r.pid); }},
      {"tid", [](const PieceRow& r) { return FieldValue(r.tid); }},
      {"file", [](const PieceRow& r) { return FieldValue(uint64_t{r.file}); }},
  };
  return fields;
}

std::string_view SortName(const PieceRow& row) { return row.name; }

// How people call the causes.
std::string_view TitleOf(PathCause cause) {
  static constexpr std::array<std::string_view, kPathCauseCount> kTitles = {
      "operator",     "host, no operator", "data loading", "runtime call", "launch delay",
      "kernel",       "communication",     "copy",         "memory set",   "gap between kernels",
      "waiting call", "unexplained"};
  return kTitles[static_cast<size_t>(cause)];
}

// How a sentence calls them.
std::string_view WordsFor(PathCause cause) {
  static constexpr std::array<std::string_view, kPathCauseCount> kWords = {
      "operators",     "code outside any operator",
      "data loading",  "runtime calls",
      "launch delays", "kernels",
      "communication", "copies",
      "memory sets",   "gaps between kernels",
      "waiting calls", "unexplained"};
  return kWords[static_cast<size_t>(cause)];
}

Ink InkOf(PathCause cause) {
  switch (cause) {
    case PathCause::kOperator:
      return Ink::kCpu;
    case PathCause::kDataLoading:
      return Ink::kInput;
    case PathCause::kRuntime:
    case PathCause::kLaunchDelay:
    case PathCause::kSynchronization:
      return Ink::kRuntime;
    case PathCause::kKernel:
    case PathCause::kKernelGap:
      return Ink::kKernel;
    case PathCause::kCommunication:
      return Ink::kCommunication;
    case PathCause::kMemcpy:
      return Ink::kMemcpy;
    case PathCause::kMemset:
      return Ink::kMemset;
    default:
      return Ink::kOther;
  }
}

class CriticalPath final : public Section {
 public:
  explicit CriticalPath(const SectionInput& input)
      : is_view_(input.arguments.Text("view") == "critical_path"),
        several_files_(input.traces.size() > 1),
        annotation_(input.arguments.Text("annotation")),
        instance_(static_cast<uint64_t>(input.arguments.Integer("instance").value_or(0))),
        shared_(input.facts.CriticalPath()),
        report_(*shared_) {
    for (const TraceContext& context : input.traces) traces_.push_back(&context.trace);
    pieces_.reserve(report_.pieces.size());
    for (const PathPiece& piece : report_.pieces) pieces_.push_back(RowOf(piece));
    if (input.sort_field) SortPieces(*input.sort_field);
  }

  void WriteJson(RowRange range, JsonWriter& json) const override;
  void WriteCsv(int64_t limit, Output& output) const override {
    WriteCsvRows(pieces_, PieceFields(), limit, output);
  }
  [[nodiscard]] size_t rows() const override { return pieces_.size(); }
  [[nodiscard]] std::string Answer(const OutputStyle& style) const override;
  [[nodiscard]] std::string Text(std::optional<int64_t> limit,
                                 const OutputStyle& style) const override;

 private:
  [[nodiscard]] PieceRow RowOf(const PathPiece& piece) const;
  void SortPieces(std::string_view field);
  [[nodiscard]] std::string Nothing() const;
  [[nodiscard]] std::string CausesTable(const OutputStyle& style) const;
  [[nodiscard]] std::string RowsTable(size_t limit, const OutputStyle& style) const;
  [[nodiscard]] std::string RegionsTable(size_t limit, const OutputStyle& style) const;
  [[nodiscard]] std::string Notes(const OutputStyle& style) const;
  [[nodiscard]] std::string_view Unit() const {
    return report_.kind == PathRegionKind::kStep         ? "step"
           : report_.kind == PathRegionKind::kAnnotation ? "range"
                                                         : "trace";
  }

  bool is_view_;
  bool several_files_;
  std::string annotation_;
  uint64_t instance_ = 0;
  std::shared_ptr<const CriticalPathReport> shared_;
  const CriticalPathReport& report_;
  std::vector<const Trace*> traces_;  // they outlive the section
  std::vector<PieceRow> pieces_;      // views into the traces and the report
};

PieceRow CriticalPath::RowOf(const PathPiece& piece) const {
  const Trace& trace = *traces_[piece.file];
  const Track& track = trace.tracks[static_cast<size_t>(piece.track)];
  PieceRow row;
  row.file = piece.file;
  row.region = report_.regions[piece.region].name;
  row.start_ns = piece.start_ns;
  row.duration_ns = piece.duration_ns;
  row.cause = NameOf(piece.cause);
  row.has_name = piece.span != kNoRow;
  if (row.has_name) row.name = trace.NameOfSpan(piece.span);
  row.pid = trace.Text(track.pid.text);
  row.tid = trace.Text(track.tid.text);
  return row;
}

void CriticalPath::SortPieces(std::string_view field) {
  const auto& fields = PieceFields();
  const auto at = std::find_if(fields.begin(), fields.end(),
                               [&](const RowField<PieceRow>& f) { return f.name == field; });
  if (at == fields.end()) return;
  std::stable_sort(pieces_.begin(), pieces_.end(), [&](const PieceRow& a, const PieceRow& b) {
    const int order = CompareDescending(at->get(a), at->get(b));
    return order != 0 ? order < 0 : SortName(a) < SortName(b);
  });
}

void WriteTimes(std::string_view key, const PathTimes& times, JsonWriter& json) {
  json.Key(key);
  json.BeginObject();
  for (size_t c = 0; c < kPathCauseCount; ++c) {
    json.Field(NameOf(static_cast<PathCause>(c)), times[c]);
  }
  json.EndObject();
}

void CriticalPath::WriteJson(RowRange range, JsonWriter& json) const {
  const auto regions = static_cast<int64_t>(report_.regions.size());
  json.BeginObject();
  json.Field("region", NameOf(report_.kind));
  json.Field("joined_ranks", report_.joined);
  json.Field("average_ns", report_.average_ns);
  json.Field("recomputed_average_ns", report_.recomputed_average_ns);
  PathTimes averages = report_.totals;
  int64_t total = 0;
  for (int64_t& time : averages) {
    total += time;
    if (regions > 0) time /= regions;
  }
  WriteTimes("average_causes", averages, json);
  json.Key("shares");
  json.BeginObject();
  for (size_t c = 0; c < kPathCauseCount; ++c) {
    json.Field(NameOf(static_cast<PathCause>(c)), Ratio(report_.totals[c], total));
  }
  json.EndObject();
  json.Key("causes");
  json.BeginArray();
  for (const PathCauseRow& row : report_.causes) {
    json.BeginObject();
    json.Field("cause", NameOf(row.cause));
    json.Field("name", row.name.empty() ? std::nullopt : std::optional(row.name));
    json.Field("pieces", row.pieces);
    json.Field("average_ns", regions > 0 ? row.total_ns / regions : 0);
    json.Field("path_share", row.share);
    json.Field("average_if_free_ns", row.average_if_free_ns);
    json.EndObject();
  }
  json.EndArray();
  json.Key("regions");
  json.BeginArray();
  for (const PathRegion& row : report_.regions) {
    json.BeginObject();
    json.Field("name", row.name);
    json.Field("start_ns", row.start_ns);
    json.Field("duration_ns", row.duration_ns);
    json.Field("pieces", row.pieces);
    WriteTimes("causes", row.causes, json);
    json.Field("file", row.file);
    json.EndObject();
  }
  json.EndArray();
  const PathNotes& notes = report_.notes;
  json.Key("notes");
  json.BeginObject();
  json.Field("sync_events", notes.sync_events);
  json.Field("known_dependencies", notes.known_dependencies);
  json.Field("guessed_dependencies", notes.guessed_dependencies);
  json.Field("hand_overs", notes.hand_overs);
  json.Field("collectives", notes.meetings);
  json.Field("early_starts", notes.early_starts);
  json.Field("late_ends", notes.late_ends);
  json.Field("overlaps_on_stream", notes.overlaps_on_stream);
  json.EndObject();
  if (is_view_) WriteJsonRows("pieces", pieces_, PieceFields(), range, json);
  json.EndObject();
}

std::string CriticalPath::Nothing() const {
  if (!annotation_.empty()) {
    if (report_.annotation_instances == 0) {
      return fmt::format(
          "The trace has no annotation '{}'. Those it has are listed among its operators; "
          "record_function(\"NAME\") makes one.",
          Printable(annotation_, true));
    }
    return fmt::format("The annotation '{}' occurs {} times; instances are counted from 0.",
                       Printable(annotation_, true), report_.annotation_instances);
  }
  return "No complete step to follow: the capture holds no host events, or only a step that was "
         "cut off. Profile at least one whole step (schedule(wait=…, warmup=…, active=…) and "
         "prof.step() in the loop).";
}

// What decides, in a sentence.
std::string CriticalPath::Answer(const OutputStyle& style) const {
  if (report_.regions.empty()) return Nothing();
  size_t largest = 0;
  int64_t total = 0;
  for (size_t c = 0; c < kPathCauseCount; ++c) {
    total += report_.totals[c];
    if (report_.totals[c] > report_.totals[largest]) largest = c;
  }
  std::string text = fmt::format("{} of the {}'s critical path ({}) is {}",
                                 FormatShare(Ratio(report_.totals[largest], total), 0), Unit(),
                                 FormatDuration(report_.average_ns, style.unicode),
                                 WordsFor(static_cast<PathCause>(largest)));
  const PathCauseRow* best = nullptr;
  for (const PathCauseRow& row : report_.causes) {
    if (!row.average_if_free_ns || row.name.empty()) continue;
    if (best == nullptr || *row.average_if_free_ns < *best->average_if_free_ns) best = &row;
  }
  if (best != nullptr && *best->average_if_free_ns < report_.average_ns) {
    text +=
        fmt::format("; without {} it would take {}",
                    ShortenMiddle(Printable(KernelName(best->name, style.unicode), style.unicode),
                                  60, style.unicode),
                    FormatDuration(*best->average_if_free_ns, style.unicode));
  }
  return text + ".";
}

std::string CriticalPath::CausesTable(const OutputStyle& style) const {
  struct Row {
    PathCause cause;
    int64_t average_ns;
    double share;
  };
  std::vector<Row> rows;
  int64_t total = 0;
  for (const int64_t time : report_.totals) total += time;
  const auto regions = std::max<int64_t>(1, static_cast<int64_t>(report_.regions.size()));
  for (size_t c = 0; c < kPathCauseCount; ++c) {
    if (report_.totals[c] == 0) continue;
    rows.push_back(
        {static_cast<PathCause>(c), report_.totals[c] / regions, Ratio(report_.totals[c], total)});
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row& a, const Row& b) { return a.average_ns > b.average_ns; });
  const std::string title = fmt::format("a {}", Unit());
  const UnitColumn time = Durations(
      title, rows, rows.size(), [](const Row& r) { return std::optional(r.average_ns); }, style);
  Table table({{"on the critical path", kText},
               {time.Header(), kNumber},
               {"share", kNumber, 90},
               {"", kBar, 65}});
  for (const Row& row : rows) {
    table.AddRow({std::string(TitleOf(row.cause)), time.Cell(row.average_ns),
                  FormatShare(row.share), TableCell::Bar(row.share, InkOf(row.cause))});
  }
  return table.Render(style);
}

std::string CriticalPath::RowsTable(size_t limit, const OutputStyle& style) const {
  const std::vector<PathCauseRow>& rows = report_.causes;
  const size_t count = CountShown(rows.size(), limit);
  const auto regions = std::max<int64_t>(1, static_cast<int64_t>(report_.regions.size()));
  const auto average = [&](const PathCauseRow& r) { return std::optional(r.total_ns / regions); };
  const std::string title = fmt::format("a {}", Unit());
  const std::string freed_title = fmt::format("{} without it", Unit());
  const UnitColumn time = Durations(title, rows, count, average, style);
  const UnitColumn freed = Durations(
      freed_title, rows, count, [](const PathCauseRow& r) { return r.average_if_free_ns; }, style);
  Table table({{"cause", kText, 80},
               {"name", kName, TableColumn::kAlways, 24},
               {"pieces", kNumber, 40},
               {time.Header(), kNumber},
               {"share", kNumber, 90},
               {freed.Header(), kNumber, 95}});
  for (size_t i = 0; i < count; ++i) {
    const PathCauseRow& row = rows[i];
    table.AddRow({{std::string(TitleOf(row.cause)), InkOf(row.cause)},
                  row.name.empty() ? fmt::format("({})", TitleOf(row.cause))
                                   : Printable(row.name, style.unicode),
                  FormatCount(static_cast<int64_t>(row.pieces)),
                  time.Cell(average(row)),
                  FormatShare(row.share),
                  freed.Cell(row.average_if_free_ns)});
  }
  return table.Render(style);
}

std::string CriticalPath::RegionsTable(size_t limit, const OutputStyle& style) const {
  const std::vector<PathRegion>& rows = report_.regions;
  const size_t count = CountShown(rows.size(), limit);
  const UnitColumn time = Durations(
      "duration", rows, count, [](const PathRegion& r) { return std::optional(r.duration_ns); },
      style);
  // The causes that matter, as columns.
  std::vector<size_t> causes;
  for (size_t c = 0; c < kPathCauseCount; ++c) {
    if (report_.totals[c] > 0) causes.push_back(c);
  }
  std::stable_sort(causes.begin(), causes.end(),
                   [&](size_t a, size_t b) { return report_.totals[a] > report_.totals[b]; });
  if (causes.size() > 5) causes.resize(5);
  std::vector<TableColumn> columns = {{std::string(Unit()), kName, TableColumn::kAlways, 6}};
  if (several_files_ && !report_.joined) columns.push_back({"file", kNumber, 70});
  columns.push_back({time.Header(), kNumber});
  int importance = 60;
  for (const size_t c : causes) {
    columns.push_back({std::string(TitleOf(static_cast<PathCause>(c))), kNumber, importance--});
  }
  Table table(std::move(columns));
  for (size_t i = 0; i < count; ++i) {
    const PathRegion& row = rows[i];
    std::vector<TableCell> cells = {row.name.empty() ? "whole trace"
                                                     : Printable(row.name, style.unicode)};
    if (row.file && several_files_) cells.emplace_back(std::to_string(*row.file));
    cells.emplace_back(time.Cell(row.duration_ns));
    for (const size_t c : causes) {
      cells.emplace_back(FormatShare(Ratio(row.causes[c], row.duration_ns)));
    }
    table.AddRow(std::move(cells));
  }
  return table.Render(style);
}

// What the path rests on.
std::string CriticalPath::Notes(const OutputStyle& style) const {
  const PathNotes& notes = report_.notes;
  std::vector<std::string> lines;
  if (report_.joined) {
    lines.push_back(fmt::format(
        "The path crosses the {} files on one clock, joined by {} collectives: who waits "
        "in one waits for the last to come.",
        traces_.size(), FormatCount(static_cast<int64_t>(notes.meetings))));
  } else if (several_files_ && annotation_.empty()) {
    lines.push_back(
        "Each file has a path of its own: the files share no collectives and steps that would put "
        "them on one clock.");
  }
  if (notes.device_events > 0 && !notes.sync_events) {
    lines.push_back(
        "The capture has no cuda_sync events: what calls and streams waited for follows from the "
        "kinds of calls and from the times. "
        "experimental_config=_ExperimentalConfig(enable_cuda_sync_events=True) records them.");
  }
  if (notes.guessed_dependencies > 0) {
    lines.push_back(fmt::format(
        "{} of {} device events started when work on another stream ended, and are taken to have "
        "waited for it.",
        FormatCount(static_cast<int64_t>(notes.guessed_dependencies)),
        FormatCount(static_cast<int64_t>(notes.device_events))));
  }
  if (notes.early_starts + notes.late_ends > 0) {
    lines.push_back(fmt::format(
        "{} times the device's clock contradicts the host's (work before its launch, or after the "
        "call that waited for it); the contradicting wait counts as nothing.",
        FormatCount(static_cast<int64_t>(notes.early_starts + notes.late_ends))));
  }
  std::string out;
  for (const std::string& text : lines) {
    for (const std::string& line : Wrap(text, style.width)) {
      out += Paint(Ink::kDim, line, style) + "\n";
    }
  }
  return out;
}

std::string CriticalPath::Text(std::optional<int64_t> limit, const OutputStyle& style) const {
  std::string out;
  const auto paragraph = [&](std::string_view text) {
    for (const std::string& line : Wrap(text, style.width)) out += line + "\n";
  };
  paragraph(Answer(style));
  if (report_.regions.empty()) return out;
  const size_t rows = limit ? (*limit <= 0 ? 0 : static_cast<size_t>(*limit)) : 20;
  const size_t regions = report_.regions.size();
  out +=
      "\n" + Heading("Critical path",
                     regions == 1 ? "what the end waited for, back to the start"
                                  : fmt::format("mean of {} {}s",
                                                FormatCount(static_cast<int64_t>(regions)), Unit()),
                     style);
  out += CausesTable(style);
  out += "\n" + Heading("Causes", "recomputed as if each took no time", style);
  out += RowsTable(rows, style);
  if (regions > 1) {
    out += "\n" + Heading(fmt::format("{}s", Unit()), "share of their largest causes", style);
    out += RegionsTable(rows, style);
  }
  if (const std::string notes = Notes(style); !notes.empty()) out += "\n" + notes;
  return out;
}

Result<void> Check(const Arguments& arguments) {
  if (arguments.Has("instance") && !arguments.Has("annotation")) {
    return Fail(ErrorCode::kUsage,
                "--instance says which of several ranges: name them with "
                "--annotation NAME");
  }
  return {};
}

}  // namespace

SectionSpec CriticalPathSection() {
  SectionSpec spec;
  spec.name = "critical_path";
  spec.help =
      "what decided how long a step took, piece by piece, and what a step would take "
      "without it";
  spec.sort_fields = FieldNames(PieceFields());
  spec.options = {
      {.name = "annotation",
       .type = OptionType::kText,
       .value = "NAME",
       .help = "critical_path: follow a range of this name instead of the steps"},
      {.name = "instance",
       .type = OptionType::kInteger,
       .value = "K",
       .help = "critical_path: which of several such ranges, from 0",
       .default_text = "0",
       .least = 0},
  };
  spec.check = Check;
  spec.make = [](const SectionInput& input) -> std::unique_ptr<Section> {
    return std::make_unique<CriticalPath>(input);
  };
  return spec;
}

}  // namespace telltale
