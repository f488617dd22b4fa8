// SPDX-License-Identifier: Apache-2.0
// `telltale profile --view events`: every span of the traces, one row each, with the operator that
// launched it where it ran on a device. Rows are made and written one at a time: the output can be
// as large as the trace.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "model/trace.h"
#include "views/fields.h"
#include "views/render/output.h"

namespace telltale {

class EventSource {
 public:
  // Borrows the traces. Links of device events are made here, once.
  EventSource(std::span<const Trace> traces, unsigned threads);
  // For tests, and where nothing needs owners: `links` per trace, may be empty.
  EventSource(std::span<const Trace> traces, std::vector<HostTree> trees,
              std::vector<DeviceLinks> links);

  // Calls `each` for every span, files in their order, spans in file order, or sorted by a field
  // (see EventFields) as --sort does; at most `limit` (0: all). Stops early when `each` returns
  // false.
  void ForEach(std::optional<std::string> sort_field, int64_t limit,
               const std::function<bool(const EventRow&)>& each) const;

  [[nodiscard]] uint64_t size() const;
  // Without the traces.
  [[nodiscard]] size_t memory_bytes() const;

 private:
  [[nodiscard]] EventRow RowOf(size_t file, SpanRow span) const;

  std::span<const Trace> traces_;
  std::vector<HostTree> trees_;
  std::vector<DeviceLinks> links_;
};

// `change`, where there is one, may change each row before it is written.
void WriteEventsCsv(const EventSource& events, std::optional<std::string> sort_field, int64_t limit,
                    Output& output, const std::function<void(EventRow&)>& change = {});
// `document` is what ProfileJson made for View::kEvents.
void WriteEventsJson(std::string document, const EventSource& events,
                     std::optional<std::string> sort_field, int64_t limit, Output& output);

}  // namespace telltale
