// SPDX-License-Identifier: Apache-2.0
// Reads the region of a recording process (src/record/FORMAT.md) while it is written and
// afterwards. Believes nothing: a region that is torn, cut or hostile gives fewer records and
// diagnostics, never harm. Reads with pread: a file that shrinks ends early. What was brought to
// safety is told by position(), which goes to a file of the caller's; Release() then lets the
// writer use the room again. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "base/result.h"
#include "record/layout.h"

namespace telltale {

// The views are valid during the call that hands it over.
struct RegionRecord {
  enum class Kind : uint8_t {
    kName,       // a name was used for the first time
    kScalar,     // name, value, step
    kText,       // name, bytes, step
    kValue,      // name, bytes (an encoded Summary.Value), step
    kNote,       // name (the key), bytes (JSON)
    kSpanBegin,  // name
    kSpanEnd,
    kInstant,    // name
    kCounter,    // name, value
    kStepBegin,  // step
    kStepEnd,    // step, value (duration in ns; -1: unknown), data_wait_ns
    kHeartbeat,
  };
  Kind kind = Kind::kName;
  uint64_t thread = 0;         // the system's number
  uint64_t thread_serial = 0;  // tells apart threads that had the same number
  std::string_view name;
  uint32_t name_number = 0;  // of the region; 0: none
  int64_t wall_ns = 0;       // since 1970
  int64_t step = INT64_MIN;  // that: none
  double value = 0;
  std::string_view bytes;
  int64_t data_wait_ns = -1;  // that: unknown
};

struct RegionHeaderInfo {
  uint64_t pid = 0;
  uint64_t process_start = 0;  // clock ticks since boot, as in /proc/PID/stat
  uint64_t parent_pid = 0;     // of a process that was forked while its parent recorded; 0: none
  int64_t started_wall_ns = 0;
  int64_t last_heartbeat_ns = 0;  // 0: none
  int32_t rank = -1;              // -1: unknown
  int32_t local_rank = -1;
  int32_t world_size = 0;  // 0: unknown
  record::Role role = record::Role::kOther;
  record::ClockKind clock = record::ClockKind::kTsc;
  double ticks_per_second = 0;
  bool is_closed =
      false;  // the process said that it ends; records may still follow until it is gone
  uint64_t held_bytes = 0;  // waiting in its memory for room on the disk
  uint64_t lost = 0;        // durable records for which not even memory was left
  std::string program;
};

[[nodiscard]] std::string_view NameOf(record::Role role);

// How far a region was read: bytes of each chunk that is not released.
struct RegionPosition {
  struct Chunk {
    uint64_t serial = 0;
    uint32_t consumed = 0;
    friend bool operator==(const Chunk&, const Chunk&) = default;
  };
  std::map<uint32_t, Chunk> chunks;  // by number

  // A line for each chunk: number, serial, bytes.
  [[nodiscard]] std::string Text() const;
  [[nodiscard]] static Result<RegionPosition> Parse(std::string_view text);
  friend bool operator==(const RegionPosition&, const RegionPosition&) = default;
};

class RegionReader {
 public:
  using Use = std::function<void(const RegionRecord&)>;

  // kUnreadable: no region, not ready yet, of another version or of another user.
  [[nodiscard]] static Result<RegionReader> Open(const std::string& path);
  ~RegionReader();
  RegionReader(RegionReader&& other) noexcept;
  RegionReader& operator=(RegionReader&& other) noexcept;

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
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::map<uint64_t, std::string>& thread_names() const {
    return thread_names_;
  }

  Diagnostics diagnostics;

 private:
  struct Chunk;

  RegionReader(std::string path, int file, bool is_writable)
      : path_(std::move(path)), file_(file), is_writable_(is_writable) {}
  bool ReadHeader(std::string& problem);
  void ReadClock(const record::RegionHeader& header);
  [[nodiscard]] size_t ReadAt(uint64_t offset, void* out, size_t size) const;
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
  [[nodiscard]] int64_t WallOf(uint64_t ticks, const record::ClockPair& nearest) const;

  std::string path_;
  int file_ = -1;
  bool is_writable_ = false;
  bool has_ended_ = false;
  uint32_t header_bytes_ = 0;
  uint32_t chunk_bytes_ = 0;
  uint64_t dropped_ = 0;
  RegionHeaderInfo info_;
  RegionPosition position_;
  std::map<uint64_t, record::ClockPair> pairs_;  // by ticks
  uint32_t pairs_read_ = 0;
  double ns_per_tick_ = 1;
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
