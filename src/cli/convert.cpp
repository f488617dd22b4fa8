// SPDX-License-Identifier: Apache-2.0
#include "cli/convert.h"

#include <memory>

#include "formats/kineto_json/writer.h"
#include "formats/perfetto/writer.h"
#include "formats/trace_events.h"

namespace telltale {

namespace {

std::string_view WithoutCompression(std::string_view path) {
  for (const std::string_view end : {".gz", ".zst", ".zstd"}) {
    if (path.ends_with(end)) return path.substr(0, path.size() - end.size());
  }
  return path;
}

// Passes the kept events of one trace on to the writer.
class Passing final : public TraceEventVisitor {
 public:
  Passing(const TracePlan& plan, size_t input, TraceWriter& writer, ByteSink& sink,
          ConvertReport& report)
      : plan_(plan), input_(input), writer_(writer), sink_(sink), report_(report) {}

  bool OnEvent(TraceEvent& event) override {
    ++report_.events_in;
    if (!Keeps(event)) return sink_.wanted();
    if (event.has_time) event.time_ns += plan_.shift_ns;
    ++report_.events_out;
    writer_.Event(event, input_);
    return sink_.wanted();
  }
  void OnMetadata(std::string_view key, std::string_view json) override {
    if (input_ == 0) writer_.Metadata(key, json);
  }
  void OnUnusable() override {
    ++report_.events_in;
    ++report_.lost["events without a usable time"];
  }

 private:
  [[nodiscard]] bool Keeps(const TraceEvent& event) const {
    switch (event.table) {
      case TraceEvent::Table::kSpan:
        return TracePlan::Keeps(plan_.spans, event.row);
      case TraceEvent::Table::kMemory:
        return TracePlan::Keeps(plan_.memory, event.row);
      case TraceEvent::Table::kFlow:
        return TracePlan::Keeps(plan_.flows, event.row);
      case TraceEvent::Table::kCounter:
        return TracePlan::Keeps(plan_.counters, event.row);
      case TraceEvent::Table::kInstant:
        return TracePlan::Keeps(plan_.instants, event.row);
      case TraceEvent::Table::kNone:
        break;
    }
    return true;
  }

  const TracePlan& plan_;
  size_t input_;
  TraceWriter& writer_;
  ByteSink& sink_;
  ConvertReport& report_;
};

}  // namespace

std::optional<ConvertTarget> TargetForName(std::string_view path) {
  const std::string_view name = WithoutCompression(path);
  if (name.ends_with(".pftrace") || name.ends_with(".perfetto-trace") ||
      name.ends_with(".perfetto")) {
    return ConvertTarget::kPerfetto;
  }
  if (name.ends_with(".speedscope.json")) return ConvertTarget::kSpeedscope;
  if (name.ends_with(".json")) return ConvertTarget::kKineto;
  if (name.ends_with(".prof") || name.ends_with(".pstats")) return ConvertTarget::kPstats;
  if (name.ends_with(".folded") || name.ends_with(".collapsed") || name.ends_with(".txt")) {
    return ConvertTarget::kCollapsed;
  }
  if (name.ends_with(".csv")) return ConvertTarget::kCsv;
  return std::nullopt;
}

Result<ConvertReport> ConvertTraces(std::span<const TracePlan> plans, ConvertTarget target,
                                    ByteSink& sink, const std::function<void(uint64_t)>& progress) {
  ConvertReport report;
  std::unique_ptr<TraceWriter> writer;
  if (target == ConvertTarget::kPerfetto) {
    writer = std::make_unique<PerfettoWriter>(sink, plans);
  } else {
    writer = std::make_unique<KinetoJsonWriter>(sink);
  }
  uint64_t before = 0;
  for (size_t i = 0; i < plans.size() && sink.wanted(); ++i) {
    Passing passing(plans[i], i, *writer, sink, report);
    ReadOptions options;
    uint64_t last = 0;
    options.progress = [&](uint64_t consumed) {
      last = consumed;
      if (progress) progress(before + consumed);
    };
    if (const Result<void> done = VisitTraceEvents(*plans[i].trace, options, passing); !done) {
      return tl::unexpected<Error>(done.error());
    }
    before += last;
  }
  writer->Finish();
  for (const auto& [what, count] : writer->lost()) report.lost[what] += count;
  return report;
}

}  // namespace telltale
