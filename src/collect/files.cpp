// SPDX-License-Identifier: Apache-2.0
#include "collect/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>

#include "io/byte_source.h"

namespace telltale {

void Trouble::Tell(std::string_view thing, std::string_view sentence) {
  const std::scoped_lock lock(mutex_);
  if (!told_.emplace(thing).second) return;
  sentences_.emplace_back(sentence);
  if (say_) say_(sentence);
}

std::vector<std::string> Trouble::sentences() const {
  const std::scoped_lock lock(mutex_);
  return sentences_;
}

bool WriteAll(int file_descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file_descriptor, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd wait = {file_descriptor, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::string SystemProblem(std::string_view what, const std::string& path) {
  return fmt::format("{} {}: {}", what, path, std::generic_category().message(errno));
}

Result<void> WriteWhole(const std::string& path, std::string_view bytes, bool sync) {
  // Beside it, so that a rename is enough; by process, so that two never write the same one.
  const std::string unfinished = fmt::format("{}.{}.tmp", path, ::getpid());
  FileDescriptor file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (!file.valid()) return Fail(ErrorCode::kUnwritable, SystemProblem("cannot write", path));
  const bool written = WriteAll(file.get(), bytes) && (!sync || ::fsync(file.get()) == 0) &&
                       ::rename(unfinished.c_str(), path.c_str()) == 0;
  if (written) return {};
  const std::string problem = SystemProblem("cannot write", path);
  ::unlink(unfinished.c_str());
  return Fail(ErrorCode::kUnwritable, problem);
}

Result<std::string> ReadFile(const std::string& path, size_t most) {
  return ReadSmallFile(path, {}, most);
}

bool GrowingFile::Append(std::string_view bytes) {
  if (bytes.empty()) return true;
  if (!file_.valid()) {
    file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
  }
  const off_t before = file_.valid() ? ::lseek(file_.get(), 0, SEEK_END) : -1;
  if (file_.valid() && WriteAll(file_.get(), bytes)) {
    // A folder that was removed takes bytes without complaint.
    struct stat state = {};
    if (::fstat(file_.get(), &state) != 0 || state.st_nlink > 0) return true;
    errno = ENOENT;
  }
  trouble_.Tell(path_, SystemProblem("cannot write", path_) +
                           "; the program goes on, what it prints meanwhile is not kept");
  lost_bytes_ += bytes.size();
  // Half of a line would look like a whole one.
  if (before >= 0 && ::ftruncate(file_.get(), before) != 0) lost_bytes_ += 0;
  file_ = {};
  return false;
}

}  // namespace telltale
