// SPDX-License-Identifier: Apache-2.0
// --view critical_path: what decided how long a step took.
#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/critical_path/critical_path.h"
#include "views/lane_parts.h"
#include "views/page_causes.h"
#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

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

std::string_view TitleOf(PathRegionKind kind) {
  switch (kind) {
    case PathRegionKind::kStep:
      return "step";
    case PathRegionKind::kAnnotation:
      return "range";
    case PathRegionKind::kWholeTrace:
      return "trace";
  }
  return "";
}

struct PathView {
  std::shared_ptr<const CriticalPathReport> report;
  std::string annotation;
  size_t files = 0;
  const Profile* profile = nullptr;  // whose causes the path shows; none of a part of it

  [[nodiscard]] std::string Unit() const { return std::string(TitleOf(report->kind)); }
  [[nodiscard]] int64_t Total() const {
    return std::accumulate(report->totals.begin(), report->totals.end(), int64_t{0});
  }
  // Of all regions.
  [[nodiscard]] int64_t Average(int64_t time) const {
    return time / std::max<int64_t>(1, static_cast<int64_t>(report->regions.size()));
  }
  // The causes that there are, the longest first.
  [[nodiscard]] std::vector<PathCause> Causes() const {
    std::vector<PathCause> causes;
    for (size_t c = 0; c < kPathCauseCount; ++c) {
      if (report->totals[c] > 0) causes.push_back(static_cast<PathCause>(c));
    }
    std::stable_sort(causes.begin(), causes.end(),
                     [&](PathCause a, PathCause b) { return TimeOf(a) > TimeOf(b); });
    return causes;
  }
  [[nodiscard]] int64_t TimeOf(PathCause cause) const {
    return report->totals[static_cast<size_t>(cause)];
  }
};

// A cause over all names: for people.
struct CauseSum {
  PathCause cause;
  int64_t average_ns;
  double share;
};

TableSpec<CauseSum> SumTable(const std::string& unit) {
  using R = CauseSum;
  TableSpec<R> spec;
  spec.columns = {
      Field<R>("cause", kText, [](const R& row) -> FieldValue { return TitleOf(row.cause); },
               {.title = "on the critical path", .importance = Shown::kAlways}),
      Field("average_ns", kDuration, Get<&R::average_ns>,
            {.title = "a " + unit, .importance = Shown::kAlways}),
      Field("share", kShare, Get<&R::share>, {.title = "share", .importance = 90}),
      Field("bar", kBar, Get<&R::share>, {.importance = 65}).WithInk([](const R& row) {
        return InkOf(row.cause);
      }),
  };
  return spec;
}

struct CauseRow : PathCauseRow {
  int64_t average_ns = 0;
};

TableSpec<CauseRow> CauseTable(const std::string& unit) {
  using R = CauseRow;
  TableSpec<R> spec;
  spec.columns = {
      Field("cause", kText, Get<R, &R::cause>, {.title = "cause", .importance = 80})
          .WithText(
              [](const R& row, const OutputStyle&) { return std::string(TitleOf(row.cause)); })
          .WithInk([](const R& row) { return InkOf(row.cause); }),
      Field<R>("name", kName,
               [](const R& row) { return row.name.empty() ? FieldValue() : Get<R, &R::name>(row); },
               {.title = "name", .importance = Shown::kAlways, .least_width = 24})
          .WithText([](const R& row, const OutputStyle& style) {
            return row.name.empty() ? fmt::format("({})", TitleOf(row.cause))
                                    : Printable(row.name, style.unicode);
          }),
      Field("pieces", kCount, Get<R, &R::pieces>, {.title = "pieces", .importance = 40}),
      Field("average_ns", kDuration, Get<&R::average_ns>,
            {.title = "a " + unit, .importance = Shown::kAlways}),
      BarOf<R>("bar", "average_ns", {}),
      Field("path_share", kShare, Get<R, &R::share>, {.title = "share", .importance = 90}),
      Field("average_if_free_ns", kDuration, Get<R, &R::average_if_free_ns>,
            {.title = unit + " without it", .importance = 95})
          .NoSum()
          .WithHelp("what a step would take if every piece of this cause took no time; computed "
                    "for the ten largest"),
  };
  return spec;
}

void WriteTimes(const PathTimes& times, JsonWriter& json) {
  json.BeginObject();
  for (size_t c = 0; c < kPathCauseCount; ++c)
    json.Field(NameOf(static_cast<PathCause>(c)), times[c]);
  json.EndObject();
}

// `causes`: as columns, the most important first.
TableSpec<PathRegion> RegionTable(const std::string& unit, std::span<const PathCause> causes) {
  using R = PathRegion;
  ColumnSpec<R> times;
  times.key = "causes";
  times.json_type = "Readonly<Partial<Record<string, number>>>";
  times.nullable = false;
  times.json = [](const R& row, JsonWriter& json) { WriteTimes(row.causes, json); };
  TableSpec<R> spec;
  spec.columns = {
      Field("name", kName, Get<&R::name>,
            {.title = unit, .importance = Shown::kAlways, .least_width = 6})
          .WithText([](const R& row, const OutputStyle& style) {
            return row.name.empty() ? "whole trace" : Printable(row.name, style.unicode);
          }),
      Field("start_ns", kMoment, Get<&R::start_ns>),
      Field("duration_ns", kDuration, Get<&R::duration_ns>,
            {.title = "duration", .importance = Shown::kAlways}),
      Field("recomputed_ns", kDuration, Get<&R::recomputed_ns>),
      Field("pieces", kCount, Get<&R::pieces>),
      std::move(times),
      Field("file", kId, Get<&R::file>, {.title = "file", .importance = 70}),
  };
  spec.order = {"name", "file", "duration_ns"};
  int importance = 60;
  for (const PathCause cause : causes) {
    spec.columns.push_back(
        Field<R>(NameOf(cause), kShare, nullptr,
                 {.title = std::string(TitleOf(cause)), .importance = importance--})
            .WithText([cause](const R& row, const OutputStyle&) {
              return FormatShare(Ratio(row.causes[static_cast<size_t>(cause)], row.duration_ns));
            })
            .ForPeople());
    spec.order.push_back(NameOf(cause));
  }
  return spec;
}

// A piece with the texts of its trace.
struct PieceRow {
  uint32_t file = 0;
  std::string_view region;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  std::string_view cause;
  std::optional<std::string_view> name;
  std::string_view pid;
  std::string_view tid;
};

TableSpec<PieceRow> PieceTable() {
  using R = PieceRow;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return row.name.value_or(""); };
  spec.columns = {
      Field("region", kText, Get<&R::region>, {.title = "step", .importance = 60}),
      Field("start_ns", kMoment, Get<&R::start_ns>, {.title = "start", .importance = 50})
          .WithHelp("from the beginning of the recording"),
      Field("duration_ns", kDuration, Get<&R::duration_ns>,
            {.title = "duration", .importance = 90}),
      BarOf<R>("bar", "duration_ns", {}),
      Field("cause", kText, Get<&R::cause>, {.title = "cause", .importance = 80}),
      Field("name", kName, Get<&R::name>, {.title = "name", .importance = Shown::kAlways}),
      Field("pid", kText, Get<&R::pid>),
      Field("tid", kText, Get<&R::tid>, {.title = "thread or stream", .importance = 40}),
      Field("file", kFile, Get<&R::file>),
  };
  spec.order = {"name", "duration_ns", "cause", "region", "start_ns", "tid"};
  return spec;
}

// Its texts belong to the trace and to the report.
PieceRow RowOf(const PathPiece& piece, const CriticalPathReport& report,
               std::span<const TraceContext> traces) {
  const Trace& trace = traces[piece.file].trace;
  const Track& track = trace.tracks[static_cast<size_t>(piece.track)];
  PieceRow row;
  row.file = piece.file;
  row.region = report.regions[piece.region].name;
  row.start_ns = piece.start_ns;
  row.duration_ns = piece.duration_ns;
  row.cause = NameOf(piece.cause);
  if (piece.span != kNoRow) row.name = trace.NameOfSpan(piece.span);
  row.pid = trace.Text(track.pid.text);
  row.tid = trace.Text(track.tid.text);
  return row;
}

std::string WhyNone(const PathView& view) {
  if (!view.annotation.empty()) {
    if (view.report->annotation_instances == 0) {
      return fmt::format(
          "The trace has no annotation '{}'. Those it has are listed among its operators; "
          "record_function(\"NAME\") makes one.",
          Printable(view.annotation, true));
    }
    return fmt::format("The annotation '{}' occurs {} times; instances are counted from 0.",
                       Printable(view.annotation, true), view.report->annotation_instances);
  }
  return "No complete step to follow: the capture holds no host events, or only a step that was "
         "cut off. Profile at least one whole step (schedule(wait=…, warmup=…, active=…) and "
         "prof.step() in the loop).";
}

// What decides, in a sentence.
std::string Sentence(const PathView& view, const OutputStyle& style) {
  const CriticalPathReport& report = *view.report;
  if (report.regions.empty()) return WhyNone(view);
  const std::vector<PathCause> causes = view.Causes();
  const PathCause largest = causes.empty() ? PathCause{} : causes.front();
  // What only another thread shows: the path itself knows of no operator meanwhile.
  const Cause* const elsewhere = view.profile == nullptr ? nullptr : UnknownTime(*view.profile);
  const bool waits = elsewhere != nullptr && largest == PathCause::kHostOther;
  std::string text = fmt::format(
      "{} of the {}'s critical path ({}) is {}.",
      FormatShare(waits ? elsewhere->share : Ratio(view.TimeOf(largest), view.Total()), 0),
      view.Unit(), FormatDuration(report.average_ns, style.unicode),
      waits ? NameInSentence(elsewhere->what, style) + " on another thread"
            : std::string(WordsFor(largest)));
  if (view.profile == nullptr) return text;
  return text + CauseSentence(*view.profile, FirstCauseOf(*view.profile, {}), style);
}

// What the path rests on.
std::string Notes(const PathView& view, const OutputStyle& style) {
  const PathNotes& notes = view.report->notes;
  std::vector<std::string> lines;
  if (view.report->joined) {
    lines.push_back(fmt::format(
        "The path crosses the {} files on one clock, joined by {} collectives: who waits "
        "in one waits for the last to come.",
        view.files, FormatCount(static_cast<int64_t>(notes.meetings))));
  } else if (view.files > 1 && view.annotation.empty()) {
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
  if (lines.empty()) return "";
  return "\n" + Paragraph(fmt::format("{}", fmt::join(lines, "\n")), style, 0, Ink::kDim);
}

Document Build(const ViewInput& input) {
  const bool is_view = input.params.Text("view") == "critical_path";
  const auto view = std::make_shared<const PathView>(
      PathView{input.facts.CriticalPath(), std::string(input.params.Text("annotation")),
               input.traces.size(), input.params.Has("annotation") ? nullptr : &input.profile});
  const CriticalPathReport& report = *view->report;
  const std::string unit = view->Unit();
  const size_t regions = report.regions.size();

  Document document("Critical path",
                    [view](const OutputStyle& style) { return Sentence(*view, style); });
  document.AddField("region", NameOf(report.kind));
  document.AddField("joined_ranks", report.joined);
  document.AddField("average_ns", report.average_ns);
  document.AddField("recomputed_average_ns", report.recomputed_average_ns);
  const int64_t total = view->Total();
  for (size_t c = 0; c < kPathCauseCount; ++c) {
    document.AddField(NameOf(static_cast<PathCause>(c)), view->Average(report.totals[c]),
                      "average_causes");
  }
  for (size_t c = 0; c < kPathCauseCount; ++c) {
    document.AddField(NameOf(static_cast<PathCause>(c)), Ratio(report.totals[c], total), "shares");
  }
  std::vector<CauseSum> sums;
  for (const PathCause cause : view->Causes()) {
    sums.push_back({cause, view->Average(view->TimeOf(cause)), Ratio(view->TimeOf(cause), total)});
  }
  if (regions > 0) {
    document.AddTable("", SumTable(unit), std::move(sums),
                      {.title = "Critical path",
                       .remark = regions == 1 ? "what the end waited for, back to the start"
                                              : fmt::format("mean of {}", Plural(regions, unit)),
                       .every_row = true});
  }
  std::vector<CauseRow> causes;
  for (const PathCauseRow& row : report.causes) {
    causes.push_back({row, view->Average(row.total_ns)});
  }
  document.AddTable("causes", CauseTable(unit), std::move(causes),
                    {.title = "Causes",
                     .words = [](size_t, size_t, const OutputStyle&) -> std::string {
                       return "recomputed as if each took no time";
                     },
                     .usual_rows = 20,
                     .whole = true});
  // The causes that matter, as columns.
  std::vector<PathCause> columns = view->Causes();
  if (columns.size() > 5) columns.resize(5);
  TableSpec<PathRegion> region_table = RegionTable(unit, columns);
  if (view->files == 1 || report.joined) region_table.Hide({"file"});
  document.AddTable("regions", region_table, report.regions,
                    {.title = unit + "s",
                     .words = [](size_t, size_t, const OutputStyle&) -> std::string {
                       return "share of their largest causes";
                     },
                     .usual_rows = 20,
                     .whole = true,
                     .terminal = regions > 1});
  const PathNotes& notes = report.notes;
  document.AddField("sync_events", notes.sync_events, "notes");
  document.AddField("known_dependencies", notes.known_dependencies, "notes");
  document.AddField("guessed_dependencies", notes.guessed_dependencies, "notes");
  document.AddField("hand_overs", notes.hand_overs, "notes");
  document.AddField("collectives", notes.meetings, "notes");
  document.AddField("early_starts", notes.early_starts, "notes");
  document.AddField("late_ends", notes.late_ends, "notes");
  document.AddField("overlaps_on_stream", notes.overlaps_on_stream, "notes");
  if (regions > 0) {
    document.AddText(
        [view](std::optional<int64_t>, const OutputStyle& style) { return Notes(*view, style); });
  }
  if (is_view) {
    std::vector<PieceRow> pieces;
    pieces.reserve(report.pieces.size());
    for (const PathPiece& piece : report.pieces)
      pieces.push_back(RowOf(piece, report, input.traces));
    if (input.sort_field) SortRows(pieces, PieceTable(), *input.sort_field);
    document.AddTable("pieces", PieceTable(), std::move(pieces),
                      {.title = "Longest pieces", .main = true, .terminal = false});
  }
  return document;
}

Result<void> Check(const ParamValues& params) {
  if (params.Has("instance") && !params.Has("annotation")) {
    return params.Wrong("instance", fmt::format("says which of several ranges: name them with {}",
                                                params.Spelled("annotation", "NAME")));
  }
  return {};
}

}  // namespace

ViewSpec DescribeCriticalPath() {
  ViewSpec spec;
  spec.name = "critical_path";
  spec.help =
      "what decided how long a step took, piece by piece, and what a step would take "
      "without it";
  spec.sort_fields = PieceTable().keys();
  spec.params = {
      {.name = "annotation",
       .type = ParamType::kText,
       .value = "NAME",
       .help = "critical_path: follow a range of this name instead of the steps"},
      {.name = "instance",
       .type = ParamType::kInteger,
       .value = "K",
       .help = "critical_path: which of several such ranges, from 0",
       .default_text = "0",
       .least = 0},
  };
  spec.check = Check;
  spec.build = Build;
  spec.tables = [] {
    return std::vector{ForPage("PATH_CAUSES", "PathCauseRow", CauseTable("step")),
                       ForPage("", "PathRegionRow", RegionTable("step", {})),
                       ForPage("PATH_PIECES", "PathPieceRow", PieceTable())};
  };
  spec.words = [] {
    PageWords causes = {.name = "PATH_CAUSE_TITLES", .words = {}};
    for (size_t c = 0; c < kPathCauseCount; ++c) {
      const auto cause = static_cast<PathCause>(c);
      causes.words.emplace_back(NameOf(cause), TitleOf(cause));
    }
    PageWords regions = {.name = "PATH_REGION_TITLES", .words = {}};
    for (const PathRegionKind kind :
         {PathRegionKind::kStep, PathRegionKind::kAnnotation, PathRegionKind::kWholeTrace})
      regions.words.emplace_back(NameOf(kind), TitleOf(kind));
    return std::vector{causes, regions};
  };
  return spec;
}

}  // namespace telltale
