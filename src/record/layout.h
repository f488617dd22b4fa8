// SPDX-License-Identifier: Apache-2.0
// The region that a recording process shares with who reads it: a file of fixed-size chunks behind
// a header. FORMAT.md tells it in words and is the truth. Plain structures and numbers only;
// writers are recorder.cpp and region.cpp, the reader is collect/region_reader.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace telltale::record {

inline constexpr char kMagic[8] = {'T', 'L', 'T', 'A', 'L', 'E', '0', '1'};
inline constexpr uint32_t kLayoutVersion = 1;
inline constexpr uint32_t kChunkBytes = 65536;
// The header takes the place of the first chunk, so that all chunks are aligned alike.
inline constexpr uint32_t kHeaderBytes = kChunkBytes;
inline constexpr uint32_t kClockPairs = 2048;

enum class RegionState : uint32_t { kOpen = 1, kClosed = 2 };
enum class ClockKind : uint32_t {
  kTsc = 1,        // ticks of the processor's time stamp counter
  kMonotonic = 2,  // ns of CLOCK_MONOTONIC
};
enum class Role : uint32_t { kOther = 0, kMain = 1, kRank = 2, kWorker = 3 };

// The same moment on both clocks. `ticks` is stored last, with release; a pair is not there while
// it is 0, and is set to 0 before it is replaced.
struct ClockPair {
  uint64_t ticks;
  int64_t wall_ns;  // CLOCK_REALTIME
};

struct RegionHeader {
  char magic[8];            // stored last: a file without it is not ready
  uint32_t version;         // kLayoutVersion
  uint32_t header_bytes;    // where the first chunk begins
  uint32_t chunk_bytes;     // of all chunks
  uint32_t state;           // RegionState
  uint64_t pid;             // as the process itself sees it
  uint64_t process_start;   // field 22 of /proc/PID/stat: clock ticks since boot
  int64_t started_wall_ns;  // when the region was made
  int32_t rank;             // -1: none is known
  int32_t local_rank;
  int32_t world_size;  // 0: unknown
  uint32_t role;       // Role
  uint32_t clock_kind;
  uint32_t clock_pair_count;  // pairs stored so far; the newest is at (count - 1) % kClockPairs
  double ticks_per_second;    // best estimate so far
  uint64_t dropped;           // spans, instants, counters, heartbeats that found no room
  uint64_t held_bytes;        // bytes that wait in the process's memory for room on the disk
  uint64_t lost;              // durable records for which not even memory was left
  uint64_t parent_pid;        // of the process that forked this one while it recorded; 0: none
  uint64_t last_heartbeat;    // ticks of the last telltale_heartbeat; 0: none
  char program[32];           // name of the program, ends with 0
  char reserved[104];
  ClockPair pairs[kClockPairs];
};
static_assert(offsetof(RegionHeader, pairs) == 256);
static_assert(sizeof(RegionHeader) <= kHeaderBytes);

enum class Lane : uint32_t { kDurable = 1, kSpans = 2, kNames = 3 };
enum class ChunkState : uint32_t { kFree = 0, kOpen = 1, kSealed = 2 };

// The first 64 bytes belong to the writer, the next 64 to the reader.
struct ChunkHeader {
  uint64_t
      serial;      // counts up through the region; stored last, with release, when a chunk is taken
  uint32_t state;  // ChunkState; sealed is stored after the last `committed`
  uint32_t lane;   // Lane
  uint64_t thread;         // the system's number of the thread that took it (0: names)
  uint32_t committed;      // bytes of records that are whole; stored with release
  uint32_t thread_serial;  // tells threads apart that have the same number
  ClockPair opened;        // when the chunk was taken
  char thread_name[16];    // ends with 0 unless it is 16 bytes long
  uint64_t released;       // by the reader: the serial whose records it needs no longer
  uint64_t consumed;       // by the reader, for who looks: bytes that it has read of that serial
  char reader_reserved[48];
};
static_assert(offsetof(ChunkHeader, released) == 64);
static_assert(sizeof(ChunkHeader) == 128);
inline constexpr uint32_t kChunkPayload = kChunkBytes - sizeof(ChunkHeader);

enum class RecordKind : uint8_t {
  kName = 1,        // text; `name` is its number
  kScalar = 2,      // ScalarRecord
  kText = 3,        // BytesRecord
  kValue = 4,       // BytesRecord
  kNote = 5,        // BytesRecord; `name` is the key's
  kSpanBegin = 6,   // MomentRecord
  kSpanEnd = 7,     // MomentRecord
  kInstant = 8,     // MomentRecord
  kCounter = 9,     // CounterRecord
  kStepBegin = 10,  // StepBeginRecord
  kStepEnd = 11,    // StepEndRecord
  kHeartbeat = 12,  // MomentRecord
  kThread = 13,     // ThreadRecord: what follows in the chunk is of another thread
};

inline constexpr uint8_t kWallTime = 1;  // flag: `ticks` is ns since 1970
inline constexpr uint8_t kInBlob = 2;    // flag of a BytesRecord: the bytes are a BlobReference
inline constexpr uint32_t kLongestInline = 16384;  // bytes of a record; more go to a blob file
inline constexpr uint32_t kLongestName = 4096;

// Every record begins with it and takes a multiple of 8 bytes.
struct RecordHead {
  uint8_t kind;  // RecordKind
  uint8_t flags;
  uint16_t words;  // length of the record in units of 8 bytes, head included
  uint32_t name;   // number of a name; 0: none
};
struct NameRecord {
  RecordHead head;
  uint64_t size;  // bytes of text that follow, padded with zeros
};
struct MomentRecord {
  RecordHead head;
  uint64_t ticks;
};
struct CounterRecord {
  RecordHead head;
  uint64_t ticks;
  double value;
};
struct ScalarRecord {
  RecordHead head;
  uint64_t ticks;
  double value;
  int64_t step;
};
struct BytesRecord {
  RecordHead head;
  uint64_t ticks;
  int64_t step;
  uint64_t size;  // bytes that follow, padded with zeros
};
struct BlobReference {
  uint64_t number;  // the file blob-STEM-NUMBER beside the region, STEM.ring
  uint64_t size;    // its length
};
struct StepBeginRecord {
  RecordHead head;
  uint64_t ticks;
  int64_t step;
};
struct StepEndRecord {
  RecordHead head;
  uint64_t ticks;
  int64_t step;
  uint64_t begin_ticks;  // 0: unknown
  int64_t data_wait_ns;  // -1: unknown
};
struct ThreadRecord {
  RecordHead head;
  uint64_t thread;
  uint64_t thread_serial;
  char thread_name[16];
};

}  // namespace telltale::record
