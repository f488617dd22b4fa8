// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/trace_dump.h"

#include <algorithm>
#include <sstream>
#include <vector>

namespace telltale {

namespace {

class Dumper {
 public:
  explicit Dumper(const Trace& trace) : trace_(trace) {}

  std::string Run() {
    out_ << "events " << trace_.source.events << " decoded " << trace_.source.decoded_bytes
         << " base " << trace_.base_time_ns << '\n';
    for (const Diagnostic& d : trace_.diagnostics.entries()) {
      Row("diagnostic", InfoOf(d.kind).name, d.count, d.first_offset ? *d.first_offset : 0);
    }
    for (const DeviceProperties& d : trace_.devices) {
      Row("device", d.id, d.name, d.memory_bytes, d.compute_major, d.compute_minor);
    }
    Row("distributed", trace_.distributed.backend, trace_.distributed.rank,
        trace_.distributed.world_size);
    for (const auto& [key, value] : trace_.metadata) Row("metadata", key, value);
    std::vector<std::string> names;
    for (const Track& t : trace_.tracks) {
      names.push_back("track|" + Name(t) + '|' + std::string(Text(t.thread_name)) + '|' +
                      std::to_string(t.thread_sort_index));
    }
    for (const Process& p : trace_.processes) {
      names.push_back("process|" + std::string(Text(p.pid.text)) + '|' + std::string(Text(p.name)) +
                      '|' + std::string(Text(p.labels)) + '|' + std::to_string(p.sort_index));
    }
    std::sort(names.begin(), names.end());  // their numbers depend on how the text was cut
    for (const std::string& name : names) Row(name);
    Spans();
    Others();
    return out_.str();
  }

 private:
  [[nodiscard]] std::string_view Text(StringId id) const {
    return id == kNoString ? std::string_view("-") : trace_.Text(id);
  }
  [[nodiscard]] std::string_view Cat(CategoryId id) const {
    return Text(trace_.categories[static_cast<size_t>(id)].text);
  }

  [[nodiscard]] std::string Name(const Track& t) const {
    return std::string(Text(t.pid.text)) + '/' + std::string(Text(t.tid.text));
  }
  [[nodiscard]] std::string Name(TrackId id) const {
    return Name(trace_.tracks[static_cast<uint32_t>(id)]);
  }

  template <typename... Values>
  void Row(const Values&... values) {
    ((out_ << values << '|'), ...);
    out_ << '\n';
  }

  void Collective(uint32_t row) {
    if (row == kNoDetail) return;
    const CollectiveDetail& c = trace_.collectives[row];
    Row("  collective", Text(c.name), Text(c.dtype), Text(c.group_name), Text(c.group_description),
        Text(c.group_ranks), c.in_elements, c.out_elements, c.group_size, c.sequence,
        c.communicator, c.source_rank, c.destination_rank);
  }

  void Spans() {
    const SpanTable& s = trace_.spans;
    for (size_t i = 0; i < s.size(); ++i) {
      Row("span", s.start_ns[i], s.duration_ns[i], Text(s.name[i]), Name(s.track[i]),
          Cat(s.category_id[i]), NameOf(s.category[i]), s.offset[i]);
      if (const OperatorDetail* op = trace_.OperatorOf(i)) {
        Row("  operator", op->external_id, op->sequence_number, op->forward_thread,
            Text(op->input_dims), Text(op->input_types), Text(op->concrete_inputs),
            Text(op->call_stack), op->finished);
        Collective(op->collective);
      } else if (const RuntimeDetail* call = trace_.RuntimeOf(i)) {
        Row("  runtime", call->correlation, call->external_id);
      } else if (const DeviceDetail* d = trace_.DeviceOf(i)) {
        Row("  device", d->correlation, d->external_id, d->device, d->stream, d->bytes,
            d->bandwidth_gb_per_s, d->blocks_per_sm, d->warps_per_sm, d->occupancy_percent,
            d->grid[0], d->grid[1], d->grid[2], d->block[0], d->block[1], d->block[2],
            d->registers_per_thread, d->shared_memory_bytes, d->graph_id, d->graph_node_id);
        Collective(d->collective);
      } else if (s.category[i] == Category::kPython) {
        const PythonDetail& p = trace_.python_details[s.detail[i]];
        Row("  python", p.python_id, p.parent_id, p.module_id, Text(p.call_from));
      } else if (s.category[i] == Category::kSync) {
        const SyncDetail& y = trace_.sync_details[s.detail[i]];
        Row("  sync", y.correlation, y.device, y.stream, y.wait_on_stream,
            y.wait_on_record_correlation, y.wait_on_event);
      }
    }
  }

  void Others() {
    const MemoryTable& m = trace_.memory;
    for (size_t i = 0; i < m.size(); ++i) {
      Row("memory", m.time_ns[i], Name(m.track[i]), m.address[i], m.bytes[i], m.total_allocated[i],
          m.total_reserved[i], m.device_type[i], m.device_id[i], m.offset[i]);
    }
    const FlowTable& f = trace_.flows;
    for (size_t i = 0; i < f.size(); ++i) {
      Row("flow", f.time_ns[i], f.id[i], Name(f.track[i]), Cat(f.category_id[i]),
          static_cast<int>(f.phase[i]), f.offset[i]);
    }
    const CounterTable& c = trace_.counters;
    for (size_t i = 0; i < c.size(); ++i) {
      Row("counter", c.time_ns[i], Text(c.name[i]), Text(c.series[i]), c.value[i], c.offset[i]);
    }
    const InstantTable& n = trace_.instants;
    for (size_t i = 0; i < n.size(); ++i) {
      Row("instant", n.time_ns[i], Text(n.name[i]), Cat(n.category_id[i]), n.phase[i], n.id[i],
          n.offset[i]);
    }
  }

  const Trace& trace_;
  std::ostringstream out_;
};

}  // namespace

std::string DumpTrace(const Trace& trace) { return Dumper(trace).Run(); }

}  // namespace telltale
