// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_rows/fragment.h"

namespace telltale::trace_rows {

void Fragment::Clear() {
  const auto clear = [](auto&... containers) { (containers.clear(), ...); };
  clear(spans.start_ns, spans.duration_ns, spans.name, spans.track, spans.category_id,
        spans.category, spans.detail, spans.offset);
  clear(operator_details, runtime_details, device_details, sync_details, python_details,
        collectives);
  clear(memory.time_ns, memory.track, memory.address, memory.bytes, memory.total_allocated,
        memory.total_reserved, memory.device_type, memory.device_id, memory.offset);
  clear(flows.time_ns, flows.id, flows.track, flows.category_id, flows.phase, flows.offset);
  clear(counters.time_ns, counters.track, counters.name, counters.series, counters.value,
        counters.offset);
  clear(instants.time_ns, instants.track, instants.name, instants.category_id, instants.phase,
        instants.id, instants.offset);
  clear(ends, begin_spans, marks, new_strings, new_tracks, new_categories);
  events = 0;
  diagnostics = {};
}

}  // namespace telltale::trace_rows
