// SPDX-License-Identifier: Apache-2.0
// What every reader of a format is told. Its defaults are right for a command; the server sets the
// rest.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

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

}  // namespace telltale
