// SPDX-License-Identifier: Apache-2.0
#include "io/folder_entries.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace telltale {

FolderEntries::FolderEntries(std::filesystem::path folder, std::error_code& error)
    : folder_(std::move(folder)), stream_(::opendir(folder_.c_str())) {
  error = stream_ != nullptr ? std::error_code() : std::error_code(errno, std::generic_category());
}

bool FolderEntries::Next(std::error_code& error) {
  error.clear();
  if (stream_ == nullptr) return false;
  do {
    errno = 0;
    entry_ = ::readdir(stream_.get());  // of a stream that nobody else has
    if (entry_ == nullptr) {
      if (errno != 0) error.assign(errno, std::generic_category());
      return false;
    }
  } while (name() == "." || name() == "..");
  return true;
}

bool FolderEntries::is_link() const {
  if (entry_->d_type != DT_UNKNOWN) return entry_->d_type == DT_LNK;
  struct stat facts = {};
  return ::fstatat(::dirfd(stream_.get()), entry_->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISLNK(facts.st_mode);
}

bool FolderEntries::IsOfType(unsigned char type) const {
  if (entry_->d_type != DT_UNKNOWN && entry_->d_type != DT_LNK) return entry_->d_type == type;
  struct stat facts = {};
  return ::fstatat(::dirfd(stream_.get()), entry_->d_name, &facts, 0) == 0 &&
         IFTODT(facts.st_mode) == type;
}

}  // namespace telltale
