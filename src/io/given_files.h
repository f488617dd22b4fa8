// SPDX-License-Identifier: Apache-2.0
// Files that this process was given piece by piece, in a folder of its own that only its user can
// enter and that goes with it. A file appears among the finished ones when it is whole. Whatever
// name it came with, it stays in the folder. Any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_gate.h"

namespace telltale {

struct GivenFilesLimits {
  // Of all of them: temporary folders are often in memory.
  uint64_t bytes = uint64_t{1} << 30;
  size_t files = 64;
  size_t unfinished = 4;
};

class GivenFiles {
 public:
  // Makes the folder, below the system's for temporary files.
  [[nodiscard]] static Result<std::unique_ptr<GivenFiles>> Make(
      const GivenFilesLimits& limits = {});
  GivenFiles(const GivenFiles&) = delete;
  GivenFiles& operator=(const GivenFiles&) = delete;
  ~GivenFiles() { Remove(); }

  // Where finished files are, each in a folder of its own.
  [[nodiscard]] const std::string& folder() const { return finished_; }

  // Begins one of that size; the Result is its id.
  [[nodiscard]] Result<std::string> Begin(std::string_view name, uint64_t bytes);
  // The next piece. An Error if it does not begin where the last one ended.
  [[nodiscard]] Result<void> Append(std::string_view id, uint64_t offset, std::string_view bytes);
  // All pieces are there: the Result is the file's path.
  [[nodiscard]] Result<std::string> Finish(std::string_view id);
  // A finished file that is of no use.
  void Discard(const std::string& path);
  // Everything, the folder included. Nothing can be given from then on.
  void Remove();

 private:
  struct Unfinished {
    std::string name;  // made harmless
    std::string path;
    FileDescriptor descriptor;
    uint64_t expected = 0;
    uint64_t received = 0;
  };
  using Parts = std::map<std::string, Unfinished, std::less<>>;

  GivenFiles(std::string top, const GivenFilesLimits& limits);
  void GiveUp(Parts::iterator part);

  const GivenFilesLimits limits_;
  const std::string top_;
  const std::string finished_;
  std::mutex mutex_;  // of what follows
  bool removed_ = false;
  Parts parts_;
  std::map<std::string, uint64_t, std::less<>> files_;  // path → bytes
  uint64_t bytes_ = 0;                                  // of both
  uint64_t begun_count_ = 0;
  uint64_t finished_count_ = 0;
};

// The last part of a path without what could hide it or lead elsewhere; its ending stays.
[[nodiscard]] std::string HarmlessFileName(std::string_view name);

}  // namespace telltale
