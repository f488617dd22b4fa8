// SPDX-License-Identifier: Apache-2.0
#include "formats/perfetto/detect.h"

#include <algorithm>
#include <cstdint>

#include "base/protobuf.h"
#include "formats/perfetto/fields.h"

namespace telltale {

bool IsPerfettoTrace(std::string_view head) {
  using namespace perfetto;
  // A line feed and a brace begin JSON, and would begin a packet of 123 bytes.
  const size_t first = head.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && head[first] == '{') {
    const size_t next = head.find_first_not_of(" \t\r\n", first + 1);
    if (next == std::string_view::npos || head[next] == '"' || head[next] == '}') return false;
  }
  // Packets are looked at until one has a field that shows what it is.
  std::string_view rest = head;
  for (int packets = 0; packets < 64 && !rest.empty(); ++packets) {
    if (rest.front() != '\x0a') return false;
    uint64_t size = 0;
    const int length = ReadVarint(rest.substr(1), size);
    if (length <= 0) return false;
    rest.remove_prefix(1 + static_cast<size_t>(length));
    const std::string_view message = rest.substr(0, std::min<uint64_t>(size, rest.size()));
    const bool whole = message.size() == size;
    bool shown = false;
    MessageReader reader(message);
    while (reader.Next()) {
      const Field& f = reader.field();
      // ftrace events, process tree …: never numbers here, while pprof's value types are.
      if (f.number <= 7 && f.IsNumber()) return false;
      switch (f.number) {
        case packet::kTimestamp:
        case packet::kSequenceId:
        case packet::kSequenceFlags:
        case packet::kIncrementalStateCleared:
        case packet::kTimestampClockId:
          if (f.IsBytes()) return false;
          shown = true;
          break;
        case packet::kTrackEvent:
        case packet::kInternedData:
        case packet::kTrackDescriptor:
        case packet::kClockSnapshot:
        case packet::kDefaults: {
          if (f.IsNumber()) return false;
          MessageReader inner(f.bytes);
          while (inner.Next()) {
          }
          if (inner.bad()) return false;
          shown = true;
          break;
        }
        case packet::kCompressedPackets:
          if (!f.IsBytes() || !f.bytes.starts_with('\x78')) return false;
          shown = true;
          break;
        default:
          break;
      }
    }
    if (whole && reader.bad()) return false;
    if (shown || !whole) return shown;
    rest.remove_prefix(message.size());
  }
  return false;
}

}  // namespace telltale
