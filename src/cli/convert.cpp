// SPDX-License-Identifier: Apache-2.0
#include "cli/convert.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <memory>

#include <fmt/format.h>

#include "analysis/core/sums.h"
#include "analysis/distributed/alignment.h"
#include "analysis/work/counters.h"
#include "base/json/text.h"
#include "formats/trace_events.h"
#include "views/events/events.h"
#include "views/render/output.h"

namespace telltale {

namespace {

// Ids of merged files are kept apart by these bits, above any that a capture uses.
constexpr int kRankShift = 40;
// Pids too: process 12345 of the second file is 20012345.
constexpr int64_t kPidsPerFile = 10'000'000;

std::optional<uint64_t> Unsigned(std::string_view json) {
  uint64_t number = 0;
  const auto [end, error] = std::from_chars(json.data(), json.data() + json.size(), number);
  if (json.empty() || error != std::errc() || end != json.data() + json.size()) return std::nullopt;
  return number;
}

// How the events of one of several files are told from those of the others.
struct RankNames {
  size_t input = 0;
  std::string prefix;  // "rank 3: "

  [[nodiscard]] std::string Pid(std::string_view json) const {
    const auto number = Unsigned(json);
    if (number && *number < static_cast<uint64_t>(kPidsPerFile)) {
      return std::to_string(static_cast<int64_t>(input + 1) * kPidsPerFile +
                            static_cast<int64_t>(*number));
    }
    return Quoted(prefix + Unquoted(json));
  }
  [[nodiscard]] std::string Id(std::string_view json) const {
    const auto number = Unsigned(json);
    if (number && *number >> kRankShift == 0) {
      return std::to_string(static_cast<uint64_t>(input) << kRankShift | *number);
    }
    return Quoted(prefix + Unquoted(json));
  }
};

// Passes the kept events of one trace on to the writer.
class Passing final : public TraceEventVisitor {
 public:
  Passing(const TracePlan& plan, size_t input, const RankNames* names, Redactor* redactor,
          TraceWriter& writer, ByteSink& sink, ConvertReport& report)
      : plan_(plan),
        input_(input),
        names_(names),
        redactor_(redactor),
        writer_(writer),
        sink_(sink),
        report_(report) {}

  bool OnEvent(TraceEvent& event) override {
    ++report_.events_in;
    if (!Keeps(event)) return sink_.wanted();
    if (event.has_time) event.time_ns += plan_.shift_ns;
    if (redactor_ != nullptr) redactor_->Clean(event);
    if (names_ != nullptr) Rename(event);
    ++report_.events_out;
    writer_.Event(event, input_);
    return sink_.wanted();
  }
  void OnMetadata(std::string_view key, std::string_view json) override {
    if (input_ != 0) return;
    if (redactor_ == nullptr) return writer_.Metadata(key, json);
    if (!Redactor::KeepsMetadata(key)) {
      ++report_.lost["top-level values (--redact)"];
      return;
    }
    writer_.Metadata(key, redactor_->Clean(json, false));
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

  void Rename(TraceEvent& event) {
    texts_.clear();
    if (!event.pid.empty()) event.pid = texts_.emplace_back(names_->Pid(event.pid));
    if (!event.id.empty()) event.id = texts_.emplace_back(names_->Id(event.id));
    for (JsonField& arg : event.args) {
      // The numbers by which calls and their kernels find each other.
      if (names_->input > 0 &&
          (arg.key == "correlation" || arg.key == "External id" || arg.key == "external id" ||
           arg.key == "wait_on_cuda_event_record_corr_id")) {
        if (Unsigned(arg.json)) arg.json = texts_.emplace_back(names_->Id(arg.json));
      }
      if (event.phase == 'M' && event.name == "\"process_name\"" && arg.key == "name") {
        arg.json = texts_.emplace_back(Quoted(names_->prefix + Unquoted(arg.json)));
      }
    }
  }

  const TracePlan& plan_;
  size_t input_;
  const RankNames* names_;
  Redactor* redactor_;
  TraceWriter& writer_;
  ByteSink& sink_;
  ConvertReport& report_;
  std::deque<std::string> texts_;
};

// CSV goes through the writer of the events view.
class SinkOutput final : public Output {
 public:
  explicit SinkOutput(ByteSink& sink) : sink_(sink) {}
  void Write(std::string_view text) override { sink_.Write(text); }
  [[nodiscard]] bool wanted() const override { return sink_.wanted(); }

 private:
  ByteSink& sink_;
};

// From the first span's start to the last one's end, as written in the trace.
std::optional<Interval> ExtentOf(const Trace& trace) {
  std::optional<Interval> extent;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    const Interval span{trace.spans.start_ns[row], trace.spans.end_ns(row)};
    if (!extent) extent = span;
    extent->start_ns = std::min(extent->start_ns, span.start_ns);
    extent->end_ns = std::max(extent->end_ns, span.end_ns);
  }
  return extent;
}

bool KeepsAny(const std::vector<bool>& kept, size_t rows) {
  return kept.empty() ? rows > 0 : std::find(kept.begin(), kept.end(), true) != kept.end();
}

bool KeepsAny(const Trace& trace, const CutRows& rows) {
  return KeepsAny(rows.spans, trace.spans.size()) || KeepsAny(rows.memory, trace.memory.size()) ||
         KeepsAny(rows.counters, trace.counters.size()) ||
         KeepsAny(rows.instants, trace.instants.size());
}

// `all`: of all files, on the common clock.
Error NothingLeft(const ConvertOptions& options, const std::optional<Interval>& all) {
  std::string message;
  if (options.window) {
    message = fmt::format("--window {} holds none of the wanted events", options.window_text);
    if (all) {
      const int64_t zero = options.window_is_absolute ? 0 : all->start_ns;
      const auto moment = [&](int64_t time_ns) {
        const int64_t since = Difference(time_ns, zero);
        return options.window_is_absolute ? std::to_string(since)
                                          : fmt::format("{}.{:03}us", since / 1000, since % 1000);
      };
      message += fmt::format("; the trace itself is --window {}..{}", moment(all->start_ns),
                             moment(all->end_ns));
    }
  } else {
    message =
        fmt::format("there are no events of --categories {}{}", fmt::join(options.categories, ","),
                    options.steps ? " in these steps" : "");
  }
  return {ErrorCode::kUsage, std::move(message), std::nullopt};
}

// What an event view shows of a span, without private facts. Valid until the next row.
class RowRedactor {
 public:
  explicit RowRedactor(std::span<const Trace* const> traces) {
    for (const Trace* trace : traces) redactors_.emplace_back(*trace);
  }
  void Clean(EventRow& row) {
    texts_.clear();
    const Redactor& redactor = redactors_[row.file];
    const auto clean = [&](std::string_view& text, bool is_code) {
      text = texts_.emplace_back(redactor.Clean(text, is_code));
    };
    clean(row.name, row.kind == NameOf(Category::kPython));
    clean(row.pid, true);
    clean(row.tid, true);
    if (row.op) clean(*row.op, false);
  }

 private:
  std::deque<Redactor> redactors_;
  std::deque<std::string> texts_;
};

// Processes that the file itself does not name.
void NameProcesses(const Trace& trace, const TracePlan& plan, size_t input, TraceWriter& writer) {
  for (size_t i = 0; i < plan.processes.size(); ++i) {
    if (trace.processes[i].name != kNoString || plan.processes[i].name.empty()) continue;
    const std::string name = Quoted(plan.processes[i].name);
    TraceEvent event;
    event.phase = 'M';
    event.name = "\"process_name\"";
    event.pid = plan.processes[i].pid;
    event.tid = "0";
    event.has_args = true;
    event.args.push_back({"name", name});
    writer.Event(event, input);
  }
}

std::string RankText(const Trace& trace, size_t input) {
  return trace.source.rank != kNoInt ? fmt::format("rank {}", trace.source.rank)
                                     : fmt::format("file {}", input);
}

}  // namespace

Result<ConvertReport> ConvertTraces(std::span<const TraceContext> contexts,
                                    const ConvertOptions& options, ByteSink& sink,
                                    const std::function<void(uint64_t)>& progress) {
  ConvertReport report;
  const bool merged = contexts.size() > 1;
  Alignment alignment;
  if (merged) alignment = AlignRanks(contexts);
  const int64_t base = contexts.empty() ? 0 : contexts.front().trace.base_time_ns;
  std::optional<Interval> all;  // of all files, on the common clock
  for (size_t i = 0; i < contexts.size(); ++i) {
    const std::optional<Interval> extent = ExtentOf(contexts[i].trace);
    if (!extent) continue;
    const auto common = [&](int64_t time) {
      return merged ? alignment.CommonTime(contexts[i].trace, i, time)
                    : time + contexts[i].trace.base_time_ns;
    };
    const Interval here{common(extent->start_ns), common(extent->end_ns)};
    if (!all) all = here;
    all = Interval{std::min(all->start_ns, here.start_ns), std::max(all->end_ns, here.end_ns)};
  }

  std::vector<TracePlan> plans;
  std::vector<RankNames> names;
  std::deque<Redactor> redactors;
  bool keeps_any = false;
  for (size_t i = 0; i < contexts.size(); ++i) {
    const Trace& trace = contexts[i].trace;
    TracePlan plan = PlanWholeTrace(trace);
    const int64_t to_common =
        trace.base_time_ns + (merged ? alignment.files[i].offset_ns : int64_t{0});
    plan.shift_ns = to_common - base;
    CutOptions cut;
    cut.steps = options.steps;
    cut.categories = options.categories;
    if (options.window) {
      const int64_t zero = options.window_is_absolute || !all ? 0 : all->start_ns;
      cut.window = Interval{options.window->start_ns + zero - to_common,
                            options.window->end_ns > INT64_MAX - std::abs(zero - to_common)
                                ? INT64_MAX
                                : options.window->end_ns + zero - to_common};
    }
    CutRows rows = CutTrace(contexts[i], cut);
    keeps_any |= KeepsAny(trace, rows);
    plan.spans = std::move(rows.spans);
    plan.memory = std::move(rows.memory);
    plan.flows = std::move(rows.flows);
    plan.counters = std::move(rows.counters);
    plan.instants = std::move(rows.instants);
    redactors.emplace_back(trace);
    if (options.redact) redactors.back().Clean(plan);
    names.push_back({i, RankText(trace, i) + ": "});
    if (merged) {
      for (PlannedProcess& process : plan.processes) {
        // A pid that is a text says the rank itself.
        const bool is_text = process.pid.starts_with('"');
        if (!process.name.empty() || !is_text) {
          process.name = names.back().prefix + (process.name.empty() ? process.pid : process.name);
        }
        process.pid = names.back().Pid(process.pid);
      }
      const FileAlignment& file = alignment.files[i];
      if (i > 0) {
        report.notes.push_back(
            fmt::format("{} moved by {} ns onto the clock of {} ({}{})", RankText(trace, i),
                        file.offset_ns, RankText(contexts[0].trace, 0), NameOf(file.source),
                        file.error_ns ? fmt::format(", within {} ns", *file.error_ns) : ""));
      }
    }
    plans.push_back(std::move(plan));
  }
  if (!keeps_any && (options.window || !options.categories.empty())) {
    return tl::unexpected(NothingLeft(options, all));
  }

  const std::unique_ptr<TraceWriter> writer = options.target->trace(sink, plans);
  if (merged) {
    std::string ranks = "[";
    for (const TraceContext& context : contexts) {
      if (ranks.size() > 1) ranks += ',';
      ranks +=
          context.trace.source.rank == kNoInt ? "null" : std::to_string(context.trace.source.rank);
    }
    writer->Metadata("telltale_merged_ranks", ranks + "]");
  }
  uint64_t before = 0;
  for (size_t i = 0; i < plans.size() && sink.wanted(); ++i) {
    Passing passing(plans[i], i, merged ? &names[i] : nullptr,
                    options.redact ? &redactors[i] : nullptr, *writer, sink, report);
    ReadOptions read;
    uint64_t last = 0;
    read.progress = [&](uint64_t consumed) {
      last = consumed;
      if (progress) progress(before + consumed);
    };
    if (const Result<void> done = VisitTraceEvents(contexts[i].trace, read, passing); !done) {
      return tl::unexpected<Error>(done.error());
    }
    before += last;
    if (merged) NameProcesses(contexts[i].trace, plans[i], i, *writer);
    if (!options.counters) continue;
    for (const CounterSeries& series : DeviceCounters(contexts[i])) {
      std::string pid = std::to_string(series.device);
      if (merged) pid = names[i].Pid(pid);
      std::string name = series.name;
      if (series.stream) name += fmt::format(" (stream {})", *series.stream);
      for (const CounterPoint& point : series.points) {
        writer->AddCounter(pid, name, series.unit, point.time_ns + plans[i].shift_ns, point.value,
                           i);
      }
    }
  }
  writer->Finish();
  for (const auto& [what, count] : writer->lost()) report.lost[what] += count;
  return report;
}

ConvertReport ConvertToCsv(std::span<const Trace* const> traces, const ConvertOptions& options,
                           unsigned threads, ByteSink& sink) {
  ConvertReport report;
  SinkOutput output(sink);
  std::function<void(EventRow&)> change;
  RowRedactor redactor(traces);
  if (options.redact) change = [&](EventRow& row) { redactor.Clean(row); };
  WriteEventsCsv(EventSource(traces, threads), std::nullopt, 0, output, change);
  for (const Trace* trace : traces) {
    const auto lose = [&](const char* what, uint64_t count) {
      if (count > 0) report.lost[what] += count;
    };
    lose("flows", trace->flows.size());
    lose("counter values", trace->counters.size());
    lose("instants", trace->instants.size());
    lose("memory events", trace->memory.size());
    lose("top-level values", trace->metadata.size());
  }
  report.notes.push_back(
      "CSV has device, stream and correlation of each span, and no other arguments");
  return report;
}

Result<ConvertReport> ConvertFunctions(FunctionProfile profile, const FormatWriter& target,
                                       const Redactor* redactor, ByteSink& sink) {
  if (redactor != nullptr) redactor->Clean(profile);
  const Result<std::string> text = target.functions(profile);
  if (!text) return tl::unexpected<Error>(text.error());
  sink.Write(*text);
  ConvertReport report;
  if (target.loses_unit) {
    report.notes.push_back(
        fmt::format("collapsed stacks do not say what they count; here: {}", NameOf(profile.unit)));
  }
  if (target.loses_call_paths && profile.shape == FunctionShape::kTree) {
    report.notes.push_back(".prof has pairs of caller and callee; longer call paths are left out");
  }
  if (target.loses_order && !profile.timeline.empty()) {
    report.lost["stretches of time in their order"] = profile.timeline.size();
  }
  if (target.loses_order && profile.threads.size() > 1) {
    report.lost["names of threads"] = profile.threads.size();
  }
  return report;
}

}  // namespace telltale
