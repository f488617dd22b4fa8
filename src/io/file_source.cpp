// SPDX-License-Identifier: Apache-2.0
// A file as it is, read from front to back. read(2) and not mmap: a file that shrinks while it is
// read then ends early instead of killing the process, and pipes work the same way.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <string>
#include <system_error>
#include <utility>

#include "io/sources.h"

namespace telltale {

namespace {

// Linux moves at most this much in one read.
constexpr size_t kLargestRead = 0x7ffff000;

class FileSource final : public ByteSource {
 public:
  FileSource(int fd, bool owned, std::string path, std::optional<uint64_t> total_bytes)
      : fd_(fd), owned_(owned), path_(std::move(path)), total_bytes_(total_bytes) {}
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override {
    if (owned_) ::close(fd_);
  }

  Result<size_t> Read(char* buffer, size_t capacity) override {
    while (true) {
      const ssize_t count = ::read(fd_, buffer, std::min(capacity, kLargestRead));
      if (count >= 0) {
        consumed_.fetch_add(static_cast<uint64_t>(count), std::memory_order_relaxed);
        return static_cast<size_t>(count);
      }
      if (errno == EINTR) continue;
      return Fail(ErrorCode::kUnreadable,
                  "reading " + path_ + " failed: " + std::system_category().message(errno),
                  consumed_bytes());
    }
  }

  Result<void> Skip(uint64_t count) override {
    const bool can_jump = total_bytes_.has_value() && count <= *total_bytes_;
    if (!can_jump || ::lseek(fd_, static_cast<off_t>(count), SEEK_CUR) < 0) {
      return ByteSource::Skip(count);
    }
    consumed_.fetch_add(count, std::memory_order_relaxed);
    return {};
  }

  [[nodiscard]] uint64_t consumed_bytes() const override {
    return consumed_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<uint64_t> total_bytes() const override { return total_bytes_; }
  [[nodiscard]] const char* compression() const override { return "none"; }
  [[nodiscard]] std::optional<SourceProblem> problem() const override { return std::nullopt; }

 private:
  int fd_;
  bool owned_;
  std::string path_;
  std::optional<uint64_t> total_bytes_;
  std::atomic<uint64_t> consumed_ = 0;  // progress is asked for from other threads
};

std::string WhyNotOpened(const std::string& path, int error) {
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      return path + " does not exist: check the path";
    case EACCES:
    case EPERM:
      return "no permission to read " + path +
             ": ask its owner, or copy it to a place you may read";
    default:
      return "cannot open " + path + ": " + std::system_category().message(error);
  }
}

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenFileSource(const std::string& path) {
  const bool is_stdin = path == "-";
  const std::string shown = is_stdin ? "standard input" : path;
  const int fd = is_stdin ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return Fail(ErrorCode::kUnreadable, WhyNotOpened(path, errno));

  struct stat info{};
  if (::fstat(fd, &info) != 0) {
    const int error = errno;
    if (!is_stdin) ::close(fd);
    return Fail(ErrorCode::kUnreadable, WhyNotOpened(shown, error));
  }
  if (S_ISDIR(info.st_mode)) {
    if (!is_stdin) ::close(fd);
    return Fail(ErrorCode::kUnreadable, shown + " is a folder; expected a trace file");
  }
  std::optional<uint64_t> total_bytes;
  // A size of 0 also stands for "not known" (/proc).
  if (S_ISREG(info.st_mode) && info.st_size > 0) {
    const off_t start = ::lseek(fd, 0, SEEK_CUR);
    const off_t skipped = std::clamp<off_t>(start, 0, info.st_size);
    total_bytes = static_cast<uint64_t>(info.st_size - skipped);
    // Only a hint: the kernel reads further ahead.
    (void)::posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  return std::make_unique<FileSource>(fd, !is_stdin, shown, total_bytes);
}

}  // namespace telltale
