// SPDX-License-Identifier: Apache-2.0
// What a folder holds, one entry after the other. As std::filesystem::directory_iterator, which
// ends the program where it finds no memory for a name.
#pragma once

#include <dirent.h>

#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

namespace telltale {

// In the order of the file system, without "." and "..".
class FolderEntries {
 public:
  // `error`: why it cannot be looked into; there are no entries then.
  FolderEntries(std::filesystem::path folder, std::error_code& error);

  // Goes to the next entry, the first one at the first call. False: there are no more, or `error`.
  [[nodiscard]] bool Next(std::error_code& error);

  // Of the entry.
  [[nodiscard]] std::string_view name() const { return entry_->d_name; }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / entry_->d_name; }
  [[nodiscard]] bool is_link() const;
  // Or what a link leads to.
  [[nodiscard]] bool is_folder() const { return IsOfType(DT_DIR); }
  [[nodiscard]] bool is_regular_file() const { return IsOfType(DT_REG); }

 private:
  struct Close {
    void operator()(DIR* folder) const { ::closedir(folder); }
  };
  // One of <dirent.h>'s, links followed.
  [[nodiscard]] bool IsOfType(unsigned char type) const;

  std::filesystem::path folder_;
  std::unique_ptr<DIR, Close> stream_;
  const dirent* entry_ = nullptr;  // of stream_
};

}  // namespace telltale
