// SPDX-License-Identifier: Apache-2.0
// What a file of samples is made of (FORMAT.md). Shared by reader and writer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace telltale {

// What a thread did when it was looked at.
enum class SampleState : uint8_t {
  kHoldsGil = 0,  // Python code, or native code that it called without giving the GIL away
  kNative = 1,    // on a processor, without the GIL: native code
  kWaiting = 2,   // for the GIL, a lock, data, a device, time
  kUnknown = 3,
};
constexpr uint64_t kSampleStates = 4;

namespace samples {

constexpr std::string_view kBlockMark = "TTS1";
constexpr size_t kBlockHeadBytes = 12;  // the mark, the payload's size, its CRC32C
constexpr size_t kMostBlockBytes = size_t{16} << 20;

// Of a block. What is numbered is numbered through the whole file; kFirst… say from which number on
// a block goes on, so that a lost one costs no more than its own.
enum BlockField : uint32_t {
  kStart = 1,   // ns since 1970, of the file's time 0
  kPeriod = 2,  // ns between two samples
  kFirstText = 3,
  kText = 4,  // repeated
  kFirstFunction = 5,
  kFunctions = 6,  // packed: name, file, line; texts by number, a line that is not known is 0
  kFirstThread = 7,
  kThreads = 8,  // packed: process, thread, name
  kFirstNode = 9,
  kNodes = 10,       // packed: parent's number + 1, or 0; function
  kSlotStart = 11,   // µs since the file's time 0
  kSlotLength = 12,  // µs
  kSamples = 13,     // repeated message
  kTorn = 14,        // looks at a thread that came to nothing
};
enum SamplesField : uint32_t {
  kThread = 1,
  kValues = 2,  // packed: node, state + 4 × line, how many samples, µs
};

}  // namespace samples

}  // namespace telltale
