// SPDX-License-Identifier: Apache-2.0
// Where a profile came from: one file, whatever its format. `worker`, `span` and `rank` follow the
// folder rules of docs/guide.md.
#pragma once

#include <cstdint>
#include <string>

#include "base/file_stamp.h"

namespace telltale {

// Marks "the capture has no such value" in integer columns.
constexpr int64_t kNoInt = INT64_MIN;
constexpr uint64_t kNoUint = UINT64_MAX;

struct ProfileSource {
  std::string path;
  std::string format;       // kineto_json, pstats, speedscope …
  std::string compression;  // none, gzip, zstd
  uint64_t bytes = 0;
  uint64_t decoded_bytes = 0;
  uint64_t events = 0;  // of a trace; samples, calls or functions of other profiles
  std::string worker;
  int64_t rank = kNoInt;
  int64_t span = kNoInt;
  FileStamp stamp;  // when it was read; of no file where it came from a pipe
};

// "rank 3", else the worker's name, else the file's name.
[[nodiscard]] inline std::string LabelOf(const ProfileSource& source) {
  if (source.rank != kNoInt) return "rank " + std::to_string(source.rank);
  if (!source.worker.empty()) return source.worker;
  return source.path.substr(source.path.find_last_of('/') + 1);
}

}  // namespace telltale
