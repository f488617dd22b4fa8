// SPDX-License-Identifier: Apache-2.0
// `telltale profile --view events`: every span of the traces, one row each, with the operator that
// launched it where it ran on a device. Rows are made and written one at a time: the output can be
// as large as the trace.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "model/trace.h"
#include "views/document.h"
#include "views/render/output.h"
#include "views/table_spec.h"

namespace telltale {

// One span of a trace, put together on the fly.
struct EventRow {
  uint32_t file = 0;
  std::string_view kind;      // what it is, whatever its era calls it
  std::string_view category;  // as written
  std::string_view name;
  std::string_view pid;
  std::string_view tid;
  int64_t start_ns = 0;
  int64_t duration_ns = 0;
  std::optional<int64_t> device;
  std::optional<int64_t> stream;
  std::optional<uint64_t> correlation;
  std::optional<std::string_view> op;
};
[[nodiscard]] const TableSpec<EventRow>& EventTable();

class EventSource {
 public:
  // Borrows the contexts and their traces.
  explicit EventSource(std::span<const TraceContext> contexts);
  // Borrows the traces. Links of device events are made here.
  EventSource(std::span<const Trace* const> traces, unsigned threads);

  // Calls `each` for every span, files in their order, spans in file order, or sorted by a field
  // (see EventTable) as --sort does; at most `limit` (0: all). Stops early when `each` returns
  // false.
  void ForEach(std::optional<std::string> sort_field, int64_t limit,
               const std::function<bool(const EventRow&)>& each) const;

  [[nodiscard]] uint64_t size() const;

 private:
  struct File {
    const Trace* trace;
    const HostTree* tree;
    const DeviceLinks* links;
  };
  [[nodiscard]] EventRow RowOf(size_t file, SpanRow span) const;

  std::deque<HostTree> trees_;  // those made here
  std::deque<DeviceLinks> links_;
  std::vector<File> files_;
};

// One row as a JSON object.
void WriteEventJson(const EventRow& row, JsonWriter& json);

// `change`, where there is one, may change each row before it is written.
void WriteEventsCsv(const EventSource& events, std::optional<std::string> sort_field, int64_t limit,
                    Output& output, const std::function<void(EventRow&)>& change = {});
// `document` is what ProfileJson made for this view.
void WriteEventsJson(std::string document, const EventSource& events,
                     std::optional<std::string> sort_field, int64_t limit, Output& output);

// The longest events first, unless sorted otherwise.
[[nodiscard]] Document EventsDocument(const EventSource& events,
                                      const std::optional<std::string>& sort_field,
                                      std::optional<int64_t> limit);

}  // namespace telltale
