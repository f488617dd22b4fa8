// SPDX-License-Identifier: Apache-2.0
// A file as it is, read from front to back. read(2) and not mmap: a file that shrinks while it is
// read then ends early instead of killing the process, and pipes work the same way.
#include <fcntl.h>
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
  FileSource(OpenedFile file, std::string path, std::optional<uint64_t> total_bytes)
      : file_(std::move(file)), path_(std::move(path)), total_bytes_(total_bytes) {}

  Result<size_t> Read(char* buffer, size_t capacity) override {
    while (true) {
      const ssize_t count =
          ::read(file_.descriptor.get(), buffer, std::min(capacity, kLargestRead));
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
    if (!can_jump || ::lseek(file_.descriptor.get(), static_cast<off_t>(count), SEEK_CUR) < 0) {
      return ByteSource::Skip(count);
    }
    consumed_.fetch_add(count, std::memory_order_relaxed);
    return {};
  }

  [[nodiscard]] uint64_t consumed_bytes() const override {
    return consumed_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<uint64_t> total_bytes() const override { return total_bytes_; }
  [[nodiscard]] std::optional<FileStamp> stamp() const override { return file_.stamp; }
  [[nodiscard]] const char* compression() const override { return "none"; }
  [[nodiscard]] std::optional<SourceProblem> problem() const override { return std::nullopt; }

 private:
  OpenedFile file_;
  std::string path_;
  std::optional<uint64_t> total_bytes_;
  std::atomic<uint64_t> consumed_ = 0;  // progress is asked for from other threads
};

}  // namespace

Result<std::unique_ptr<ByteSource>> OpenFileSource(const std::string& path, const FileGate& gate) {
  Result<OpenedFile> file = gate.Open(path);
  if (!file) return tl::unexpected(std::move(file.error()));
  const int descriptor = file->descriptor.get();
  std::optional<uint64_t> total_bytes;
  // A size of 0 also stands for "not known" (/proc).
  if (file->stamp && file->stamp->bytes > 0) {
    // Standard input may have been read from before.
    const auto size = static_cast<off_t>(file->stamp->bytes);
    const off_t skipped = std::clamp<off_t>(::lseek(descriptor, 0, SEEK_CUR), 0, size);
    total_bytes = static_cast<uint64_t>(size - skipped);
    // Only a hint: the kernel reads further ahead.
    (void)::posix_fadvise(descriptor, 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  return std::make_unique<FileSource>(std::move(*file), path == "-" ? "standard input" : path,
                                      total_bytes);
}

}  // namespace telltale
