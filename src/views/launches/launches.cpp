// SPDX-License-Identifier: Apache-2.0
// The view `launches`: the calls that give the devices work, the delay until it begins, and the
// queues of the streams.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/launches/launches.h"
#include "analysis/launches/runtime_calls.h"
#include "views/lane_parts.h"
#include "views/page_causes.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

double Part(uint64_t part, uint64_t whole) {
  return Ratio(static_cast<int64_t>(part), static_cast<int64_t>(whole));
}

TableSpec<LaunchRow> LaunchTable() {
  using R = LaunchRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.name = [](const R& row) { return std::string_view(row.name); };
  spec.columns = {
      Field("file", kFile, Get<&R::file>,
            {.title = "file",
             .importance = 95,
             .least_width = 8,
             .presence = Presence::kSeveralFiles}),
      Field("name", kName, Get<&R::name>,
            {.title = "call", .importance = kAlways, .least_width = 20})
          .Names(Naming::kEvent),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 90}),
      Field("device_events", kCount, Get<&R::device_events>,
            {.title = "device events", .importance = 40}),
      Field("host_total_ns", kDuration, Get<&R::host_total_ns>,
            {.title = "host", .importance = kAlways}),
      BarOf<R>("bar", "host_total_ns", {}),
      Field("host_mean_ns", kDuration, Get<&R::host_mean_ns>, {.title = "mean", .importance = 70})
          .NoSum(),
      Field("host_max_ns", kDuration, Get<&R::host_max_ns>, {.title = "longest"}).NoSum(),
      Field("device_total_ns", kDuration, Get<&R::device_total_ns>, {.title = "device total"}),
      Field("delay_mean_ns", kDuration, Get<&R::delay_mean_ns>,
            {.title = "delay mean", .importance = 85})
          .NoSum(),
      Field("delay_median_ns", kDuration, Get<&R::delay_median_ns>,
            {.title = "median", .importance = 65})
          .NoSum()
          .OnPage("Delay median")
          .WithHelp("from the call's end to the start of its first device event"),
      Field("delay_p99_ns", kDuration, Get<&R::delay_p99_ns>, {.title = "p99", .importance = 60})
          .NoSum()
          .OnPage("Delay p99"),
      Field("delay_max_ns", kDuration, Get<&R::delay_max_ns>, {.title = "max", .importance = 50})
          .NoSum()
          .OnPage("Delay max"),
      Field("short_calls", kCount, Get<&R::short_calls>),
      Field<R>("short_share", kShare,
               [](const R& row) -> FieldValue { return Part(row.short_calls, row.calls); },
               {.title = "short", .importance = 55})
          .Known()
          .WithHelp("launches whose work took less time than launching it"),
  };
  return spec;
}

TableSpec<RuntimeCallRow> RuntimeTable() {
  using R = RuntimeCallRow;
  TableSpec<R> spec;
  spec.columns = {
      Field("file", kFile, Get<&R::file>,
            {.title = "file", .importance = 95, .presence = Presence::kSeveralFiles}),
      Field("name", kName, Get<&R::name>, {.title = "call", .importance = Shown::kAlways})
          .Names(Naming::kEvent),
      Field("calls", kCount, Get<&R::calls>, {.title = "calls", .importance = 90}),
      Field("host_total_ns", kDuration, Get<&R::host_total_ns>,
            {.title = "CPU total", .importance = Shown::kAlways}),
      BarOf<R>("bar", "host_total_ns", {}),
      Field("host_mean_ns", kDuration, Get<&R::host_mean_ns>,
            {.title = "CPU mean", .importance = 70})
          .NoSum(),
      Field("host_max_ns", kDuration, Get<&R::host_max_ns>,
            {.title = "CPU longest", .importance = 50})
          .NoSum(),
  };
  return spec;
}

TableSpec<QueueRow> QueueTable() {
  using R = QueueRow;
  constexpr int kAlways = Shown::kAlways;
  TableSpec<R> spec;
  spec.columns = {
      Field("file", kFile, Get<&R::file>,
            {.title = "file",
             .importance = kAlways,
             .least_width = 8,
             .presence = Presence::kSeveralFiles}),
      Field("device", kId, Get<&R::device>, {.title = "device", .importance = kAlways}),
      Field("stream", kId, Get<&R::stream>, {.title = "stream", .importance = kAlways}),
      Field("launches", kCount, Get<&R::launches>, {.title = "launches", .importance = 80}),
      Field("max_length", kCount, Get<&R::max_length>,
            {.title = "max length", .importance = kAlways})
          .NoSum(),
      Field("mean_length", kNumber, Get<&R::mean_length>,
            {.title = "mean length", .importance = 90, .decimals = 2}),
      BarOf<R>("bar", "mean_length", {}),
      Field("window_ns", kDuration, Get<&R::window_ns>, {.title = "window", .importance = 60})
          .NoSum(),
      Field("full_ns", kDuration, Get<&R::full_ns>),
      Field<R>("full_share", kShare,
               [](const R& row) -> FieldValue { return Ratio(row.full_ns, row.window_ns); },
               {.title = "full", .importance = 70})
          .Known()
          .WithHelp("time with 1024 or more: a further launch blocks its caller"),
  };
  spec.order = {"file",      "device",      "stream",     "launches",
                "window_ns", "mean_length", "max_length", "full_share"};
  return spec;
}

TableSpec<LaunchSummary> SummaryTable() {
  using S = LaunchSummary;
  TableSpec<S> spec;
  spec.columns = {
      Field("file", kFile, Get<&S::file>),
      Field("launches", kCount, Get<&S::launches>),
      Field("device_events", kCount, Get<&S::device_events>),
      Field("launch_missing", kCount, Get<&S::launch_missing>),
      Field("graph_launches", kCount, Get<&S::graph_launches>),
      Field("graph_device_events", kCount, Get<&S::graph_device_events>),
      Field("short_launches", kCount, Get<&S::short_launches>),
      Field<S>("short_share", kShare,
               [](const S& s) -> FieldValue { return Part(s.short_launches, s.launches); })
          .Known(),
      Field("host_total_ns", kDuration, Get<&S::host_total_ns>),
      Field("launches_per_step", kNumber, Get<&S::launches_per_step>),
      Field("device_events_per_step", kNumber, Get<&S::device_events_per_step>),
      Field("launches_per_second", kNumber, Get<&S::launches_per_second>),
  };
  return spec;
}

struct Launches {
  std::vector<std::string> labels;
  std::vector<LaunchSummary> summaries;
  std::vector<LaunchRow> rows;
  std::vector<RuntimeCallRow> runtime;  // all calls, also those that launch nothing
  std::vector<QueueRow> queues;
};

// "4", "3.5", "1,516": no more than anybody reads.
std::string Rounded(double number) {
  return number < 100 ? fmt::format("{:.3g}", number)
                      : FormatCount(static_cast<int64_t>(std::llround(number)));
}

std::string SentenceOf(const Launches& launches, const LaunchSummary& s, const OutputStyle& style) {
  std::string out;
  if (launches.labels.size() > 1) out += Printable(launches.labels[s.file], style.unicode) + ": ";
  out += Plural(s.launches, "launch");
  if (s.launches != 1) out.insert(out.size() - 1, "e");
  if (s.launches_per_step) out += fmt::format(" ({} a step)", Rounded(*s.launches_per_step));
  if (s.graph_launches > 0) {
    out +=
        fmt::format(", {} of graphs with {},", FormatCount(static_cast<int64_t>(s.graph_launches)),
                    Plural(s.graph_device_events, "device event"));
  }
  out += fmt::format(" took the host {}", FormatDuration(s.host_total_ns, style.unicode));
  out += fmt::format("; {} of them took longer to launch than to run.",
                     FormatShare(Part(s.short_launches, s.launches), 0));
  const auto full = std::find_if(
      launches.queues.begin(), launches.queues.end(),
      [&](const QueueRow& queue) { return queue.file == s.file && queue.full_ns > 0; });
  if (full != launches.queues.end()) {
    out += fmt::format(" A queue was full for {}.", FormatDuration(full->full_ns, style.unicode));
  }
  return out;
}

std::string WhyNone(const Launches& launches) {
  const bool events = std::any_of(launches.summaries.begin(), launches.summaries.end(),
                                  [](const LaunchSummary& s) { return s.launch_missing > 0; });
  return events ? "The capture holds device events, but none of the calls that launched them: "
                  "runtime and driver calls come with activities=[ProfilerActivity.CPU, "
                  "ProfilerActivity.CUDA]."
                : "The capture holds no device events, so nothing was launched. torch.profiler "
                  "records them with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA].";
}

Document Build(const ViewInput& input) {
  Launches found;
  found.labels = FileLabels(input.profile);
  std::vector<LaunchReport> reports = *input.facts.Launches();
  for (uint32_t file = 0; file < reports.size(); ++file) {
    LaunchReport& report = reports[file];
    report.summary.file = file;
    found.summaries.push_back(report.summary);
    for (LaunchRow& row : report.rows) {
      row.file = file;
      found.rows.push_back(std::move(row));
    }
    for (RuntimeCallRow& row : DescribeRuntimeCalls(input.traces[file])) {
      row.file = file;
      found.runtime.push_back(std::move(row));
    }
    for (QueueRow& row : report.queues) {
      row.file = file;
      found.queues.push_back(row);
    }
  }
  SortRows(found.rows, LaunchTable(), input.sort_field.value_or("host_total_ns"));

  Document document("Launches", [found, &profile = input.profile](const OutputStyle& style) {
    if (found.rows.empty()) return WhyNone(found);
    std::vector<std::string> sentences;
    for (const LaunchSummary& summary : found.summaries) {
      if (summary.launches > 0) sentences.push_back(SentenceOf(found, summary, style));
    }
    // All launches together, or a call that launches and takes long by itself.
    const Cause* const cause = FirstCauseIf(profile, [&](const Cause& one) {
      return one.kind == CauseKind::kLaunchOverhead ||
             (one.kind == CauseKind::kRuntimeCall &&
              std::ranges::find(found.rows, one.what, &LaunchRow::name) != found.rows.end());
    });
    std::string without = CauseSentence(profile, cause, style);
    if (!without.empty() && sentences.size() > 1) without[0] = '\n';
    return fmt::format("{}{}", fmt::join(sentences, "\n"), without);
  });
  if (found.rows.empty()) document.SetEmpty();
  document.SetLabels(found.labels);
  document.AddField("full_queue_length", int64_t{kFullQueue});
  document.AddTable("files", SummaryTable(), std::move(found.summaries), {.whole = true});
  document.AddTable(
      "rows", LaunchTable(), std::move(found.rows),
      {.title = "Launches",
       .remark = input.sort_field ? fmt::format("by {}", *input.sort_field) : "by host time",
       .main = true});
  document.AddTable("runtime", RuntimeTable(), std::move(found.runtime));
  document.AddTable("queues", QueueTable(), std::move(found.queues),
                    {.title = "Queues", .remark = "launches that wait on a stream"});
  return document;
}

}  // namespace

ViewSpec DescribeLaunches() {
  ViewSpec spec;
  spec.name = "launches";
  spec.needs = {.part = "device_events", .words = ViewNeeds::kDeviceEvents};
  spec.help = "launch calls, the delay until their work begins, and queue lengths";
  spec.sort_fields = LaunchTable().keys();
  spec.build = Build;
  spec.tables = [] {
    return std::vector{ForPage("LAUNCHES", "LaunchRow", LaunchTable()),
                       ForPage("RUNTIME_CALLS", "RuntimeCallRow", RuntimeTable()),
                       ForPage("QUEUES", "QueueRow", QueueTable()),
                       ForPage("", "LaunchSummary", SummaryTable())};
  };
  return spec;
}

}  // namespace telltale
