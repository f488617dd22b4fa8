// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "formats/memory_format.h"
#include "formats/memory_snapshot/reader.h"
#include "formats/memory_timeline/reader.h"

namespace telltale {

const MemoryFormat* FindMemoryFormat(std::string_view head) {
  static const std::array<MemoryFormat, 3> formats = {
      MemoryTimelineRawFormat(), MemoryTimelineFormat(), MemorySnapshotFormat()};
  for (const MemoryFormat& format : formats) {
    if (format.matches(head)) return &format;
  }
  return nullptr;
}

}  // namespace telltale
