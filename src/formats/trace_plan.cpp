// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_plan.h"

#include "base/json/text.h"
#include "formats/event_text.h"

namespace telltale {

std::string JsonOfKey(const Trace& trace, const TrackKey& key) {
  return key.number != kNoInt ? std::to_string(key.number) : Quoted(trace.Text(key.text));
}

TracePlan PlanWholeTrace(const Trace& trace) {
  TracePlan plan;
  plan.trace = &trace;
  const auto text = [&](StringId id) {
    return id == kNoString ? std::string() : std::string(trace.Text(id));
  };
  for (const Process& process : trace.processes) {
    plan.processes.push_back({JsonOfKey(trace, process.pid), text(process.name),
                              text(process.labels), process.sort_index});
  }
  for (const Track& track : trace.tracks) {
    plan.tracks.push_back({JsonOfKey(trace, track.tid), text(track.thread_name),
                           track.thread_sort_index, track.process});
  }
  return plan;
}

}  // namespace telltale
