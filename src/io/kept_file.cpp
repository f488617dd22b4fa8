// SPDX-License-Identifier: Apache-2.0
#include "io/kept_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace telltale {

namespace {

// The kernel hands out lists a page at a time, and a page ends before the entry that does not fit:
// less than half of one is the end. It saves the call that would say so.
constexpr size_t kSurelyTheEnd = 2048;
constexpr size_t kFirst = size_t{1} << 14;
constexpr size_t kMost = size_t{1} << 24;  // nothing that belongs here is as long

}  // namespace

TextBuffer::TextBuffer() : bytes_(kFirst) {}

bool KeptFile::Open(const std::string& path) {
  error_ = 0;
  descriptor_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!descriptor_.valid()) error_ = errno;
  return descriptor_.valid();
}

bool KeptFile::Read(TextBuffer& buffer, std::string_view& text) {
  if (!descriptor_.valid()) return false;
  size_t size = 0;
  while (true) {
    const size_t room = buffer.bytes_.size() - size;
    const ssize_t got =
        ::pread(descriptor_.get(), buffer.bytes_.data() + size, room, static_cast<off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      error_ = errno;
      return false;
    }
    size += static_cast<size_t>(got);
    if (static_cast<size_t>(got) < std::min(room, kSurelyTheEnd)) break;
    if (static_cast<size_t>(got) == room) {
      if (buffer.bytes_.size() >= kMost) {
        error_ = EFBIG;
        return false;
      }
      buffer.bytes_.resize(buffer.bytes_.size() * 2);
    }
  }
  text = {buffer.bytes_.data(), size};
  return true;
}

}  // namespace telltale
