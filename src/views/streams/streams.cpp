// SPDX-License-Identifier: Apache-2.0
// The view `streams`: what each stream of a device was for, and how much of it ran beside the work
// of other streams. Copies and communication are meant to hide there; what does not, costs its
// time.
#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/core/device_streams.h"
#include "analysis/core/intervals.h"
#include "analysis/core/sums.h"
#include "base/cancel.h"
#include "views/lane_parts.h"
#include "views/render/unit_column.h"
#include "views/view_list.h"

namespace telltale {

namespace {

using enum Quantity;

enum StreamWork : uint8_t { kCompute, kCommunication, kCopy, kStreamWorks };

struct StreamRow {
  uint32_t file = 0;
  int64_t device = 0;
  std::optional<int64_t> stream;
  uint64_t events = 0;
  int64_t window_ns = 0;  // from the device's first event to its last one's end
  int64_t busy_ns = 0;
  int64_t beside_ns = 0;  // of it: another stream of the device was busy, too
  std::array<int64_t, kStreamWorks> work_ns = {};

  [[nodiscard]] int64_t alone_ns() const { return busy_ns - beside_ns; }
};

template <StreamWork kWork>
FieldValue WorkTime(const StreamRow& row) {
  return row.work_ns[kWork];
}

FieldValue ShareOf(int64_t part, int64_t whole) {
  return whole > 0 ? FieldValue(Ratio(part, whole)) : FieldValue();
}

TableSpec<StreamRow> StreamTable() {
  using R = StreamRow;
  constexpr int kAlways = Shown::kAlways;
  constexpr Presence kNonZero = Presence::kAnyNonZero;
  TableSpec<R> spec;
  spec.columns = {
      Field("file", kFile, Get<&R::file>,
            {.title = "file",
             .importance = kAlways,
             .least_width = 8,
             .presence = Presence::kSeveralFiles}),
      Field("device", kText, Get<&R::device>, {.title = "device", .importance = kAlways}),
      Field("stream", kText, Get<&R::stream>, {.title = "stream", .importance = kAlways}),
      Field("events", kCount, Get<&R::events>, {.title = "events", .importance = 45}),
      Field("window_ns", kDuration, Get<&R::window_ns>)
          .WithHelp("From the device's first event to the end of its last one"),
      Field("busy_ns", kDuration, Get<&R::busy_ns>, {.title = "busy", .importance = kAlways})
          .WithHelp("Time with at least one event"),
      Field<R>("busy_share", kShare,
               [](const R& row) -> FieldValue { return ShareOf(row.busy_ns, row.window_ns); },
               {.title = "share", .importance = 80}),
      BarOf<R>("busy_bar", "busy_ns", {.importance = 50, .ink = Ink::kDim}),
      Field("compute_ns", kDuration, WorkTime<kCompute>,
            {.title = "compute", .importance = 70, .presence = kNonZero})
          .WithHelp("Kernels other than those of communication"),
      Field("communication_ns", kDuration, WorkTime<kCommunication>,
            {.title = "communication", .importance = 70, .presence = kNonZero})
          .WithHelp("Kernels of NCCL, RCCL and the like"),
      Field("copy_ns", kDuration, WorkTime<kCopy>,
            {.title = "copies", .importance = 70, .presence = kNonZero})
          .WithHelp("Copies and sets"),
      Field("beside_ns", kDuration, Get<&R::beside_ns>, {.title = "beside", .importance = 90})
          .WithHelp("Time in which another stream of the device was busy, too"),
      Field<R>("beside_share", kShare,
               [](const R& row) -> FieldValue { return ShareOf(row.beside_ns, row.busy_ns); },
               {.title = "hidden", .importance = 85})
          .WithHelp("Share of its busy time that ran beside other streams"),
      Field<R>("alone_ns", kDuration, [](const R& row) -> FieldValue { return row.alone_ns(); },
               {.title = "alone", .importance = 88})
          .WithHelp("Time in which the device did nothing else"),
  };
  return spec;
}

// The moments in which at least two of the sets are.
IntervalSet CoveredTwice(const std::vector<IntervalSet>& sets) {
  std::vector<std::pair<int64_t, int>> edges;
  for (const IntervalSet& set : sets) {
    for (const Interval& one : set) {
      edges.emplace_back(one.start_ns, 1);
      edges.emplace_back(one.end_ns, -1);
    }
  }
  std::sort(edges.begin(), edges.end());
  IntervalSet twice;
  UnionBuilder builder(twice);
  int depth = 0;
  for (size_t i = 0; i < edges.size(); ++i) {
    if (i > 0 && depth >= 2) builder.Add(edges[i - 1].first, edges[i].first);
    depth += edges[i].second;
  }
  return twice;
}

struct StreamEvents {
  std::vector<Interval> all;
  std::array<std::vector<Interval>, kStreamWorks> by_work;
};

StreamWork WorkOf(const TraceContext& context, SpanRow row) {
  const Trace& trace = context.trace;
  if (trace.spans.category[row] != Category::kKernel) return kCopy;
  return context.facts.Is(trace.spans.name[row], NameFact::kCommunicationKernel) ? kCommunication
                                                                                 : kCompute;
}

void AddDevice(std::map<DeviceStream, StreamEvents>::iterator begin,
               std::map<DeviceStream, StreamEvents>::iterator end, uint32_t file,
               std::vector<StreamRow>& rows) {
  std::vector<IntervalSet> busy;
  for (auto at = begin; at != end; ++at) busy.push_back(Union(at->second.all));
  const IntervalSet twice = CoveredTwice(busy);
  Interval window = {INT64_MAX, INT64_MIN};
  for (const IntervalSet& set : busy) {
    if (set.empty()) continue;
    window.start_ns = std::min(window.start_ns, set.front().start_ns);
    window.end_ns = std::max(window.end_ns, set.back().end_ns);
  }
  size_t number = 0;
  for (auto at = begin; at != end; ++at, ++number) {
    StreamRow row;
    row.file = file;
    row.device = at->first.device;
    if (at->first.stream != kNoInt) row.stream = at->first.stream;
    row.events = at->second.all.size();
    row.busy_ns = TotalLength(busy[number]);
    row.beside_ns = TotalLength(Intersection(busy[number], twice));
    if (window.start_ns < window.end_ns) row.window_ns = Difference(window.end_ns, window.start_ns);
    for (size_t work = 0; work < kStreamWorks; ++work) {
      row.work_ns[work] = TotalLength(Union(std::move(at->second.by_work[work])));
    }
    rows.push_back(row);
  }
}

void AddTrace(const TraceContext& context, uint32_t file, std::vector<StreamRow>& rows) {
  const Trace& trace = context.trace;
  const DeviceStreams streams = FindDeviceStreams(trace, context.links);
  std::map<DeviceStream, StreamEvents> events;
  CancelCheck cancel;
  for (size_t i = 0; i < context.links.size(); ++i) {
    cancel.Tick();
    if (streams.of_event[i] == kNoRow) continue;
    if (!context.selection.HasDeviceEvent(trace, context.tree, context.links, i)) continue;
    const SpanRow row = context.links.device[i];
    StreamEvents& stream = events[streams.keys[streams.of_event[i]]];
    const Interval time = {trace.spans.start_ns[row], trace.spans.end_ns(row)};
    stream.all.push_back(time);
    stream.by_work[WorkOf(context, row)].push_back(time);
  }
  for (auto begin = events.begin(); begin != events.end();) {
    auto end = begin;
    while (end != events.end() && end->first.device == begin->first.device) ++end;
    AddDevice(begin, end, file, rows);
    begin = end;
  }
}

// A device, and what its streams other than the busiest one did.
struct DeviceSum {
  const StreamRow* busiest = nullptr;
  size_t streams = 0;
  int64_t other_ns = 0;
  int64_t other_alone_ns = 0;
};

std::map<std::pair<uint32_t, int64_t>, DeviceSum> Devices(const std::vector<StreamRow>& rows) {
  std::map<std::pair<uint32_t, int64_t>, DeviceSum> devices;
  for (const StreamRow& row : rows) {
    DeviceSum& device = devices[{row.file, row.device}];
    ++device.streams;
    if (device.busiest == nullptr || row.busy_ns > device.busiest->busy_ns) device.busiest = &row;
  }
  for (const StreamRow& row : rows) {
    DeviceSum& device = devices[{row.file, row.device}];
    if (&row == device.busiest) continue;
    AddTo(device.other_ns, row.busy_ns);
    AddTo(device.other_alone_ns, row.alone_ns());
  }
  return devices;
}

// Of the device whose further streams ran alone for the longest.
std::string Sentence(const std::vector<StreamRow>& rows, const std::vector<std::string>& labels,
                     const OutputStyle& style) {
  const auto devices = Devices(rows);
  if (devices.empty()) {
    return "The capture holds no device events, so there are no streams. torch.profiler records "
           "them with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA].";
  }
  const auto worst =
      std::max_element(devices.begin(), devices.end(), [](const auto& a, const auto& b) {
        return std::pair(a.second.other_alone_ns, a.second.other_ns) <
               std::pair(b.second.other_alone_ns, b.second.other_ns);
      });
  const auto& [key, device] = *worst;
  const std::string name = DeviceInSentence(key.second, key.first, labels, style);
  if (std::ranges::all_of(devices, [](const auto& one) { return one.second.streams == 1; })) {
    return fmt::format("{} used one stream, so nothing ran side by side on it.",
                       devices.size() > 1 ? "Each device" : name);
  }
  const StreamRow& busiest = *device.busiest;
  return fmt::format(
      "{} used {}. {} was the busiest ({} of {}); of the {} on the others, {} ran beside another "
      "stream, and {} alone.",
      name, Plural(device.streams, "stream"),
      busiest.stream ? fmt::format("Stream {}", *busiest.stream) : "The unnamed one",
      FormatDuration(busiest.busy_ns, style.unicode),
      FormatDuration(busiest.window_ns, style.unicode),
      FormatDuration(device.other_ns, style.unicode),
      FormatShare(Ratio(device.other_ns - device.other_alone_ns, device.other_ns), 0),
      FormatDuration(device.other_alone_ns, style.unicode));
}

Document Build(const ViewInput& input) {
  std::vector<StreamRow> rows;
  for (uint32_t file = 0; file < input.traces.size(); ++file) {
    AddTrace(input.traces[file], file, rows);
  }
  if (input.sort_field) SortRows(rows, StreamTable(), *input.sort_field);
  std::vector<std::string> labels = FileLabels(input.profile);
  Document document("Streams", [rows, labels](const OutputStyle& style) {
    return Sentence(rows, labels, style);
  });
  if (rows.empty()) document.SetEmpty();
  document.SetLabels(std::move(labels));
  document.AddTable("rows", StreamTable(), std::move(rows),
                    {.title = "Streams",
                     .remark = "by device",
                     .usual_rows = 40,
                     .note = "hidden: the share of a stream's time in which another one was busy, "
                             "too; alone: the rest.",
                     .main = true});
  return document;
}

}  // namespace

ViewSpec DescribeStreams() {
  ViewSpec spec;
  spec.name = "streams";
  spec.help = "what each stream of a device was for, and what ran side by side";
  spec.title = "Streams";
  spec.needs = {.part = "device_events", .words = ViewNeeds::kDeviceEvents};
  spec.sort_fields = StreamTable().keys();
  spec.scope = ViewScope::kAlone;
  spec.build = Build;
  spec.tables = [] { return std::vector{ForPage("STREAMS", "StreamRow", StreamTable())}; };
  return spec;
}

}  // namespace telltale
