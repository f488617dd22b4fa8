// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/writer.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "formats/perfetto/annotations.h"
#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"

namespace telltale {

namespace {

using namespace perfetto;

std::optional<int64_t> IntegerOf(std::string_view json) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), number);
  if (json.empty() || error != std::errc() || end != json.data() + json.size()) return std::nullopt;
  return number;
}

bool FitsInt32(int64_t number) { return number >= INT32_MIN && number <= INT32_MAX; }
bool IsString(std::string_view json) { return !json.empty() && json.front() == '"'; }

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

template <typename Column>
void TakeFirst(const Column& times, const std::vector<bool>& keep, int64_t shift_ns,
               int64_t& first) {
  for (size_t i = 0; i < times.size(); ++i) {
    if (TracePlan::Keeps(keep, i)) first = std::min(first, times[i] + shift_ns);
  }
}

}  // namespace

PerfettoWriter::PerfettoWriter(ByteSink& sink, std::span<const TracePlan> plans) : sink_(sink) {
  sequences_.push_back(std::make_unique<Sequence>());
  sequences_.back()->id = 1;
  first_time_ns_ = INT64_MAX;
  for (const TracePlan& plan : plans) {
    inputs_.emplace_back();
    inputs_.back().plan = &plan;
    const Trace& trace = *plan.trace;
    TakeFirst(trace.spans.start_ns, plan.spans, plan.shift_ns, first_time_ns_);
    TakeFirst(trace.memory.time_ns, plan.memory, plan.shift_ns, first_time_ns_);
    TakeFirst(trace.flows.time_ns, plan.flows, plan.shift_ns, first_time_ns_);
    TakeFirst(trace.counters.time_ns, plan.counters, plan.shift_ns, first_time_ns_);
    TakeFirst(trace.instants.time_ns, plan.instants, plan.shift_ns, first_time_ns_);
  }
  if (first_time_ns_ == INT64_MAX) first_time_ns_ = 0;
  // Perfetto's times are not negative, and best absolute.
  base_time_ns_ = plans.empty() ? 0 : plans.front().trace->base_time_ns;
  time_offset_ = static_cast<uint64_t>(base_time_ns_);
  if (first_time_ns_ + base_time_ns_ < 0) time_offset_ = 0 - static_cast<uint64_t>(first_time_ns_);
  for (Input& input : inputs_) Prepare(input);
  WriteHead();
}

// Behind the top-level values that came first, so that who reads the file has them first too.
void PerfettoWriter::WriteBeforeEvents() {
  if (begun_) return;
  begun_ = true;
  WriteMetadata();
  for (Input& input : inputs_) WriteTracks(input);
  for (const Input& input : inputs_) WriteEnds(input);
}

void PerfettoWriter::Prepare(Input& input) {
  const Trace& trace = *input.plan->trace;
  input.lanes = AssignLanes(trace, input.plan->spans);
  input.process_uuid.assign(input.plan->processes.size(), 0);
  input.track_uuid.assign(input.plan->tracks.size(), 0);
  input.lane_uuid.assign(input.plan->tracks.size(), 0);
  for (size_t i = 0; i < input.plan->processes.size(); ++i) {
    input.process_sequence.push_back(static_cast<uint32_t>(sequences_.size()));
    sequences_.push_back(std::make_unique<Sequence>());
    sequences_.back()->id = sequences_.size();
  }
  BindFlows(input);
}

// A flow whose place is exactly the beginning of a slice: the slice itself can say it.
void PerfettoWriter::BindFlows(Input& input) {
  const Trace& trace = *input.plan->trace;
  const FlowTable& flows = trace.flows;
  input.flow_kind.assign(trace.categories.size(), 0);
  input.bound_flows.assign(flows.size(), false);
  Column<uint32_t> order;
  for (uint32_t row = 0; row < flows.size(); ++row) {
    if (!TracePlan::Keeps(input.plan->flows, row)) continue;
    const bool plain = flows.phase[row] != FlowPhase::kStep && flows.id[row] >> kFlowIdBits == 0;
    if (plain) order.push_back(row);
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    if (flows.track[a] != flows.track[b]) return flows.track[a] < flows.track[b];
    if (flows.time_ns[a] != flows.time_ns[b]) return flows.time_ns[a] < flows.time_ns[b];
    return a < b;
  });
  const SpanTable& spans = trace.spans;
  size_t s = 0;
  for (const uint32_t row : order) {
    const TrackId track = flows.track[row];
    const int64_t time = flows.time_ns[row];
    const auto before = [&](uint32_t span) {
      return spans.track[span] != track ? spans.track[span] < track : spans.start_ns[span] < time;
    };
    while (s < input.lanes.order.size() && before(input.lanes.order[s])) ++s;
    // Of several that begin there, the innermost.
    size_t last = s;
    while (last < input.lanes.order.size() && spans.track[input.lanes.order[last]] == track &&
           spans.start_ns[input.lanes.order[last]] == time && last - s < 64) {
      ++last;
    }
    if (last == s || spans.category[input.lanes.order[last - 1]] == Category::kUnmatched) continue;
    uint64_t& kind = input.flow_kind[static_cast<size_t>(flows.category_id[row])];
    if (kind == 0) {
      const std::string_view text =
          trace.Text(trace.categories[static_cast<size_t>(flows.category_id[row])].text);
      const auto known = std::find(flow_kinds_.begin(), flow_kinds_.end(), text);
      if (known == flow_kinds_.end() && flow_kinds_.size() == kMaxFlowKinds) continue;
      kind = static_cast<uint64_t>(known - flow_kinds_.begin()) + 1;
      if (known == flow_kinds_.end()) flow_kinds_.emplace_back(text);
    }
    // Ranks merged into one file must not share arrows.
    const auto rank = static_cast<uint64_t>(input.plan - inputs_.front().plan);
    const uint64_t id = flows.id[row];
    if (rank != 0 && (id >> 40 != 0 || rank >> 16 != 0)) continue;
    input.flows_of_spans.push_back(
        {input.lanes.order[last - 1],
         {kind << kFlowIdBits | rank << 40 | id, flows.phase[row] == FlowPhase::kEnd}});
    input.bound_flows[row] = true;
  }
  std::stable_sort(input.flows_of_spans.begin(), input.flows_of_spans.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
}

void PerfettoWriter::WritePacket(std::string_view body) {
  framed_.Clear();
  framed_.Bytes(trace::kPacket, body);
  sink_.Write(framed_.bytes());
}

void PerfettoWriter::WriteHead() {
  if (base_time_ns_ > 0) {
    // Trace time is time since 1970.
    packet_.Clear();
    packet_.Uint(packet::kSequenceId, 1);
    const size_t snapshot = packet_.Begin(packet::kClockSnapshot);
    for (const uint64_t clock : {clocks::kBoottime, clocks::kRealtime}) {
      const size_t mark = packet_.Begin(clocks::kClock);
      packet_.Uint(clocks::kId, clock);
      packet_.Uint(clocks::kTimestamp, Timestamp(first_time_ns_));
      packet_.End(mark);
    }
    packet_.Uint(clocks::kPrimary, clocks::kBoottime);
    packet_.End(snapshot);
    WritePacket(packet_.bytes());
  }
  metadata_uuid_ = next_uuid_++;
  record_uuid_ = next_uuid_++;
  for (const auto& [uuid, name] :
       {std::pair(metadata_uuid_, "Trace metadata"), std::pair(record_uuid_, "Other events")}) {
    packet_.Clear();
    packet_.Uint(packet::kSequenceId, 1);
    const size_t descriptor = packet_.Begin(packet::kTrackDescriptor);
    packet_.Uint(track::kUuid, uuid);
    packet_.Bytes(track::kName, name);
    packet_.End(descriptor);
    WritePacket(packet_.bytes());
  }
  Sequence& sequence = *sequences_[0];
  BeginEvent(sequence, first_time_ns_, event::kInstant, metadata_uuid_);
  event_.Uint(event::kCategoryIids,
              sequence.names.categories.Id(kMarkCategory, sequence.names.fresh));
  event_.Uint(event::kNameIid, sequence.names.events.Id(kMarkName, sequence.names.fresh));
  WriteAnnotation(event_, event::kAnnotations, kMarkVersion, "1", sequence.names);
  WriteAnnotation(event_, event::kAnnotations, kMarkTimeOffset,
                  std::to_string(static_cast<int64_t>(time_offset_)), sequence.names);
  std::string kinds = "[";
  for (const std::string& category : flow_kinds_) {
    if (kinds.size() > 1) kinds += ',';
    AppendQuoted(kinds, category);
  }
  WriteAnnotation(event_, event::kAnnotations, kMarkFlows, kinds + "]", sequence.names);
  EndEvent(sequence);
}

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

void PerfettoWriter::WriteEnds(const Input& input) {
  const SpanTable& spans = input.plan->trace->spans;
  for (const uint32_t row : input.lanes.order) {
    if (spans.duration_ns[row] == 0 || spans.category[row] == Category::kUnmatched) continue;
    const auto track_index = static_cast<size_t>(spans.track[row]);
    const uint32_t lane = input.lanes.lane[row];
    Sequence& sequence = SequenceOf(input, spans.track[row]);
    packet_.Clear();
    packet_.Uint(packet::kTimestamp, Timestamp(spans.end_ns(row) + input.plan->shift_ns));
    packet_.Uint(packet::kSequenceId, sequence.id);
    const size_t mark = packet_.Begin(packet::kTrackEvent);
    packet_.Uint(event::kType, event::kSliceEnd);
    packet_.Uint(event::kTrackUuid, lane == 0 ? input.track_uuid[track_index]
                                              : input.lane_uuid[track_index] + lane - 1);
    packet_.End(mark);
    WritePacket(packet_.bytes());
    if (!sink_.wanted()) return;
  }
}

void PerfettoWriter::BeginEvent(Sequence& sequence, int64_t time_ns, uint64_t type,
                                uint64_t track_uuid) {
  if (!sequence.started) {
    // A packet of its own: events may be held back, this must come first.
    packet_.Clear();
    packet_.Uint(packet::kSequenceId, sequence.id);
    packet_.Uint(packet::kSequenceFlags, packet::kFlagStateCleared);
    WritePacket(packet_.bytes());
    sequence.started = true;
  }
  packet_.Clear();
  packet_.Uint(packet::kTimestamp, Timestamp(time_ns));
  packet_.Uint(packet::kSequenceId, sequence.id);
  packet_.Uint(packet::kSequenceFlags, packet::kFlagNeedsState);
  sequence.names.fresh.Clear();
  event_.Clear();
  if (type != event::kUnspecified) event_.Uint(event::kType, type);
  event_.Uint(event::kTrackUuid, track_uuid);
}

void PerfettoWriter::EndEvent(Sequence& sequence, std::string* into) {
  const std::string_view fresh = sequence.names.fresh.bytes();
  if (into != nullptr && !fresh.empty()) {
    // This packet may be held back, but later ones will use the names it introduces.
    MessageWriter names;
    names.Uint(packet::kSequenceId, sequence.id);
    names.Uint(packet::kSequenceFlags, packet::kFlagNeedsState);
    names.Bytes(packet::kInternedData, fresh);
    WritePacket(names.bytes());
  } else if (!fresh.empty()) {
    packet_.Bytes(packet::kInternedData, fresh);
  }
  packet_.Bytes(packet::kTrackEvent, event_.bytes());
  if (into == nullptr) return WritePacket(packet_.bytes());
  framed_.Clear();
  framed_.Bytes(trace::kPacket, packet_.bytes());
  into->append(framed_.bytes());
}

void PerfettoWriter::WriteNameAndCategory(const TraceEvent& event, Sequence& sequence,
                                          std::vector<JsonField>& extra) {
  if (IsString(event.name)) {
    const std::string text = Unquoted(event.name);
    event_.Uint(event::kNameIid, sequence.names.events.Id(text, sequence.names.fresh));
  } else if (!event.name.empty()) {
    extra.push_back({"name", event.name});
  }
  if (IsString(event.category)) {
    const std::string text = Unquoted(event.category);
    event_.Uint(event::kCategoryIids, sequence.names.categories.Id(text, sequence.names.fresh));
  } else if (!event.category.empty()) {
    extra.push_back({"cat", event.category});
  }
  if (!event.id.empty()) extra.push_back({"id", event.id});
  for (const JsonField& field : event.others) extra.push_back(field);
  if (!event.odd_args.empty()) extra.push_back({"args", event.odd_args});
}

void PerfettoWriter::WriteArguments(const TraceEvent& event, Sequence& sequence,
                                    const std::vector<JsonField>& extra) {
  for (const JsonField& arg : event.args) {
    WriteAnnotation(event_, event::kAnnotations, arg.key, arg.json, sequence.names);
  }
  if (extra.empty()) return;
  std::string json = "{";
  for (const JsonField& field : extra) {
    if (json.size() > 1) json += ',';
    AppendQuoted(json, field.key);
    json += ':';
    json += field.json;
  }
  WriteAnnotation(event_, event::kAnnotations, kExtraFields, json + "}", sequence.names);
}

void PerfettoWriter::FlushWaiting(Input& input, uint32_t row) {
  std::vector<uint32_t> done = {row};
  while (!done.empty()) {
    const uint32_t parent = done.back();
    done.pop_back();
    const auto found = input.waiting.find(parent);
    if (found == input.waiting.end()) continue;
    for (const auto& [child, bytes] : found->second) {
      sink_.Write(bytes);
      done.push_back(child);
    }
    input.waiting.erase(found);
  }
}

void PerfettoWriter::WriteSlice(const TraceEvent& event, Input& input) {
  const SpanTable& spans = input.plan->trace->spans;
  const uint32_t row = event.row;
  const auto track_index = static_cast<size_t>(spans.track[row]);
  const uint32_t lane = input.lanes.lane[row];
  const uint64_t uuid =
      lane == 0 ? input.track_uuid[track_index] : input.lane_uuid[track_index] + lane - 1;
  Sequence& sequence = SequenceOf(input, spans.track[row]);
  BeginEvent(sequence, event.time_ns, event::kSliceBegin, uuid);
  std::vector<JsonField> extra;
  WriteNameAndCategory(event, sequence, extra);
  auto flow = std::lower_bound(input.flows_of_spans.begin(), input.flows_of_spans.end(), row,
                               [](const auto& a, uint32_t span) { return a.first < span; });
  for (; flow != input.flows_of_spans.end() && flow->first == row; ++flow) {
    event_.Fixed64(flow->second.ends ? event::kTerminatingFlowIds : event::kFlowIds,
                   flow->second.flow_id);
  }
  WriteArguments(event, sequence, extra);

  const auto parent = input.lanes.waits_for.find(row);
  const bool waits = parent != input.lanes.waits_for.end();
  std::string bytes;
  EndEvent(sequence, waits ? &bytes : nullptr);
  if (event.duration_ns == 0 && event.phase == 'X') {
    packet_.Clear();
    packet_.Uint(packet::kTimestamp, Timestamp(event.time_ns));
    packet_.Uint(packet::kSequenceId, sequence.id);
    const size_t mark = packet_.Begin(packet::kTrackEvent);
    packet_.Uint(event::kType, event::kSliceEnd);
    packet_.Uint(event::kTrackUuid, uuid);
    packet_.End(mark);
    framed_.Clear();
    framed_.Bytes(trace::kPacket, packet_.bytes());
    if (waits) {
      bytes.append(framed_.bytes());
    } else {
      sink_.Write(framed_.bytes());
    }
  }
  if (waits) {
    input.waiting[parent->second].push_back({row, std::move(bytes)});
  } else {
    FlushWaiting(input, row);
  }
}

void PerfettoWriter::WriteInstant(const TraceEvent& event, Input& input) {
  const Trace& trace = *input.plan->trace;
  const TrackId track = event.table == TraceEvent::Table::kMemory ? trace.memory.track[event.row]
                                                                  : trace.instants.track[event.row];
  Sequence& sequence = SequenceOf(input, track);
  BeginEvent(sequence, event.time_ns, event::kInstant,
             input.track_uuid[static_cast<size_t>(track)]);
  std::vector<JsonField> extra;
  WriteNameAndCategory(event, sequence, extra);
  // On a thread, unless said otherwise.
  std::erase_if(extra, [](const JsonField& f) { return f.key == "s" && f.json == "\"t\""; });
  if (std::none_of(event.others.begin(), event.others.end(),
                   [](const JsonField& f) { return f.key == "s"; })) {
    extra.push_back({"s", "null"});
  }
  WriteArguments(event, sequence, extra);
  EndEvent(sequence);
}

void PerfettoWriter::WriteCounter(const TraceEvent& event, size_t input_index) {
  Input& input = inputs_[input_index];
  const bool native = IsString(event.name) && event.others.empty() && event.id.empty() &&
                      event.odd_args.empty() &&
                      (event.category.empty() || IsString(event.category)) &&
                      std::all_of(event.args.begin(), event.args.end(), [](const JsonField& arg) {
                        return IsJsonNumber(arg.json) && arg.json.size() < 18;
                      });
  if (!native) return WriteRecord(event, input, 0);
  const Trace& trace = *input.plan->trace;
  const TrackId track = trace.counters.track[event.row];
  Sequence& sequence = SequenceOf(input, track);
  const std::string name = Unquoted(event.name);
  for (const JsonField& arg : event.args) {
    std::string key = std::to_string(static_cast<size_t>(track)) + '\0';
    key += name;
    key += '\0';
    key += arg.key;
    const auto uuid = input.counter_uuid.find(key);
    if (uuid == input.counter_uuid.end()) {
      ++lost_["counter values"];
      continue;
    }
    BeginEvent(sequence, event.time_ns, event::kCounter, uuid->second);
    if (!event.category.empty()) {
      event_.Uint(event::kCategoryIids,
                  sequence.names.categories.Id(Unquoted(event.category), sequence.names.fresh));
    }
    if (const auto whole = IntegerOf(arg.json)) {
      event_.Int(event::kCounterValue, *whole);
    } else {
      double value = 0;
      std::from_chars(arg.json.data(), arg.json.data() + arg.json.size(), value);
      event_.Double(event::kDoubleCounterValue, value);
    }
    EndEvent(sequence);
  }
}

// b, n, e with a number as id have a legacy form that viewers know.
void PerfettoWriter::WriteAsync(const TraceEvent& event, Input& input) {
  const Trace& trace = *input.plan->trace;
  const std::optional<int64_t> id = IntegerOf(event.id);
  if (!id || *id < 0) return WriteRecord(event, input, 0);
  const TrackId track = trace.instants.track[event.row];
  Sequence& sequence = SequenceOf(input, track);
  BeginEvent(sequence, event.time_ns, event::kUnspecified,
             input.track_uuid[static_cast<size_t>(track)]);
  TraceEvent rest = event;
  rest.id = {};
  std::vector<JsonField> extra;
  WriteNameAndCategory(rest, sequence, extra);
  const size_t mark = event_.Begin(event::kLegacyEvent);
  event_.Int(legacy::kPhase, event.phase);
  event_.Uint(legacy::kUnscopedId, static_cast<uint64_t>(*id));
  event_.End(mark);
  WriteArguments(event, sequence, extra);
  EndEvent(sequence);
}

// Every field of the event as an annotation of an instant.
void PerfettoWriter::WriteRecord(const TraceEvent& event, Input& input, uint64_t flow_id) {
  const TrackId track = [&] {
    const Trace& trace = *input.plan->trace;
    switch (event.table) {
      case TraceEvent::Table::kFlow:
        return trace.flows.track[event.row];
      case TraceEvent::Table::kCounter:
        return trace.counters.track[event.row];
      case TraceEvent::Table::kInstant:
        return trace.instants.track[event.row];
      default:
        return TrackId{0};
    }
  }();
  Sequence& sequence =
      event.table == TraceEvent::Table::kNone ? *sequences_[0] : SequenceOf(input, track);
  BeginEvent(sequence, event.has_time ? event.time_ns : first_time_ns_, event::kInstant,
             record_uuid_);
  event_.Uint(event::kCategoryIids,
              sequence.names.categories.Id(kRecordCategory, sequence.names.fresh));
  event_.Uint(event::kNameIid,
              sequence.names.events.Id(IsString(event.name) ? Unquoted(event.name) : "event",
                                       sequence.names.fresh));
  const auto write = [&](std::string_view key, std::string_view json) {
    if (!json.empty()) WriteAnnotation(event_, event::kAnnotations, key, json, sequence.names);
  };
  write("ph", Quoted({&event.phase, 1}));
  write("name", event.name);
  write("cat", event.category);
  write("pid", event.pid);
  write("tid", event.tid);
  write("id", event.id);
  if (!event.has_time) write("ts", "null");
  for (const JsonField& field : event.others) write(field.key, field.json);
  if (!event.odd_args.empty()) {
    write("args", event.odd_args);
  } else if (event.has_args) {
    std::string args = "{";
    for (const JsonField& arg : event.args) {
      if (args.size() > 1) args += ',';
      AppendQuoted(args, arg.key);
      args += ':';
      args += arg.json;
    }
    write("args", args + "}");
  }
  if (flow_id != 0) write(kRecordFlowId, std::to_string(flow_id));
  EndEvent(sequence);
}

void PerfettoWriter::Event(const TraceEvent& event, size_t input_index) {
  WriteBeforeEvents();
  Input& input = inputs_[input_index];
  switch (event.table) {
    case TraceEvent::Table::kSpan:
      return WriteSlice(event, input);
    case TraceEvent::Table::kMemory:
      return WriteInstant(event, input);
    case TraceEvent::Table::kInstant:
      return event.phase == 'i' ? WriteInstant(event, input) : WriteAsync(event, input);
    case TraceEvent::Table::kCounter:
      return WriteCounter(event, input_index);
    case TraceEvent::Table::kFlow: {
      const FlowTable& flows = input.plan->trace->flows;
      const bool bound = input.bound_flows[event.row];
      const std::string_view category = input.plan->trace->Text(
          input.plan->trace->categories[static_cast<size_t>(flows.category_id[event.row])].text);
      const bool ends = event.phase == 'f';
      const bool usual_others = ends ? event.others.size() == 1 && event.others[0].key == "bp" &&
                                           event.others[0].json == "\"e\""
                                     : event.others.empty();
      const bool usual = bound && usual_others && !event.has_args && IsString(event.category) &&
                         IntegerOf(event.id) && IsString(event.name) &&
                         Unquoted(event.name) == FlowName(category);
      if (usual) return;  // its slice says it all
      uint64_t flow_id = 0;
      if (bound) {
        const auto rank = static_cast<uint64_t>(input_index);
        flow_id = input.flow_kind[static_cast<size_t>(flows.category_id[event.row])]
                      << kFlowIdBits |
                  rank << 40 | flows.id[event.row];
      }
      return WriteRecord(event, input, flow_id);
    }
    case TraceEvent::Table::kNone:
      break;
  }
  if (event.phase == 'M') {
    static constexpr std::string_view kNames[] = {"\"process_name\"", "\"process_labels\"",
                                                  "\"process_sort_index\"", "\"thread_name\"",
                                                  "\"thread_sort_index\""};
    // The tracks say these already.
    if (std::find(std::begin(kNames), std::end(kNames), event.name) != std::end(kNames)) return;
  }
  WriteRecord(event, input, 0);
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

void PerfettoWriter::Metadata(std::string_view key, std::string_view json) {
  metadata_.emplace_back(key, json);
}

void PerfettoWriter::WriteMetadata() {
  if (metadata_.empty()) return;
  Sequence& sequence = *sequences_[0];
  BeginEvent(sequence, first_time_ns_, event::kInstant, metadata_uuid_);
  event_.Uint(event::kCategoryIids,
              sequence.names.categories.Id(kMetadataCategory, sequence.names.fresh));
  event_.Uint(event::kNameIid, sequence.names.events.Id(kMetadataName, sequence.names.fresh));
  for (const auto& [key, json] : metadata_) {
    WriteAnnotation(event_, event::kAnnotations, key, json, sequence.names);
  }
  EndEvent(sequence);
  metadata_.clear();
}

void PerfettoWriter::Finish() {
  WriteBeforeEvents();
  for (Input& input : inputs_) {
    // Parents that never came.
    for (const auto& [parent, children] : input.waiting) {
      for (const auto& [child, bytes] : children) sink_.Write(bytes);
    }
    input.waiting.clear();
  }
  WriteMetadata();
}

}  // namespace telltale
