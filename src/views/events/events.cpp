// SPDX-License-Identifier: Apache-2.0
#include "views/events/events.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/diagnostics.h"
#include "base/json_writer.h"
#include "views/profile_json.h"
#include "views/render/display.h"
#include "views/render/units.h"
#include "views/row_range.h"
#include "views/view_list.h"

namespace telltale {

namespace {

std::optional<int64_t> Known(int64_t value) {
  return value == kNoInt ? std::nullopt : std::optional<int64_t>(value);
}

std::optional<uint64_t> Known(uint64_t value) {
  return value == kNoUint ? std::nullopt : std::optional<uint64_t>(value);
}

struct EventRef {
  uint32_t file;
  SpanRow span;
};

}  // namespace

const TableSpec<EventRow>& EventTable() {
  using R = EventRow;
  using enum Quantity;
  static const TableSpec<R> table = [] {
    TableSpec<R> spec;
    ColumnSpec<R> op = Field("operator", kName, Get<&R::op>,
                             {.title = "operator", .importance = 70, .least_width = 14});
    op.text = [](const R& row, const OutputStyle& style) {
      return Printable(row.op.value_or(""), style.unicode);
    };
    spec.columns = {
        Field("file", kFile, Get<&R::file>),
        Field("kind", kText, Get<&R::kind>, {.title = "kind", .importance = 80}),
        Field("category", kText, Get<&R::category>),
        Field("name", kName, Get<&R::name>,
              {.title = "event", .importance = Shown::kAlways, .least_width = 24}),
        Field("pid", kName, Get<&R::pid>, {.title = "process", .importance = 30, .least_width = 6}),
        Field("tid", kName, Get<&R::tid>, {.title = "thread", .importance = 60, .least_width = 8}),
        Field("start_ns", kMoment, Get<&R::start_ns>, {.title = "start ns", .importance = 50}),
        Field("duration_ns", kDuration, Get<&R::duration_ns>,
              {.title = "duration", .importance = Shown::kAlways}),
        Field("device", kId, Get<&R::device>),
        Field("stream", kId, Get<&R::stream>),
        Field("correlation", kId, Get<&R::correlation>),
        std::move(op),
    };
    spec.order = {"name", "kind", "duration_ns", "start_ns", "pid", "tid", "operator"};
    return spec;
  }();
  return table;
}

EventSource::EventSource(std::span<const TraceContext> contexts) {
  for (const TraceContext& context : contexts)
    files_.push_back({&context.trace, &context.tree, &context.links});
}

EventSource::EventSource(std::span<const Trace* const> traces, unsigned threads) {
  for (const Trace* trace : traces) {
    Diagnostics already_reported;
    trees_.push_back(BuildHostTree(*trace, threads, already_reported));
    links_.push_back(LinkDeviceEvents(*trace, trees_.back(), already_reported));
    files_.push_back({trace, &trees_.back(), &links_.back()});
  }
}

uint64_t EventSource::size() const {
  uint64_t count = 0;
  for (const File& file : files_) count += file.trace->spans.size();
  return count;
}

EventRow EventSource::RowOf(size_t file, SpanRow span) const {
  const Trace& trace = *files_[file].trace;
  const Track& track = trace.tracks[static_cast<size_t>(trace.spans.track[span])];
  const Category category = trace.spans.category[span];
  EventRow row;
  row.file = static_cast<uint32_t>(file);
  row.kind = NameOf(category);
  row.category =
      trace.Text(trace.categories[static_cast<size_t>(trace.spans.category_id[span])].text);
  row.name = trace.NameOfSpan(span);
  row.pid = trace.Text(track.pid.text);
  row.tid = trace.Text(track.tid.text);
  row.start_ns = trace.base_time_ns + trace.spans.start_ns[span];
  row.duration_ns = trace.spans.duration_ns[span];
  if (const DeviceDetail* device = trace.DeviceOf(span)) {
    row.device = Known(device->device);
    row.stream = Known(device->stream);
    row.correlation = Known(device->correlation);
  } else if (const RuntimeDetail* call = trace.RuntimeOf(span)) {
    row.correlation = Known(call->correlation);
  } else if (category == Category::kSync && trace.spans.detail[span] != kNoDetail) {
    const SyncDetail& sync = trace.sync_details[trace.spans.detail[span]];
    row.device = Known(sync.device);
    row.stream = Known(sync.stream);
    row.correlation = Known(sync.correlation);
  }
  if (IsDevice(category)) {
    // Device events are in file order, so a search finds this one.
    const DeviceLinks& links = *files_[file].links;
    const SpanRow* at = std::lower_bound(links.device.begin(), links.device.end(), span);
    if (at != links.device.end() && *at == span) {
      const NodeId owner = links.owner[static_cast<size_t>(at - links.device.begin())];
      if (owner != kNoRow) row.op = trace.NameOfSpan(files_[file].tree->span[owner]);
    }
  }
  return row;
}

void EventSource::ForEach(std::optional<std::string> sort_field, int64_t limit,
                          const std::function<bool(const EventRow&)>& each) const {
  uint64_t left = Limited(size(), limit);
  if (!sort_field) {
    for (size_t file = 0; file < files_.size(); ++file) {
      const size_t spans = files_[file].trace->spans.size();
      for (size_t span = 0; span < spans; ++span) {
        if (left-- == 0 || !each(RowOf(file, static_cast<SpanRow>(span)))) return;
      }
    }
    return;
  }

  const ColumnSpec<EventRow>* const field = EventTable().Find(*sort_field);
  if (field == nullptr) return;
  std::vector<EventRef> order;
  order.reserve(size());
  for (size_t file = 0; file < files_.size(); ++file) {
    for (size_t span = 0; span < files_[file].trace->spans.size(); ++span) {
      order.push_back({static_cast<uint32_t>(file), static_cast<SpanRow>(span)});
    }
  }
  const auto before = [&](const EventRef& a, const EventRef& b) {
    const EventRow x = RowOf(a.file, a.span);
    const EventRow y = RowOf(b.file, b.span);
    const int by_field = CompareDescending(field->get(x), field->get(y));
    if (by_field != 0) return by_field < 0;
    if (x.name != y.name) return x.name < y.name;
    return std::pair(a.file, a.span) < std::pair(b.file, b.span);
  };
  // The order is total, so the partial sort is as stable as a full one.
  std::partial_sort(order.begin(), order.begin() + static_cast<ptrdiff_t>(left), order.end(),
                    before);
  for (size_t i = 0; i < left; ++i) {
    if (!each(RowOf(order[i].file, order[i].span))) return;
  }
}

void WriteEventJson(const EventRow& row, JsonWriter& json) {
  json.BeginObject();
  for (const ColumnSpec<EventRow>& field : EventTable().columns) {
    json.Key(field.key);
    WriteJson(field.get(row), json);
  }
  json.EndObject();
}

void WriteEventsCsv(const EventSource& events, std::optional<std::string> sort_field, int64_t limit,
                    Output& output, const std::function<void(EventRow&)>& change) {
  std::string line;
  for (const ColumnSpec<EventRow>& field : EventTable().columns) {
    if (!line.empty()) line += ',';
    line += field.key;
  }
  line += '\n';
  output.Write(line);
  events.ForEach(std::move(sort_field), limit, [&](EventRow row) {
    if (change) change(row);
    line.clear();
    bool first = true;
    for (const ColumnSpec<EventRow>& field : EventTable().columns) {
      if (!first) line += ',';
      first = false;
      AppendCsv(field.get(row), line);
    }
    line += '\n';
    output.Write(line);
    return output.wanted();
  });
}

void WriteEventsJson(std::string document, const EventSource& events,
                     std::optional<std::string> sort_field, int64_t limit, Output& output) {
  document.resize(document.size() - JsonTailOfEvents().size());
  output.Write(document);
  bool first = true;
  events.ForEach(std::move(sort_field), limit, [&](const EventRow& row) {
    JsonWriter json(false);
    WriteEventJson(row, json);
    std::string text = json.Take();
    text.pop_back();  // the newline
    output.Write(first ? "\n    " : ",\n    ");
    first = false;
    output.Write(text);
    return output.wanted();
  });
  output.Write(first ? "" : "\n  ");
  output.Write(JsonTailOfEvents());
}

Document EventsDocument(const EventSource& events, const std::optional<std::string>& sort_field,
                        std::optional<int64_t> limit) {
  constexpr int64_t kUsualRows = 30;
  const std::string order = sort_field.value_or("duration_ns");
  std::vector<EventRow> rows;
  events.ForEach(order, limit.value_or(kUsualRows), [&](const EventRow& row) {
    rows.push_back(row);
    return true;
  });
  TablePlace place;
  place.title = "Events";
  place.words = [order, all = events.size()](size_t, size_t listed, const OutputStyle& style) {
    return fmt::format("by {}{}{} of {}", order, style.unicode ? " · " : ", ", listed,
                       FormatCount(static_cast<int64_t>(all)));
  };
  place.every_row = true;
  const bool none = rows.empty();
  Document document(place.title, [](const OutputStyle&) {
    return std::string("The trace has no events with a duration.");
  });
  document.AddTable("events", EventTable(), std::move(rows), place);
  if (none) document.SetEmpty();
  document.HideSentence();
  return document;
}

ViewSpec DescribeEvents() {
  ViewSpec spec;
  spec.name = "events";
  spec.help = "every single event (with --csv or --json: all of them)";
  spec.scope = ViewScope::kAlone;
  spec.sort_fields = EventTable().keys();
  return spec;
}

}  // namespace telltale
