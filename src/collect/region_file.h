// SPDX-License-Identifier: Apache-2.0
// The file of a region, and the files of its blobs beside it. Reads with pread: a file that shrinks
// ends early.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include "base/result.h"
#include "io/file_gate.h"

namespace telltale {

class RegionFile {
 public:
  // kUnreadable: no file, or another user's.
  [[nodiscard]] static Result<RegionFile> Open(const std::string& path);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_writable() const { return is_writable_; }
  // Now; 0: it cannot be told.
  [[nodiscard]] uint64_t Size() const;
  // How many bytes there were.
  [[nodiscard]] size_t ReadAt(uint64_t offset, void* out, size_t size) const;
  // False: it was not written.
  [[nodiscard]] bool WriteAt(uint64_t offset, uint64_t number) const;

  [[nodiscard]] std::string BlobPath(uint64_t number) const;
  // False: it is not there, or not whole.
  [[nodiscard]] bool ReadBlob(const std::string& path, uint64_t size, std::string& out) const;

 private:
  RegionFile(std::string path, FileDescriptor file, bool is_writable)
      : path_(std::move(path)), file_(std::move(file)), is_writable_(is_writable) {}

  std::string path_;
  FileDescriptor file_;
  bool is_writable_ = false;
};

}  // namespace telltale
