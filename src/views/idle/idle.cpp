// SPDX-License-Identifier: Apache-2.0
// The view `idle`: how long devices and streams had nothing to run, by cause, and the longest gaps.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "analysis/idle/idle.h"
#include "views/lane_parts.h"
#include "views/page_causes.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

double ShareOf(const IdleRow& row) { return Ratio(row.idle_ns, row.window_ns); }

template <IdleCause kCause>
FieldValue CauseGaps(const IdleRow& row) {
  return row.cause_gaps[static_cast<size_t>(kCause)];
}

// For people; the sentence says more.
std::string_view TitleOf(IdleCause cause) {
  switch (cause) {
    case IdleCause::kHostWait:
      return "host not there in time";
    case IdleCause::kSynchronisation:
      return "after a synchronisation";
    case IdleCause::kInput:
      return "waiting for input";
    case IdleCause::kKernelWait:
      return "between two kernels";
    case IdleCause::kOther:
      break;
  }
  return "other";
}

template <IdleCause kCause>
ColumnSpec<IdleRow> TimeOfCause(std::string_view key, const std::string& title, int importance) {
  return Field<IdleRow>(key, kDuration,
                        [](const IdleRow& row) -> FieldValue {
                          return row.cause_ns[static_cast<size_t>(kCause)];
                        },
                        {.title = title, .importance = importance, .terminal = false})
      .Known()
      .WithHelp(TitleOf(kCause));
}

// Part of the idle time, as the terminal shows a cause.
template <IdleCause kCause>
ColumnSpec<IdleRow> CauseShare(std::string_view key, const std::string& title, int importance) {
  ColumnSpec<IdleRow> column =
      Field<IdleRow>(key, kShare,
                     [](const IdleRow& row) -> FieldValue {
                       if (row.idle_ns == 0) return {};
                       return Ratio(row.cause_ns[static_cast<size_t>(kCause)], row.idle_ns);
                     },
                     {.title = title, .importance = importance, .page = false, .decimals = 0});
  column.for_programs = false;
  return column;
}

TableSpec<IdleRow> IdleTable() {
  using R = IdleRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  ColumnSpec<R> stream =
      Field("stream", kText, Get<&R::stream>, {.title = "stream", .importance = kAlways});
  stream.text = [](const R& row, const OutputStyle& style) {
    return row.whole_device ? "all" : row.stream ? std::to_string(*row.stream) : Missing(style);
  };
  ColumnSpec<R> bar =
      Field<R>("idle_bar", kBar, [](const R& row) -> FieldValue { return ShareOf(row); },
               {.importance = 50, .ink = Ink::kDim});
  bar.for_programs = false;
  spec.columns = {
      Field("file", kFile, Get<&R::file>,
            {.title = "file",
             .importance = kAlways,
             .least_width = 8,
             .presence = Presence::kSeveralFiles}),
      Field<R>("scope", kText,
               [](const R& row) -> FieldValue {
                 return std::string_view(row.whole_device ? "device" : "stream");
               })
          .Known(),
      Field("device", kText, Get<&R::device>, {.title = "device", .importance = kAlways}),
      std::move(stream),
      Field("events", kCount, Get<&R::events>, {.title = "events", .importance = 45}),
      Field("window_ns", kDuration, Get<&R::window_ns>, {.title = "window", .importance = 55})
          .NoSum(),
      Field("busy_ns", kDuration, Get<&R::busy_ns>),
      Field("idle_ns", kDuration, Get<&R::idle_ns>, {.title = "idle", .importance = kAlways}),
      Field<R>("idle_share", kShare, [](const R& row) -> FieldValue { return ShareOf(row); },
               {.title = "share", .importance = 90})
          .Known(),
      std::move(bar),
      BarOf<R>("time_bar", "idle_ns", {}),
      CauseShare<IdleCause::kHostWait>("host_wait_share", "host", 85),
      CauseShare<IdleCause::kSynchronisation>("synchronisation_share", "sync", 84),
      CauseShare<IdleCause::kInput>("input_share", "input", 83),
      CauseShare<IdleCause::kKernelWait>("kernel_wait_share", "kernel", 82),
      CauseShare<IdleCause::kOther>("other_share", "other", 81),
      Field("gaps", kCount, Get<&R::gaps>, {.title = "gaps", .importance = 60}),
      Field("gap_min_ns", kDuration, Get<&R::gap_min_ns>),
      Field("gap_mean_ns", kDuration, Get<&R::gap_mean_ns>, {.title = "mean", .importance = 40})
          .OnPage("Mean gap")
          .NoSum(),
      Field("gap_max_ns", kDuration, Get<&R::gap_max_ns>, {.title = "longest", .importance = 58})
          .NoSum(),
      TimeOfCause<IdleCause::kHostWait>("host_wait_ns", "host", 85),
      TimeOfCause<IdleCause::kSynchronisation>("synchronisation_ns", "sync", 84),
      TimeOfCause<IdleCause::kInput>("input_ns", "input", 83),
      TimeOfCause<IdleCause::kKernelWait>("kernel_wait_ns", "kernel", 82),
      TimeOfCause<IdleCause::kOther>("other_ns", "other", 81),
      Field("host_wait_gaps", kCount, CauseGaps<IdleCause::kHostWait>).Known(),
      Field("synchronisation_gaps", kCount, CauseGaps<IdleCause::kSynchronisation>).Known(),
      Field("input_gaps", kCount, CauseGaps<IdleCause::kInput>).Known(),
      Field("kernel_wait_gaps", kCount, CauseGaps<IdleCause::kKernelWait>).Known(),
      Field("other_gaps", kCount, CauseGaps<IdleCause::kOther>).Known(),
  };
  return spec;
}

TableSpec<IdleGap> GapTable() {
  using G = IdleGap;
  TableSpec<G> spec;
  spec.columns = {
      Field("file", kFile, Get<&G::file>,
            {.title = "file",
             .importance = 70,
             .least_width = 8,
             .presence = Presence::kSeveralFiles}),
      Field("device", kText, Get<&G::device>, {.title = "device", .importance = 60}),
      Field("stream", kText, Get<&G::stream>),
      Field("start_ns", kMoment, Get<&G::start_ns>),
      Field("duration_ns", kDuration, Get<&G::duration_ns>,
            {.title = "gap", .importance = Shown::kAlways})
          .NoSum(),
      BarOf<G>("bar", "duration_ns", {}),
      Field("cause", kText, Get<&G::cause>, {.title = "cause", .importance = 90}),
      Field("before", kName, Get<&G::before>,
            {.title = "before", .importance = 40, .least_width = 14})
          .Names(Naming::kKernel),
      Field("after", kName, Get<&G::after>, {.title = "after", .importance = 70})
          .Names(Naming::kKernel),
      Field("host", kName, Get<&G::host>, {.title = "the host was in", .importance = 80}),
      Field("host_ns", kDuration, Get<&G::host_ns>, {.title = "for", .importance = 75}).NoSum(),
  };
  spec.order = {"file", "device", "duration_ns", "cause", "host", "host_ns", "before", "after"};
  return spec;
}

std::string_view WordsFor(IdleCause cause) {
  switch (cause) {
    case IdleCause::kHostWait:
      return "the host had not launched the next work yet";
    case IdleCause::kSynchronisation:
      return "the host had waited for the device, so nothing was queued";
    case IdleCause::kInput:
      return "the host waited for its DataLoader";
    case IdleCause::kKernelWait:
      return "short gaps between kernels that were queued";
    case IdleCause::kOther:
      break;
  }
  return "the work was queued but did not begin, or its launch is not in the trace";
}

// "; the steps take 382.5 ms": where the device had no work at all for a tenth of them.
std::string WholeOf(const IdleRow& row, const StepReport& steps, const OutputStyle& style) {
  int64_t whole_ns = 0;
  for (const StepRow& step : steps.rows) {
    if (step.file == row.file) AddTo(whole_ns, step.duration_ns);
  }
  if (row.window_ns > whole_ns / 10 * 9) return "";
  return fmt::format("; the {} {}",
                     steps.source == StepSource::kWholeTrace ? "trace takes" : "steps take",
                     FormatDuration(whole_ns, style.unicode));
}

// The device that was idle for the largest share of its time, what it mostly waited for, and the
// first cause that keeps a device waiting.
std::string Sentence(const std::vector<IdleRow>& rows, const std::vector<std::string>& labels,
                     const Profile& profile, const OutputStyle& style) {
  const IdleRow* worst = nullptr;
  for (const IdleRow& row : rows) {
    if (row.whole_device && (worst == nullptr || ShareOf(row) > ShareOf(*worst))) worst = &row;
  }
  if (worst == nullptr) {
    return "The capture holds no device events, so there is no idle time to explain. "
           "torch.profiler records them with activities=[ProfilerActivity.CPU, "
           "ProfilerActivity.CUDA].";
  }
  const std::string device = DeviceInSentence(worst->device, worst->file, labels, style);
  const std::string causes = CauseSentence(
      profile,
      {CauseKind::kDataLoading, CauseKind::kAllocation, CauseKind::kSynchronization,
       CauseKind::kRuntimeCall, CauseKind::kHostCode, CauseKind::kHostOperator,
       CauseKind::kLaunchOverhead, CauseKind::kGarbageCollection, CauseKind::kCompilation,
       CauseKind::kProfiler, CauseKind::kUnexplained, CauseKind::kLateRank},
      style);
  const std::string whole = WholeOf(*worst, profile.report.steps, style);
  if (worst->idle_ns == 0) {
    return fmt::format("{} was never idle from its first to its last event ({}{}).{}", device,
                       FormatDuration(worst->window_ns, style.unicode), whole, causes);
  }
  const auto cause = static_cast<size_t>(std::distance(
      worst->cause_ns.begin(), std::max_element(worst->cause_ns.begin(), worst->cause_ns.end())));
  return fmt::format(
      "{} was idle {} of the time from its first to its last event ({} of {}, {}{}). "
      "{} of that: {}.{}",
      device, FormatShare(ShareOf(*worst), 0), FormatDuration(worst->idle_ns, style.unicode),
      FormatDuration(worst->window_ns, style.unicode), Plural(worst->gaps, "gap"), whole,
      FormatShare(Ratio(worst->cause_ns[cause], worst->idle_ns), 0),
      WordsFor(static_cast<IdleCause>(cause)), causes);
}

// A device with one stream needs one row.
std::vector<IdleRow> RowsForPeople(const std::vector<IdleRow>& rows) {
  std::map<std::pair<uint32_t, int64_t>, size_t> streams;
  for (const IdleRow& row : rows) {
    if (!row.whole_device) ++streams[{row.file, row.device}];
  }
  std::vector<IdleRow> shown;
  for (const IdleRow& row : rows) {
    if (!row.whole_device || streams[{row.file, row.device}] > 1) shown.push_back(row);
  }
  return shown;
}

Document Build(const ViewInput& input) {
  std::vector<IdleRow> rows;
  std::vector<IdleGap> gaps;
  std::vector<IdleReport> reports = *input.facts.Idle();
  for (uint32_t file = 0; file < reports.size(); ++file) {
    IdleReport& report = reports[file];
    for (IdleRow& row : report.rows) {
      row.file = file;
      rows.push_back(row);
    }
    for (IdleGap& gap : report.gaps) {
      gap.file = file;
      gaps.push_back(std::move(gap));
    }
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const IdleGap& a, const IdleGap& b) {
    return a.duration_ns > b.duration_ns;
  });
  if (gaps.size() > kMostGaps) gaps.resize(kMostGaps);
  if (input.sort_field) SortRows(rows, IdleTable(), *input.sort_field);

  std::vector<std::string> labels = FileLabels(input.profile);
  Document document("Idle time",
                    [rows, labels, &profile = input.profile](const OutputStyle& style) {
                      return Sentence(rows, labels, profile, style);
                    });
  if (rows.empty()) document.SetEmpty();
  document.SetLabels(std::move(labels));
  document.AddField("kernel_wait_below_ns", kKernelWaitNs);
  document.AddTable(
      "", IdleTable(), RowsForPeople(rows),
      {.title = "Idle time",
       .remark = "by device and stream",
       .usual_rows = 40,
       .note = "host, sync, input, kernel, other: shares of the idle time by cause."});
  document.AddTable("rows", IdleTable(), std::move(rows), {.main = true});
  document.AddTable(
      "longest_gaps", GapTable(), std::move(gaps),
      {.title = "Longest gaps", .remark = "nothing ran on the device", .usual_rows = 10});
  return document;
}

}  // namespace

ViewSpec DescribeIdle() {
  ViewSpec spec;
  spec.name = "idle";
  spec.needs = {.part = "device_events", .words = ViewNeeds::kDeviceEvents};
  spec.help = "when devices and streams had nothing to run, and why";
  spec.sort_fields = IdleTable().keys();
  spec.build = Build;
  spec.tables = [] {
    return std::vector{ForPage("IDLE", "IdleRow", IdleTable()),
                       ForPage("GAPS", "GapRow", GapTable())};
  };
  spec.words = [] {
    PageWords causes = {.name = "IDLE_CAUSES", .words = {}};
    for (const IdleCause cause : {IdleCause::kInput, IdleCause::kSynchronisation,
                                  IdleCause::kHostWait, IdleCause::kKernelWait, IdleCause::kOther})
      causes.words.emplace_back(NameOf(cause), TitleOf(cause));
    return std::vector{causes};
  };
  return spec;
}

}  // namespace telltale
