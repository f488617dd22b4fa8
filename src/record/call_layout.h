// SPDX-License-Identifier: Apache-2.0
// The file in which a process keeps every function call that it makes, summed up by call path: a
// calling-context tree in shared memory, so that it is there whatever ends the process. CALLS.md
// tells it in words and is the truth. Plain structures and numbers only; the writer is
// python/native/call_tree.cpp, the reader is collect/call_reader.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace telltale::record {

inline constexpr char kCallMagic[8] = {'T', 'L', 'C', 'A', 'L', 'L', '0', '1'};
inline constexpr uint32_t kCallLayoutVersion = 1;
// The header takes the place of the first extent.
inline constexpr uint32_t kCallExtentBytes = 1 << 20;
inline constexpr uint32_t kMostCallExtents = 1024;
inline constexpr char kCallEnding[] = ".calls";

enum class CallState : uint32_t { kOpen = 1, kClosed = 2 };
enum class CallExtent : uint8_t { kNone = 0, kNodes = 1, kFunctions = 2 };

struct CallHeader {
  char magic[8];            // stored last: a file without it is not ready
  uint32_t version;         // kCallLayoutVersion
  uint32_t extent_bytes;    // kCallExtentBytes
  uint32_t state;           // CallState
  uint32_t extent_count;    // the header's among them; stored after the extent's kind
  uint32_t node_count;      // nodes that are whole
  uint32_t function_count;  // functions that are whole
  uint64_t pid;
  uint64_t first_ticks;             // when it began
  int64_t first_wall_ns;            // the same moment, ns since 1970
  uint64_t last_ticks;              // of the last call that ended
  double ticks_per_second;          // best estimate so far
  uint64_t uncounted;               // calls of paths that found no room: by function alone
  uint8_t kinds[kMostCallExtents];  // CallExtent of each
};
static_assert(sizeof(CallHeader) <= kCallExtentBytes);

// A call path. One cache line; the last four fields mean something to the process alone.
struct alignas(64) CallNode {
  uint32_t parent;    // its number + 1; 0: a thread
  uint32_t function;  // its number
  uint64_t calls;
  uint64_t ticks;    // of the calls that have ended, with what they called
  uint64_t entered;  // ticks of when the call began that has not ended; 0: none
  uint64_t key;
  CallNode* above;
  CallNode* last;    // the child that was called last
  CallNode* behind;  // the one that was called after this one, the last time
};
static_assert(sizeof(CallNode) == 64);
inline constexpr uint32_t kNodesInExtent = kCallExtentBytes / sizeof(CallNode);

enum class CallKind : uint32_t {
  kThread = 1,    // the root of a tree: `name` is the thread's
  kFunction = 2,  // of Python
  kNative = 3,    // that Python calls: has no file
  kAction = 4,    // a span: a name for what is called in it, no call
};

// Followed by the file's name and the function's, and padded to a multiple of 8 bytes. An extent
// holds whole ones; where the next does not fit, `bytes` is 0, and it is in the next extent.
struct CallFunction {
  uint32_t bytes;  // of all of it
  uint32_t kind;   // CallKind
  int32_t line;    // 0: none
  uint32_t file_bytes;
  uint32_t name_bytes;
  uint32_t reserved;
  uint64_t uncounted;  // calls that are in no node, as there was no room
};
static_assert(sizeof(CallFunction) == 32);
// Longer names are cut.
inline constexpr uint32_t kLongestCallText = 4096;

}  // namespace telltale::record
