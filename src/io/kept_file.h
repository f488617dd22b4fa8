// SPDX-License-Identifier: Apache-2.0
// A small file of the system (/proc, /sys) that is read again and again: opened once, and read from
// its beginning with one call. Opening costs several times what reading does. One thread at a time.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/file_gate.h"

namespace telltale {

// Where the text of a file goes; shared by many of them, one after the other.
class TextBuffer {
 public:
  TextBuffer();

 private:
  friend class KeptFile;
  std::vector<char> bytes_;
};

class KeptFile {
 public:
  KeptFile() = default;
  explicit KeptFile(const std::string& path) { (void)Open(path); }

  // False: see error(). Whatever was open before is closed.
  [[nodiscard]] bool Open(const std::string& path);
  void Close() { descriptor_ = FileDescriptor(); }
  [[nodiscard]] bool valid() const { return descriptor_.valid(); }

  // The whole text as it is now, until the buffer is used again.
  // False: it could not be read (its process has ended, a device is gone), see error().
  [[nodiscard]] bool Read(TextBuffer& buffer, std::string_view& text);
  // errno of what failed last; 0: nothing did.
  [[nodiscard]] int error() const { return error_; }

 private:
  FileDescriptor descriptor_;
  int error_ = 0;
};

}  // namespace telltale
