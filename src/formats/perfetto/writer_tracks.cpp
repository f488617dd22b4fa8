// SPDX-License-Identifier: Apache-2.0
// The part of PerfettoWriter that describes processes, threads, streams and counters.
#include <string>

#include "base/json/text.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/json_values.h"
#include "formats/perfetto/writer.h"

namespace telltale {

namespace {

using namespace perfetto;

bool FitsInt32(int64_t number) { return number >= INT32_MIN && number <= INT32_MAX; }

// {"pid":0,"tid":"stream 7"} and more: who a track was before it became one of Perfetto's.
class Identity {
 public:
  Identity& Json(std::string_view key, std::string_view json) {
    text_ += text_.empty() ? "{" : ",";
    AppendQuoted(text_, key);
    text_ += ':';
    text_ += json;
    return *this;
  }
  Identity& Text(std::string_view key, std::string_view text) {
    return text.empty() ? *this : Json(key, Quoted(text));
  }
  Identity& Number(std::string_view key, int64_t number) {
    return number == kNoInt ? *this : Json(key, std::to_string(number));
  }
  [[nodiscard]] std::string Take() { return text_ + "}"; }

 private:
  std::string text_;
};

// Does anything of the device stand on the track?
std::vector<bool> DeviceTracks(const Trace& trace) {
  std::vector<bool> is_device(trace.tracks.size());
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    const Category c = trace.spans.category[row];
    if (IsDevice(c) || c == Category::kGpuAnnotation) {
      is_device[static_cast<size_t>(trace.spans.track[row])] = true;
    }
  }
  return is_device;
}

std::string TrackName(const PlannedTrack& track, bool is_device) {
  if (!track.name.empty()) return track.name;
  std::string tid = Unquoted(track.tid);
  if (IsString(track.tid)) return tid;
  return (is_device ? "stream " : "thread ") + tid;
}

std::string ProcessName(const PlannedProcess& process) {
  std::string name = process.name.empty() ? Unquoted(process.pid) : process.name;
  if (!process.labels.empty()) name += " (" + process.labels + ")";
  return name;
}

}  // namespace

void PerfettoWriter::WriteTracks(Input& input) {
  const TracePlan& plan = *input.plan;
  const std::vector<bool> is_device = DeviceTracks(*plan.trace);
  // A process is one of Perfetto's unless it stands for a device: those are groups of streams.
  std::vector<bool> has_threads(plan.processes.size());
  std::vector<bool> has_streams(plan.processes.size());
  for (size_t i = 0; i < plan.tracks.size(); ++i) {
    (is_device[i] ? has_streams : has_threads)[plan.tracks[i].process] = true;
  }
  const auto write = [&](auto fill) {
    packet_.Clear();
    packet_.Uint(packet::kSequenceId, 1);
    const size_t descriptor = packet_.Begin(packet::kTrackDescriptor);
    fill();
    packet_.End(descriptor);
    WritePacket(packet_.bytes());
  };
  std::vector<bool> is_process(plan.processes.size());
  for (size_t i = 0; i < plan.processes.size(); ++i) {
    const PlannedProcess& process = plan.processes[i];
    const std::optional<int64_t> pid = IntegerOf(process.pid);
    const bool sort_fits = process.sort_index == kNoInt || FitsInt32(process.sort_index);
    is_process[i] = pid && *pid > 0 && FitsInt32(*pid) && sort_fits &&
                    (has_threads[i] || !has_streams[i]) &&
                    !(process.labels.starts_with("GPU") && !has_threads[i]);
    input.process_uuid[i] = next_uuid_++;
    write([&] {
      packet_.Uint(track::kUuid, input.process_uuid[i]);
      if (is_process[i]) {
        const size_t mark = packet_.Begin(track::kProcess);
        packet_.Int(process::kPid, *pid);
        if (!process.name.empty()) packet_.Bytes(process::kName, process.name);
        if (!process.labels.empty()) packet_.Bytes(process::kLabels, process.labels);
        if (process.sort_index != kNoInt) packet_.Int(process::kSortIndex, process.sort_index);
        packet_.End(mark);
      } else {
        packet_.Bytes(track::kName, ProcessName(process));
        packet_.Bytes(track::kDescription, Identity()
                                               .Json("pid", process.pid)
                                               .Text("process_name", process.name)
                                               .Text("process_labels", process.labels)
                                               .Number("process_sort_index", process.sort_index)
                                               .Take());
        packet_.Uint(track::kChildOrdering, track::kOrderingExplicit);
        if (process.sort_index != kNoInt && FitsInt32(process.sort_index)) {
          packet_.Int(track::kSiblingOrderRank, process.sort_index);
        }
      }
    });
  }
  for (size_t i = 0; i < plan.tracks.size(); ++i) {
    const PlannedTrack& planned = plan.tracks[i];
    const std::optional<int64_t> tid = IntegerOf(planned.tid);
    const bool sort_fits = planned.sort_index == kNoInt || FitsInt32(planned.sort_index);
    const bool is_thread =
        is_process[planned.process] && !is_device[i] && tid && *tid > 0 && sort_fits;
    input.track_uuid[i] = next_uuid_++;
    const std::string identity = Identity()
                                     .Json("pid", plan.processes[planned.process].pid)
                                     .Json("tid", planned.tid)
                                     .Text("thread_name", planned.name)
                                     .Number("thread_sort_index", planned.sort_index)
                                     .Take();
    write([&] {
      packet_.Uint(track::kUuid, input.track_uuid[i]);
      packet_.Uint(track::kParentUuid, input.process_uuid[planned.process]);
      if (is_thread) {
        const size_t mark = packet_.Begin(track::kThread);
        packet_.Int(thread::kPid, *IntegerOf(plan.processes[planned.process].pid));
        packet_.Int(thread::kTid, *tid);
        if (!planned.name.empty()) packet_.Bytes(thread::kName, planned.name);
        if (planned.sort_index != kNoInt) packet_.Int(thread::kSortIndex, planned.sort_index);
        packet_.End(mark);
      } else {
        packet_.Bytes(track::kName, TrackName(planned, is_device[i]));
        packet_.Bytes(track::kDescription, identity);
        if (planned.sort_index != kNoInt && FitsInt32(planned.sort_index)) {
          packet_.Int(track::kSiblingOrderRank, planned.sort_index);
        }
      }
    });
    input.lane_uuid[i] = next_uuid_;
    for (uint32_t lane = 1; lane < input.lanes.lanes_of_track[i]; ++lane) {
      write([&] {
        packet_.Uint(track::kUuid, next_uuid_++);
        packet_.Uint(track::kParentUuid, input.track_uuid[i]);
        packet_.Bytes(track::kName, TrackName(planned, is_device[i]) + " (overlapping " +
                                        std::to_string(lane) + ")");
        packet_.Bytes(track::kDescription, identity);
      });
    }
  }
  // Counters: one track for each series.
  const CounterTable& counters = plan.trace->counters;
  for (size_t row = 0; row < counters.size(); ++row) {
    if (!TracePlan::Keeps(plan.counters, row)) continue;
    const auto track_index = static_cast<size_t>(counters.track[row]);
    const std::string_view name = plan.trace->Text(counters.name[row]);
    const std::string_view series = plan.trace->Text(counters.series[row]);
    std::string key = std::to_string(track_index) + '\0';
    key += name;
    key += '\0';
    key += series;
    const auto [at, is_new] = input.counter_uuid.try_emplace(std::move(key), next_uuid_);
    if (!is_new) continue;
    ++next_uuid_;
    const PlannedTrack& planned = plan.tracks[track_index];
    write([&] {
      packet_.Uint(track::kUuid, at->second);
      packet_.Uint(track::kParentUuid, input.process_uuid[planned.process]);
      packet_.Bytes(track::kName, series.empty() || series == name
                                      ? std::string(name)
                                      : std::string(name) + ": " + std::string(series));
      packet_.Bytes(track::kDescription, Identity()
                                             .Json("pid", plan.processes[planned.process].pid)
                                             .Json("tid", planned.tid)
                                             .Json("counter", Quoted(name))
                                             .Json("series", Quoted(series))
                                             .Take());
      packet_.End(packet_.Begin(track::kCounter));
    });
  }
}

void PerfettoWriter::AddCounter(std::string_view pid, std::string_view name,
                                std::string_view series, int64_t time_ns, double value,
                                size_t input_index) {
  WriteBeforeEvents();
  std::string key(pid);
  for (const std::string_view part : {name, series}) {
    key += '\0';
    key += part;
  }
  const auto [at, is_new] = added_counters_.try_emplace(std::move(key), next_uuid_);
  if (is_new) {
    ++next_uuid_;
    const TracePlan& plan = *inputs_[input_index].plan;
    packet_.Clear();
    packet_.Uint(packet::kSequenceId, 1);
    const size_t descriptor = packet_.Begin(packet::kTrackDescriptor);
    packet_.Uint(track::kUuid, at->second);
    for (size_t i = 0; i < plan.processes.size(); ++i) {
      if (plan.processes[i].pid != pid) continue;
      packet_.Uint(track::kParentUuid, inputs_[input_index].process_uuid[i]);
    }
    packet_.Bytes(track::kName, name);
    packet_.Bytes(track::kDescription, Identity()
                                           .Json("pid", pid)
                                           .Json("tid", "\"\"")
                                           .Json("counter", Quoted(name))
                                           .Json("series", Quoted(series))
                                           .Take());
    packet_.End(packet_.Begin(track::kCounter));
    packet_.End(descriptor);
    WritePacket(packet_.bytes());
  }
  Sequence& sequence = *sequences_[0];
  BeginEvent(sequence, time_ns, event::kCounter, at->second);
  event_.Double(event::kDoubleCounterValue, value);
  EndEvent(sequence);
}

}  // namespace telltale
