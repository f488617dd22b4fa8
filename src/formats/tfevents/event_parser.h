// SPDX-License-Identifier: Apache-2.0
// From the records of one block to series. Blocks are parsed at the same time and joined in order
// (join.h), so what only an earlier block knows is left open: a tensor without metadata has the
// plugin that its tag's first value named, which may be long ago.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/series.h"

namespace telltale::tfevents {

// Plugins of a fragment: tensors that hold one number (their points are in both `scalars` and
// `values`), and all others.
constexpr std::string_view kOpenNumber = "\x01number";
constexpr std::string_view kOpenValue = "\x01value";

struct Fragment {
  SeriesSet series;
  uint64_t records = 0;
  bool begins_with_version = false;
};

class EventParser {
 public:
  explicit EventParser(Fragment& fragment) : fragment_(fragment), series_(fragment.series) {}

  // Whole records, the first of them at `offset` of the file. Their headers are sound.
  void Parse(std::string_view records, uint64_t offset);

 private:
  struct Event {
    double wall_time = 0;
    int64_t step = 0;
    uint64_t offset = 0;         // of its record
    const char* base = nullptr;  // the byte at file offset 0, were it in memory
  };

  void ParseEvent(std::string_view payload, Event& event);
  void ParseValue(std::string_view value, const Event& event);
  void ParseMetadata(std::string_view bytes, SeriesTag& tag);
  // Of a value that is no tensor: TensorBoard calls it by its tag unless it has a name.
  void ParseOldMetadata(std::string_view bytes, SeriesTag& tag);
  void ParseTensor(std::string_view tag, std::string_view tensor, std::string_view metadata,
                   std::string_view value, const Event& event);
  void ParseTaggedRunMetadata(std::string_view bytes, const Event& event);
  void AddStored(uint32_t tag, std::string_view bytes, const Event& event);
  // Of the plugin; tags mostly come in the order of the step before.
  uint32_t TagOf(std::string_view tag, std::string_view plugin);
  uint32_t NewTag(std::string_view tag, std::string_view plugin);
  // Of a tag as it stands in the file: the first series of that name.
  [[nodiscard]] const SeriesTag* FindRepaired(std::string_view tag) const;
  void Malformed(const Event& event);

  Fragment& fragment_;
  SeriesSet& series_;
  std::vector<uint32_t> next_;  // behind each tag: the one that came after it last time
  uint32_t last_ = 0;
  uint64_t record_ = 0;                      // offset of the one that is parsed
  std::vector<std::string_view> summaries_;  // of one event
};

}  // namespace telltale::tfevents
