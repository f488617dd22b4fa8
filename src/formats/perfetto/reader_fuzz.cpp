// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes, in chunks of any size, must give the same trace and never crash,
// with or without the text of events, and what was read can be written as JSON and as Perfetto and
// read again with as many spans.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

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

namespace {

using namespace telltale;

void Check(bool good, const std::string& what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

Result<Trace> Read(std::string_view bytes, size_t chunk) {
  const auto source = OpenMemory(bytes, chunk);
  return ReadPerfetto(*source);
}

std::string Dump(const Result<Trace>& trace) {
  return trace ? DumpTrace(*trace) : "error: " + trace.error().message;
}

class Deaf final : public EventListener {
 public:
  void OnEvent(uint64_t /*offset*/, std::string_view /*text*/) override {}
  void OnMetadata(std::string_view /*key*/, const trace_rows::Value& /*value*/) override {}
};

Result<Trace> ReadText(std::string_view bytes) {
  const auto source = OpenMemory(bytes);
  Deaf listener;
  return ReadPerfettoEvents(*source, {}, listener);
}

class Pass final : public TraceEventVisitor {
 public:
  explicit Pass(TraceWriter& writer) : writer_(writer) {}
  bool OnEvent(TraceEvent& event) override {
    writer_.Event(event, 0);
    return true;
  }
  void OnMetadata(std::string_view key, std::string_view json) override {
    writer_.Metadata(key, json);
  }
  void OnUnusable() override {}

 private:
  TraceWriter& writer_;
};

std::string Write(const Trace& trace, std::string_view bytes, bool to_perfetto) {
  std::string out;
  const auto sink = MakeStringSink(out);
  const std::vector<TracePlan> plans = {PlanWholeTrace(trace)};
  std::unique_ptr<TraceWriter> writer;
  if (to_perfetto) {
    writer = std::make_unique<PerfettoWriter>(*sink, plans);
  } else {
    writer = std::make_unique<KinetoJsonWriter>(*sink);
  }
  Pass pass(*writer);
  const auto source = OpenMemory(bytes);
  (void)VisitTraceEvents(trace, *source, {}, pass);
  writer->Finish();
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)IsPerfettoTrace(bytes);
  const Result<Trace> whole = Read(bytes, SIZE_MAX);
  const std::string expected = Dump(whole);
  const std::string found = Dump(Read(bytes, size_t{1} + data[0]));
  Check(expected == found, "chunks differ:\n" + expected + "--- cut:\n" + found);
  const std::string of_text = Dump(ReadText(bytes));
  Check(expected == of_text, "text differs:\n" + expected + "--- of text:\n" + of_text);
  if (!whole) return 0;
  const std::string json = Write(*whole, bytes, false);
  const auto source = OpenMemory(json);
  ReadOptions options;
  options.threads = 1;
  const Result<Trace> as_json = ReadKinetoJson(*source, options);
  // A list of nothing but events of unknown phases is no trace to the reader of JSON.
  const bool any_event =
      json.find("{\"ph\"") != std::string::npos &&
      whole->source.events > whole->diagnostics.Count(DiagnosticKind::kUnknownPhase);
  Check(as_json.has_value() || !any_event, "the JSON written from it is no trace:\n" + json);
  if (as_json) {
    Check(as_json->spans.size() == whole->spans.size(), "JSON has other spans:\n" + json);
  }
  const Result<Trace> again = Read(Write(*whole, bytes, true), SIZE_MAX);
  Check(again.has_value() && again->spans.size() == whole->spans.size(),
        "Perfetto has other spans:\n" + Dump(again) + "--- before:\n" + expected);
  return 0;
}
