// SPDX-License-Identifier: Apache-2.0
#include "views/events.h"

#include <algorithm>
#include <utility>

#include "base/diagnostics.h"
#include "base/json_writer.h"
#include "views/profile_json.h"
#include "views/sorting.h"

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

EventSource::EventSource(std::span<const Trace> traces, unsigned threads) : traces_(traces) {
  for (const Trace& trace : traces) {
    Diagnostics already_reported;
    trees_.push_back(BuildHostTree(trace, threads, already_reported));
    links_.push_back(LinkDeviceEvents(trace, trees_.back(), already_reported));
  }
}

EventSource::EventSource(std::span<const Trace> traces, std::vector<HostTree> trees,
                         std::vector<DeviceLinks> links)
    : traces_(traces), trees_(std::move(trees)), links_(std::move(links)) {}

uint64_t EventSource::size() const {
  uint64_t count = 0;
  for (const Trace& trace : traces_) count += trace.spans.size();
  return count;
}

size_t EventSource::memory_bytes() const {
  size_t bytes = 0;
  for (const HostTree& tree : trees_) {
    bytes +=
        tree.span.memory_bytes() + tree.parent.memory_bytes() + tree.folded_into.memory_bytes();
  }
  for (const DeviceLinks& links : links_) {
    bytes += links.device.memory_bytes() + links.launch.memory_bytes() + links.owner.memory_bytes();
  }
  return bytes;
}

EventRow EventSource::RowOf(size_t file, SpanRow span) const {
  const Trace& trace = traces_[file];
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
  if (IsDevice(category) && file < links_.size()) {
    // Device events are in file order, so a search finds this one.
    const DeviceLinks& links = links_[file];
    const SpanRow* at = std::lower_bound(links.device.begin(), links.device.end(), span);
    if (at != links.device.end() && *at == span) {
      const NodeId owner = links.owner[static_cast<size_t>(at - links.device.begin())];
      if (owner != kNoRow) row.op = trace.NameOfSpan(trees_[file].span[owner]);
    }
  }
  return row;
}

void EventSource::ForEach(std::optional<std::string> sort_field, int64_t limit,
                          const std::function<bool(const EventRow&)>& each) const {
  uint64_t left = Limited(size(), limit);
  if (!sort_field) {
    for (size_t file = 0; file < traces_.size(); ++file) {
      const size_t spans = traces_[file].spans.size();
      for (size_t span = 0; span < spans; ++span) {
        if (left-- == 0 || !each(RowOf(file, static_cast<SpanRow>(span)))) return;
      }
    }
    return;
  }

  const RowFields<EventRow>& fields = EventFields();
  const auto field = std::find_if(fields.begin(), fields.end(), [&](const RowField<EventRow>& f) {
    return f.name == *sort_field;
  });
  if (field == fields.end()) return;
  std::vector<EventRef> order;
  order.reserve(size());
  for (size_t file = 0; file < traces_.size(); ++file) {
    for (size_t span = 0; span < traces_[file].spans.size(); ++span) {
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

void WriteEventsCsv(const EventSource& events, std::optional<std::string> sort_field, int64_t limit,
                    Output& output, const std::function<void(EventRow&)>& change) {
  std::string line;
  for (const RowField<EventRow>& field : EventFields()) {
    if (!line.empty()) line += ',';
    line += field.name;
  }
  line += '\n';
  output.Write(line);
  events.ForEach(std::move(sort_field), limit, [&](EventRow row) {
    if (change) change(row);
    line.clear();
    bool first = true;
    for (const RowField<EventRow>& field : EventFields()) {
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
    json.BeginObject();
    for (const RowField<EventRow>& field : EventFields()) {
      json.Key(field.name);
      WriteJson(field.get(row), json);
    }
    json.EndObject();
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

}  // namespace telltale
