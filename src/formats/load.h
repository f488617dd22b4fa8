// SPDX-License-Identifier: Apache-2.0
// Reads files of any format, several side by side, into a subject. Sorts out worker, span and rank.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/file_gate.h"
#include "model/subject.h"

namespace telltale {

class MemoryMeter;

struct InputFile {
  std::string path;
  std::string worker;           // empty unless the name is <worker>[.<digits>].pt.trace.json
  std::optional<int64_t> span;  // 1-based place among the worker's files; none without digits
  std::optional<int64_t>
      rank;  // from the name, where it says so (rank0, rank-3 …); the file itself wins
};

struct LoadOptions {
  unsigned threads = 0;
  std::optional<int64_t> rank;  // keep only this rank
  bool call_pairs = true;       // as in ReadOptions
  bool series = false;          // of folders: their event files, too
  FileGate gate;                // what may be opened
  const std::atomic<bool>* canceled = nullptr;
  // Counts what has been read so far; at its limit reading ends, and what was read is kept.
  // nullptr: no limit.
  MemoryMeter* memory = nullptr;
  // Bytes read so far over all files, and their total where it is known (0: not known).
  std::function<void(uint64_t consumed_bytes, uint64_t total_bytes)> progress;
};

// `failures` become those of the result. Fails with the first one if no file at all could be read.
[[nodiscard]] Result<Subject> LoadFiles(std::span<const InputFile> files,
                                        std::vector<Error> failures, const LoadOptions& options);

}  // namespace telltale
