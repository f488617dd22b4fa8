// SPDX-License-Identifier: Apache-2.0
// The one way to open a file for reading. A command opens whatever its user named, pipes included.
// The server opens for people who are not its user: only regular files, only below the folders it
// was given, and only what is really there. What is opened is decided by the system while it
// follows the path, and looked at again through the descriptor: links that are changed in between
// lead nowhere.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_stamp.h"
#include "base/result.h"

namespace telltale {

// nullopt: there is no such file, or it is no regular one.
[[nodiscard]] std::optional<FileStamp> StampOf(const std::string& path);

// Closes what it holds.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.Release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  [[nodiscard]] int get() const { return number_; }
  [[nodiscard]] bool valid() const { return number_ >= 0; }
  [[nodiscard]] int Release();

 private:
  int number_ = -1;
};

struct OpenedFile {
  FileDescriptor descriptor;
  // As it was when it was opened. None: no regular file, but a pipe or a device.
  std::optional<FileStamp> stamp;
};

class FileGate {
 public:
  // A folder, with all that is in it, or one file.
  struct Root {
    std::string real;  // absolute, without links
    bool is_folder = false;
  };

  // Opens whatever its path leads to, and standard input for "-": for paths that the user of the
  // program named.
  FileGate() = default;
  // Opens regular files below these.
  explicit FileGate(std::vector<Root> roots) : roots_(std::move(roots)) {}

  // An Error says why not, and what to do.
  [[nodiscard]] Result<OpenedFile> Open(const std::string& path) const;
  // Whether the path, all links followed, leads below the roots right now. For lists only: what is
  // opened is checked by Open.
  [[nodiscard]] bool Allows(const std::string& path) const;

 private:
  [[nodiscard]] Result<OpenedFile> OpenBelowRoots(const std::string& path) const;

  std::optional<std::vector<Root>> roots_;  // none: everything
};

}  // namespace telltale
