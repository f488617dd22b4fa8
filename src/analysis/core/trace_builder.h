// SPDX-License-Identifier: Apache-2.0
// Hand-made traces for tests: one call an event, times as [start, end) in ns. Only what a test
// names is set; details can be changed afterwards through trace().
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "model/trace.h"

namespace telltale {

class TraceBuilder {
 public:
  static constexpr int64_t kHostPid = 100;

  SpanRow Add(std::string_view cat_text, std::string_view name, int64_t start, int64_t end,
              TrackId track) {
    SpanTable& spans = trace_.spans;
    spans.start_ns.push_back(start);
    spans.duration_ns.push_back(end - start);
    spans.name.push_back(trace_.strings.Intern(name));
    spans.track.push_back(track);
    spans.category.push_back(CategoryOf(cat_text));
    spans.category_id.push_back(CategoryNumber(cat_text));
    spans.detail.push_back(kNoDetail);
    spans.offset.push_back(1000 + 10 * (spans.size() - 1));
    return static_cast<SpanRow>(spans.size() - 1);
  }

  SpanRow Operator(std::string_view name, int64_t start, int64_t end, int64_t tid = 1) {
    return WithDetail(Add("cpu_op", name, start, end, Track(kHostPid, tid)),
                      trace_.operator_details, {});
  }
  SpanRow Annotation(std::string_view name, int64_t start, int64_t end, int64_t tid = 1) {
    return WithDetail(Add("user_annotation", name, start, end, Track(kHostPid, tid)),
                      trace_.operator_details, {});
  }
  SpanRow Runtime(std::string_view name, int64_t start, int64_t end, uint64_t correlation = kNoUint,
                  int64_t tid = 1) {
    return WithDetail(Add("cuda_runtime", name, start, end, Track(kHostPid, tid)),
                      trace_.runtime_details, {.correlation = correlation});
  }
  SpanRow Python(std::string_view name, int64_t start, int64_t end, int64_t tid = 1) {
    return WithDetail(Add("python_function", name, start, end, Track(kHostPid, tid)),
                      trace_.python_details, {});
  }
  SpanRow Kernel(std::string_view name, int64_t start, int64_t end, uint64_t correlation = kNoUint,
                 int64_t device = 0, int64_t stream = 7) {
    return Device("kernel", name, start, end, correlation, device, stream);
  }
  SpanRow Memcpy(std::string_view name, int64_t start, int64_t end, uint64_t correlation = kNoUint,
                 int64_t device = 0) {
    return Device("gpu_memcpy", name, start, end, correlation, device, 7);
  }
  SpanRow Memset(std::string_view name, int64_t start, int64_t end, uint64_t correlation = kNoUint,
                 int64_t device = 0) {
    return Device("gpu_memset", name, start, end, correlation, device, 7);
  }
  SpanRow Device(std::string_view cat_text, std::string_view name, int64_t start, int64_t end,
                 uint64_t correlation, int64_t device, int64_t stream) {
    DeviceDetail detail;
    detail.correlation = correlation;
    detail.device = device;
    detail.stream = stream;
    return WithDetail(Add(cat_text, name, start, end, Track(device, stream)), trace_.device_details,
                      detail);
  }

  void Memory(int64_t time, int64_t bytes, int64_t tid = 1, int16_t device_type = 0) {
    MemoryTable& memory = trace_.memory;
    memory.time_ns.push_back(time);
    memory.track.push_back(Track(kHostPid, tid));
    memory.address.push_back(kNoUint);
    memory.bytes.push_back(bytes);
    memory.total_allocated.push_back(kNoInt);
    memory.total_reserved.push_back(kNoInt);
    memory.device_type.push_back(device_type);
    memory.device_id.push_back(-1);
    memory.offset.push_back(0);
  }

  void Flow(std::string_view cat_text, uint64_t id, FlowPhase phase, int64_t time,
            int64_t tid = 1) {
    FlowTable& flows = trace_.flows;
    flows.time_ns.push_back(time);
    flows.id.push_back(id);
    flows.track.push_back(Track(kHostPid, tid));
    flows.category_id.push_back(CategoryNumber(cat_text));
    flows.phase.push_back(phase);
    flows.offset.push_back(0);
  }

  OperatorDetail& OperatorDetailOf(SpanRow row) {
    return trace_.operator_details[trace_.spans.detail[row]];
  }
  DeviceDetail& DeviceDetailOf(SpanRow row) {
    return trace_.device_details[trace_.spans.detail[row]];
  }
  StringId Text(std::string_view text) { return trace_.strings.Intern(text); }
  void Collective(SpanRow kernel, std::string_view name) {
    CollectiveDetail detail;
    detail.name = Text(name);
    DeviceDetailOf(kernel).collective = static_cast<uint32_t>(trace_.collectives.size());
    trace_.collectives.push_back(detail);
  }

  TrackId Track(int64_t pid, int64_t tid) {
    for (size_t i = 0; i < trace_.tracks.size(); ++i) {
      const telltale::Track& known = trace_.tracks[i];
      if (known.pid.number == pid && known.tid.number == tid)
        return TrackId{static_cast<uint32_t>(i)};
    }
    telltale::Track track;
    track.pid = {Text(std::to_string(pid)), pid};
    track.tid = {Text(std::to_string(tid)), tid};
    while (track.process < trace_.processes.size() &&
           trace_.processes[track.process].pid.number != pid) {
      ++track.process;
    }
    if (track.process == trace_.processes.size()) {
      trace_.processes.emplace_back();
      trace_.processes.back().pid = track.pid;
    }
    trace_.tracks.push_back(track);
    return TrackId{static_cast<uint32_t>(trace_.tracks.size() - 1)};
  }

  Trace& trace() { return trace_; }

 private:
  CategoryId CategoryNumber(std::string_view cat_text) {
    const StringId text = Text(cat_text);
    for (size_t i = 0; i < trace_.categories.size(); ++i) {
      if (trace_.categories[i].text == text) return CategoryId{static_cast<uint16_t>(i)};
    }
    trace_.categories.push_back({text, CategoryOf(cat_text)});
    return CategoryId{static_cast<uint16_t>(trace_.categories.size() - 1)};
  }

  template <typename Detail>
  SpanRow WithDetail(SpanRow row, Column<Detail>& details, const Detail& detail) {
    trace_.spans.detail[row] = static_cast<uint32_t>(details.size());
    details.push_back(detail);
    return row;
  }

  Trace trace_;
};

}  // namespace telltale
