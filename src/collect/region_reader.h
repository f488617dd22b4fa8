// SPDX-License-Identifier: Apache-2.0
// Reads the region of a recording process (src/record/FORMAT.md) while it is written and
// afterwards. Believes nothing: a region that is torn, cut or hostile gives fewer records and
// diagnostics, never harm. What was brought to safety is told by position(), which goes to a file
// of the caller's; Release() then lets the writer use the room again. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "collect/region_clock.h"
#include "collect/region_file.h"
#include "collect/region_position.h"
#include "collect/region_record.h"
#include "record/layout.h"

namespace telltale {

class RegionReader {
 public:
  using Use = std::function<void(const RegionRecord&)>;

  // kUnreadable: no region, not ready yet, of another version or of another user.
  [[nodiscard]] static Result<RegionReader> Open(const std::string& path);

  // As of Open or the last Drain.
  [[nodiscard]] const RegionHeaderInfo& info() const { return info_; }
  // Hands over what was committed since the last time, chunk by chunk; of a thread and lane in
  // order. How many there were.
  [[nodiscard]] Result<size_t> Drain(const Use& use);
  // What was drained is safe: the writer may use its room again, and its blob files go.
  void Release();

  [[nodiscard]] const RegionPosition& position() const { return position_; }
  // Before the first Drain: what another reader brought to safety is not handed over again.
  void Resume(const RegionPosition& position) { position_ = position; }

  // Spans, instants, counters and heartbeats that found no room.
  [[nodiscard]] uint64_t dropped_spans() const { return dropped_; }
  // Nothing waits for what is still in the process's memory any more: it is gone.
  void SetProcessEnded() { has_ended_ = true; }
  [[nodiscard]] const std::string& path() const { return file_.path(); }
  [[nodiscard]] const std::map<uint64_t, std::string>& thread_names() const {
    return thread_names_;
  }

  Diagnostics diagnostics;

 private:
  struct Chunk;

  explicit RegionReader(RegionFile file) : file_(std::move(file)) {}
  bool ReadHeader(std::string& problem);
  [[nodiscard]] uint32_t ChunkCount() const;
  [[nodiscard]] uint64_t OffsetOf(uint32_t chunk) const {
    return header_bytes_ + uint64_t{chunk} * chunk_bytes_;
  }
  // False: nothing of interest.
  [[nodiscard]] bool ReadChunkHeader(uint32_t number, Chunk& chunk) const;
  void ReadNames();
  void ReadNamesOf(const Chunk& chunk);
  size_t DrainChunk(const Chunk& chunk, const Use& use);
  // Length of the record at the front, 0: no record can be there.
  [[nodiscard]] static size_t LengthOf(std::string_view bytes);
  enum class Outcome : uint8_t { kGood, kBad, kLater };
  Outcome Fill(const Chunk& chunk, std::string_view bytes, RegionRecord& record);
  Outcome FillBytes(std::string_view bytes, const record::RecordHead& head, RegionRecord& record);
  Outcome FillName(uint32_t number, RegionRecord& record);

  RegionFile file_;
  bool has_ended_ = false;
  uint32_t header_bytes_ = 0;
  uint32_t chunk_bytes_ = 0;
  uint64_t dropped_ = 0;
  RegionHeaderInfo info_;
  RegionPosition position_;
  RegionClock clock_;
  std::vector<std::string> names_;  // by number
  std::map<uint32_t, RegionPosition::Chunk> names_read_;
  std::vector<uint32_t> new_names_;
  std::map<uint64_t, std::string> thread_names_;
  std::map<uint32_t, uint64_t> finished_;  // chunks that are sealed and drained: serial by number
  std::vector<std::string> blobs_;         // files that were handed over
  std::string buffer_;
  std::string blob_;
  std::string unknown_name_;
};

}  // namespace telltale
