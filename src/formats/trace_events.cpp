// SPDX-License-Identifier: Apache-2.0
#include "formats/trace_events.h"

#include <atomic>
#include <charconv>
#include <memory>

#include "base/decimal.h"
#include "base/json/text.h"
#include "formats/event_listener.h"
#include "formats/registry.h"

namespace telltale {

namespace {

using kineto_json::Value;

// How the Perfetto reader calls flows of which it does not know what they are.
constexpr std::string_view kUnknownFlow = "\"flow\"";

// Walks the tables of a trace along its events, whose offsets only grow.
class RowCursor {
 public:
  explicit RowCursor(const Trace& trace) : trace_(trace) {}

  // The row made of the event at this offset with this phase; kNoRow if none was.
  // `is_flow` tells whether a row of flows is meant.
  template <typename IsFlow>
  uint32_t Next(uint64_t offset, TraceEvent::Table table, IsFlow is_flow) {
    switch (table) {
      case TraceEvent::Table::kSpan:
        return Find(trace_.spans.offset, span_, offset, true);
      case TraceEvent::Table::kMemory:
        return Find(trace_.memory.offset, memory_, offset, true);
      case TraceEvent::Table::kFlow: {
        const uint32_t row = Find(trace_.flows.offset, flow_, offset, false);
        if (row == kNoRow || !is_flow(row)) return kNoRow;
        return flow_++;
      }
      case TraceEvent::Table::kInstant:
        return Find(trace_.instants.offset, instant_, offset, true);
      case TraceEvent::Table::kCounter:
        return Find(trace_.counters.offset, counter_, offset, false);
      case TraceEvent::Table::kNone:
        break;
    }
    return kNoRow;
  }

 private:
  static uint32_t Find(const Column<uint64_t>& offsets, uint32_t& at, uint64_t offset, bool one) {
    while (at < offsets.size() && offsets[at] < offset) ++at;
    if (at >= offsets.size() || offsets[at] != offset) return kNoRow;
    return one ? at++ : at;
  }

  const Trace& trace_;
  uint32_t span_ = 0;
  uint32_t memory_ = 0;
  uint32_t flow_ = 0;
  uint32_t instant_ = 0;
  uint32_t counter_ = 0;
};

char PhaseOf(std::string_view json) {
  const char c = json.size() == 3 && json.front() == '"' ? json[1] : '\0';
  switch (c) {
    case 'I':
    case 'R':
      return 'i';
    case 'S':
      return 'b';
    case 'T':
    case 'p':
      return 'n';
    case 'F':
      return 'e';
    default:
      return c;
  }
}

class Joining final : public EventListener {
 public:
  Joining(const Trace& trace, TraceEventVisitor& visitor)
      : trace_(trace),
        visitor_(visitor),
        rows_(trace),
        is_perfetto_(trace.source.format == "perfetto") {}

  void OnMetadata(std::string_view key, const Value& value) override {
    if (!stopped_) visitor_.OnMetadata(key, CleanJson(value));
  }

  void OnEvent(uint64_t offset, std::string_view text) override {
    if (stopped_) return;
    if (!text_.Parse(text)) return visitor_.OnUnusable();
    TakeFields();
    if (event_.phase == 'E') return;  // its time is the duration of its B
    event_.table = TableOf();
    event_.row = rows_.Next(offset, event_.table, [&](uint32_t row) { return IsOfFlow(row); });
    const bool has_row = event_.row != kNoRow;
    if (event_.table != TraceEvent::Table::kNone && !has_row) {
      // A flow that a fuller record of itself replaced.
      if (is_perfetto_ && event_.table == TraceEvent::Table::kFlow) return;
      return visitor_.OnUnusable();
    }
    if (has_row) TakeRow();
    if (!visitor_.OnEvent(event_)) {
      stopped_ = true;
      enough_ = true;
    }
  }

  [[nodiscard]] const std::atomic<bool>& enough() const { return enough_; }

 private:
  void TakeFields() {
    event_.phase = '\0';
    event_.has_time = false;
    event_.duration_ns = 0;
    event_.name = event_.category = event_.pid = event_.tid = event_.id = {};
    event_.others.clear();
    for (const JsonField& field : text_.fields()) {
      if (field.key == "ph") {
        event_.phase = PhaseOf(field.json);
      } else if (field.key == "name") {
        event_.name = field.json;
      } else if (field.key == "cat") {
        event_.category = field.json;
      } else if (field.key == "pid") {
        event_.pid = field.json;
      } else if (field.key == "tid") {
        event_.tid = field.json;
      } else if (field.key == "id") {
        event_.id = field.json;
      } else if (field.key == "ts") {
        const auto time = MicrosecondsToNs(Unquoted(field.json));
        event_.has_time = time.has_value();
        event_.time_ns = time.value_or(0);
      } else if (field.key != "dur") {
        event_.others.push_back(field);
      }
    }
    event_.args = text_.args();
    event_.odd_args = text_.odd_args();
    event_.has_args = text_.has_args();
  }

  [[nodiscard]] TraceEvent::Table TableOf() const {
    switch (event_.phase) {
      case 'X':
      case 'B':
        return TraceEvent::Table::kSpan;
      case 'i':
        return event_.name == "\"[memory]\"" ? TraceEvent::Table::kMemory
                                             : TraceEvent::Table::kInstant;
      case 'b':
      case 'n':
      case 'e':
        return TraceEvent::Table::kInstant;
      case 's':
      case 't':
      case 'f':
        return TraceEvent::Table::kFlow;
      case 'C':
        return TraceEvent::Table::kCounter;
      default:
        return TraceEvent::Table::kNone;
    }
  }

  // Of the flows that one slice carries, some have no row: a fuller record replaced them.
  [[nodiscard]] bool IsOfFlow(uint32_t row) const {
    if (!is_perfetto_ || event_.category == kUnknownFlow) return true;
    const auto category = static_cast<size_t>(trace_.flows.category_id[row]);
    const std::string text = Unquoted(event_.id);
    uint64_t id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    if (error != std::errc() || end != text.data() + text.size()) id = StringPool::Hash(text);
    return trace_.flows.id[row] == id &&
           trace_.Text(trace_.categories[category].text) == Unquoted(event_.category);
  }

  // What the columns know better than the text: exact times, paired ends.
  void TakeRow() {
    const uint32_t row = event_.row;
    event_.has_time = true;
    switch (event_.table) {
      case TraceEvent::Table::kSpan:
        event_.time_ns = trace_.spans.start_ns[row];
        event_.duration_ns = trace_.spans.duration_ns[row];
        event_.phase = trace_.spans.category[row] == Category::kUnmatched ? 'B' : 'X';
        break;
      case TraceEvent::Table::kMemory:
        event_.time_ns = trace_.memory.time_ns[row];
        break;
      case TraceEvent::Table::kFlow:
        event_.time_ns = trace_.flows.time_ns[row];
        event_.phase = "stf"[static_cast<size_t>(trace_.flows.phase[row])];
        if (is_perfetto_) TakeFlowCategory();
        break;
      case TraceEvent::Table::kCounter:
        event_.time_ns = trace_.counters.time_ns[row];
        break;
      case TraceEvent::Table::kInstant:
        event_.time_ns = trace_.instants.time_ns[row];
        break;
      case TraceEvent::Table::kNone:
        break;
    }
  }

  // Perfetto's own flows have no category: the reader found one from their ends.
  void TakeFlowCategory() {
    if (event_.category != kUnknownFlow) return;
    const auto category = static_cast<size_t>(trace_.flows.category_id[event_.row]);
    flow_category_ = Quoted(trace_.Text(trace_.categories[category].text));
    event_.category = event_.name = flow_category_;
    std::erase_if(event_.others, [](const JsonField& field) { return field.key == "bp"; });
    if (event_.phase == 'f') event_.others.push_back({"bp", "\"e\""});
  }

  const Trace& trace_;
  TraceEventVisitor& visitor_;
  RowCursor rows_;
  bool is_perfetto_;
  std::string flow_category_;
  EventText text_;
  TraceEvent event_;
  bool stopped_ = false;
  std::atomic<bool> enough_ = false;
};

}  // namespace

Result<void> VisitTraceEvents(const Trace& trace, ByteSource& source, const ReadOptions& options,
                              TraceEventVisitor& visitor) {
  Joining joining(trace, visitor);
  ReadOptions read = options;
  if (read.canceled == nullptr) read.canceled = &joining.enough();
  const Format* format = FormatNamed(trace.source.format);
  if (format == nullptr || format->read_events == nullptr) {
    return Fail(ErrorCode::kUnreadable, trace.source.path + ": its events cannot be read again");
  }
  const Result<void> done = format->read_events(source, read, joining);
  if (!done && !joining.enough()) return tl::unexpected(done.error());
  return {};
}

Result<void> VisitTraceEvents(const Trace& trace, const ReadOptions& options,
                              TraceEventVisitor& visitor) {
  Result<std::unique_ptr<ByteSource>> source = OpenSource(trace.source.path, {});
  if (!source) return tl::unexpected<Error>(source.error());
  return VisitTraceEvents(trace, **source, options, visitor);
}

}  // namespace telltale
