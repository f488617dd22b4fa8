// SPDX-License-Identifier: Apache-2.0
// From what a user names to traces: files, folders of <worker>.<digits>.pt.trace.json[.gz], or "-"
// for standard input. Sorts out worker, span and rank. The only way in for commands.
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
#include "model/function_profile.h"
#include "model/memory_profile.h"
#include "model/trace.h"

namespace telltale {

class MemoryMeter;

struct InputFile {
  std::string path;
  std::string worker;           // empty unless the name has the form above
  std::optional<int64_t> span;  // 1-based place among the worker's files; none without digits
  std::optional<int64_t>
      rank;  // from the name, where it says so (rank0, rank-3 …); the file itself wins
};

// Expands folders; keeps the order of the arguments, sorts within a folder by worker, then span. An
// empty folder, a missing path or a path without permission is an Error that says what to do.
[[nodiscard]] Result<std::vector<InputFile>> FindInputs(std::span<const std::string> paths);

struct LoadOptions {
  unsigned threads = 0;
  std::optional<int64_t> rank;  // keep only this rank
  bool call_pairs = true;       // as in ReadOptions
  FileGate gate;                // what may be opened
  const std::atomic<bool>* canceled = nullptr;
  // Counts what has been read so far; at its limit reading ends, and what was read is kept.
  // nullptr: no limit.
  MemoryMeter* memory = nullptr;
  // Bytes read so far over all files, and their total where it is known (0: not known).
  std::function<void(uint64_t consumed_bytes, uint64_t total_bytes)> progress;
};

struct Loaded {
  std::vector<Trace> traces;
  std::vector<FunctionProfile> functions;
  std::vector<MemoryProfile> memory;
  std::vector<Error> failures;  // files of several that could not be read at all
};

// Fails if no file at all could be read.
[[nodiscard]] Result<Loaded> LoadTraces(std::span<const std::string> paths,
                                        const LoadOptions& options);

}  // namespace telltale
