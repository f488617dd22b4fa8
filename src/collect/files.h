// SPDX-License-Identifier: Apache-2.0
// Writing the files of a run. A disk that is full or a folder that is gone must never stop the
// training: what fails is told once (Trouble) and tried again with what comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "io/file_gate.h"

namespace telltale {

// What went wrong while recording: each thing is said once, and kept for run.json. Any thread.
class Trouble {
 public:
  // `say`: to the user, a sentence.
  explicit Trouble(std::function<void(std::string_view sentence)> say) : say_(std::move(say)) {}
  // `thing`: what the sentence is about; of one thing only the first sentence counts.
  void Tell(std::string_view thing, std::string_view sentence);
  [[nodiscard]] std::vector<std::string> sentences() const;

 private:
  std::function<void(std::string_view)> say_;
  mutable std::mutex mutex_;
  std::set<std::string, std::less<>> told_;
  std::vector<std::string> sentences_;
};

// All bytes, in spite of interrupts and of descriptors that do not wait; false: errno says why.
[[nodiscard]] bool WriteAll(int file_descriptor, std::string_view bytes);

// The file appears whole or not at all: write, fsync, rename. `sync`: false where only the end of a
// process is to be survived, not that of the machine.
[[nodiscard]] Result<void> WriteWhole(const std::string& path, std::string_view bytes,
                                      bool sync = true);
[[nodiscard]] Result<std::string> ReadFile(const std::string& path, size_t most);

// A sentence about a path and errno.
[[nodiscard]] std::string SystemProblem(std::string_view what, const std::string& path);

// A file that grows. What could not be written is told and counted; later bytes are tried again.
class GrowingFile {
 public:
  GrowingFile(std::string path, Trouble& trouble) : path_(std::move(path)), trouble_(trouble) {}
  // False: not all of it was written; the file ends where it ended before.
  bool Append(std::string_view bytes);
  [[nodiscard]] uint64_t lost_bytes() const { return lost_bytes_; }

 private:
  std::string path_;
  Trouble& trouble_;
  FileDescriptor file_;
  uint64_t lost_bytes_ = 0;
};

}  // namespace telltale
