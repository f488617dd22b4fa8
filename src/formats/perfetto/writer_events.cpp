// SPDX-License-Identifier: Apache-2.0
// The part of PerfettoWriter that writes events: slices, instants, counters, flows, and records of
// what has no native form.
#include <algorithm>
#include <charconv>
#include <optional>

#include "base/json/text.h"
#include "formats/perfetto/annotations.h"
#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"
#include "formats/perfetto/json_values.h"
#include "formats/perfetto/writer.h"

namespace telltale {

using namespace perfetto;

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

}  // namespace telltale
