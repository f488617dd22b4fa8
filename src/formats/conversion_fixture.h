// SPDX-License-Identifier: Apache-2.0
// For tests: conversions in memory.
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "formats/event_listener.h"
#include "formats/kineto_json/reader.h"
#include "formats/kineto_json/trace_dump.h"
#include "formats/kineto_json/writer.h"
#include "formats/perfetto/detect.h"
#include "formats/perfetto/reader.h"
#include "formats/perfetto/writer.h"
#include "formats/trace_events.h"
#include "formats/trace_plan.h"
#include "io/byte_sink.h"
#include "io/byte_source.h"

namespace telltale {

class PassAll final : public TraceEventVisitor {
 public:
  explicit PassAll(TraceWriter& writer) : writer_(writer) {}
  bool OnEvent(TraceEvent& event) override {
    writer_.Event(event, 0);
    return true;
  }
  void OnMetadata(std::string_view key, std::string_view json) override {
    writer_.Metadata(key, json);
  }
  void OnUnusable() override { ++unusable; }
  int unusable = 0;

 private:
  TraceWriter& writer_;
};

// Does nothing: with it, a reader makes the text of every event.
class DeafListener final : public EventListener {
 public:
  void OnEvent(uint64_t /*offset*/, std::string_view /*text*/) override {}
  void OnMetadata(std::string_view /*key*/, const trace_rows::Value& /*value*/) override {}
};

// Of a Perfetto trace, the rows made without the text of events must be those made of it.
inline Result<Trace> ReadAnyTrace(std::string_view bytes, size_t chunk = SIZE_MAX) {
  const auto source = OpenMemory(bytes, chunk);
  ReadOptions options;
  options.threads = 1;
  if (!IsPerfettoTrace(bytes)) return ReadKinetoJson(*source, options);
  Result<Trace> trace = ReadPerfetto(*source, options);
  const auto again = OpenMemory(bytes, chunk);
  DeafListener listener;
  const Result<Trace> of_text = ReadPerfettoEvents(*again, options, listener);
  EXPECT_EQ(trace.has_value(), of_text.has_value());
  if (trace && of_text) {
    EXPECT_EQ(DumpTrace(*trace), DumpTrace(*of_text));
  }
  return trace;
}

// The trace in `bytes`, of either format, as the other one or the same.
inline std::string Converted(std::string_view bytes, bool to_perfetto) {
  const Result<Trace> trace = ReadAnyTrace(bytes);
  if (!trace) {
    ADD_FAILURE() << trace.error().message;
    return {};
  }
  std::string out;
  const auto sink = MakeStringSink(out);
  const std::vector<TracePlan> plans = {PlanWholeTrace(*trace)};
  std::unique_ptr<TraceWriter> writer;
  if (to_perfetto) {
    writer = std::make_unique<PerfettoWriter>(*sink, plans);
  } else {
    writer = std::make_unique<KinetoJsonWriter>(*sink);
  }
  PassAll pass(*writer);
  const auto source = OpenMemory(bytes);
  EXPECT_TRUE(VisitTraceEvents(*trace, *source, {}, pass));
  writer->Finish();
  return out;
}

// The events of a JSON file that KinetoJsonWriter wrote, one a line, names of tracks apart, in an
// order that does not depend on that of the file.
inline std::vector<std::string> EventLines(const std::string& json) {
  std::vector<std::string> lines;
  std::istringstream stream(json);
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("{\"ph\"") && !line.starts_with("{\"ph\":\"M\"")) {
      if (line.back() == ',') line.pop_back();
      lines.push_back(line);
    }
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

}  // namespace telltale
