// SPDX-License-Identifier: Apache-2.0
// Bytes that are too many for a chunk: a file of their own beside the region.
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "record/state.h"

namespace telltale::record {

namespace {

bool WriteAll(int file, const char* bytes, size_t size) {
  while (size > 0) {
    const ssize_t written = ::write(file, bytes, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes += written;
    size -= static_cast<size_t>(written);
  }
  return true;
}

}  // namespace

bool WriteBlob(uint64_t number, const void* bytes, size_t size) {
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      size > limit.rlim_cur)
    return false;
  char path[sizeof(Process::folder) + sizeof(Process::stem) + 64];
  const char* const end = path + sizeof path - 24;
  char* at = AppendText(path, end, process->folder);
  at = AppendText(at, end, "/blob-");
  at = AppendText(at, end, process->stem);
  at = AppendText(at, end, "-");
  *AppendNumber(at, number) = '\0';
  const int file = ::open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0) return false;
  const bool is_whole = WriteAll(file, static_cast<const char*>(bytes), size);
  const bool is_closed = ::close(file) == 0;
  if (is_whole && is_closed) return true;
  ::unlink(path);
  return false;
}

}  // namespace telltale::record
