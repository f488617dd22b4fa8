// SPDX-License-Identifier: Apache-2.0
#include "collect/region_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>
#include <utility>

namespace telltale {

namespace {

constexpr uint64_t kLongestBlob = uint64_t{1} << 31;  // protocol buffers end there, too

}  // namespace

Result<RegionFile> RegionFile::Open(const std::string& path) {
  bool is_writable = true;
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file.valid() && (errno == EACCES || errno == EROFS)) {
    is_writable = false;
    file = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  }
  if (!file.valid())
    return Fail(ErrorCode::kUnreadable, path + ": " + std::generic_category().message(errno));
  struct stat about{};
  if (fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) {
    return Fail(ErrorCode::kUnreadable, path + " is no file: a recording process makes one");
  }
  if (about.st_uid != geteuid() && geteuid() != 0) {
    return Fail(ErrorCode::kUnreadable, path + " belongs to another user");
  }
  return RegionFile(path, std::move(file), is_writable);
}

uint64_t RegionFile::Size() const {
  struct stat about{};
  if (fstat(file_.get(), &about) != 0 || about.st_size < 0) return 0;
  return static_cast<uint64_t>(about.st_size);
}

size_t RegionFile::ReadAt(uint64_t offset, void* out, size_t size) const {
  size_t read = 0;
  while (read < size) {
    const ssize_t got = ::pread(file_.get(), static_cast<char*>(out) + read, size - read,
                                static_cast<off_t>(offset + read));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    read += static_cast<size_t>(got);
  }
  return read;
}

bool RegionFile::WriteAt(uint64_t offset, uint64_t number) const {
  return ::pwrite(file_.get(), &number, sizeof number, static_cast<off_t>(offset)) == sizeof number;
}

// STEM.ring has blob-STEM-NUMBER.
std::string RegionFile::BlobPath(uint64_t number) const {
  const size_t slash = path_.rfind('/');
  std::string stem = slash == std::string::npos ? path_ : path_.substr(slash + 1);
  if (stem.ends_with(".ring")) stem.resize(stem.size() - 5);
  return (slash == std::string::npos ? "" : path_.substr(0, slash + 1)) + "blob-" + stem + "-" +
         std::to_string(number);
}

bool RegionFile::ReadBlob(const std::string& path, uint64_t size, std::string& out) const {
  const FileDescriptor file(
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat about{};
  if (!file.valid() || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode) ||
      size > kLongestBlob || static_cast<uint64_t>(about.st_size) != size) {
    return false;
  }
  out.resize(size);
  size_t read = 0;
  while (read < out.size()) {
    const ssize_t got = ::read(file.get(), out.data() + read, out.size() - read);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    read += static_cast<size_t>(got);
  }
  return read == out.size();
}

}  // namespace telltale
