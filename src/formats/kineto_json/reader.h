// SPDX-License-Identifier: Apache-2.0
// Reads Kineto and Chrome trace-event JSON of every era into columns (FORMAT.md beside this file).
// Streams: memory grows with the columns, never with the text. Damage is repaired or skipped,
// counted and located.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

#include "base/result.h"
#include "io/byte_source.h"
#include "model/trace.h"

namespace telltale {

class FileMemory;

struct ReadOptions {
  unsigned threads = 0;        // 0: as many as the machine has
  size_t block_bytes = 0;      // 0: the measured best; tests use tiny ones
  size_t max_value_bytes = 0;  // 0: 64 MiB; a larger single value is skipped, not held
  bool call_pairs = true;      // false: who called whom in a .prof is read, but not kept
  const std::atomic<bool>* canceled = nullptr;
  FileMemory* memory = nullptr;  // is told what the reader holds (memory_meter.h); nullptr: nobody
  // Called now and then, from any one thread at a time, with the bytes taken from the file so far.
  std::function<void(uint64_t consumed_bytes)> progress;
};

// Fails only if nothing of the input is a trace: kUnreadable with what was expected and found.
[[nodiscard]] Result<Trace> ReadKinetoJson(ByteSource& source, const ReadOptions& options = {});

}  // namespace telltale
