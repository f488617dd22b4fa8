// SPDX-License-Identifier: Apache-2.0
#include "io/file_gate.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>

namespace telltale {

namespace {

namespace fs = std::filesystem;

// O_NONBLOCK: a FIFO in the place of a file must not hold up who opens it; regular files do not
// know the difference. O_NOCTTY: nor may a terminal become ours.
constexpr int kOpenFile = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
constexpr int kOpenFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;

FileStamp StampFrom(const struct stat& info) {
  FileStamp stamp;
  stamp.bytes = static_cast<uint64_t>(info.st_size);
  stamp.modified_ns = int64_t{info.st_mtim.tv_sec} * 1'000'000'000 + info.st_mtim.tv_nsec;
  stamp.inode = info.st_ino;
  stamp.device = info.st_dev;
  return stamp;
}

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

Error Cannot(std::string message) {
  return {ErrorCode::kUnreadable, std::move(message), std::nullopt};
}

Error LeadsOut(const std::string& path) {
  return Cannot(path + " leads out of the folders that may be read");
}

int OpenAt2(int folder, const char* path, int flags, unsigned resolve) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags);
  how.resolve = resolve;
  return static_cast<int>(::syscall(SYS_openat2, folder, path, &how, sizeof(how)));
}

// Kernels before 5.6, and containers that do not let the call through.
bool IsMissingCall(int error) { return error == ENOSYS || error == EPERM; }

// One part after the other, none of which may be a link.
int OpenPartByPart(int folder, std::string_view relative, int flags) {
  FileDescriptor at;
  while (true) {
    const size_t slash = relative.find('/');
    const std::string part(relative.substr(0, slash));
    const bool last = slash == std::string_view::npos;
    if (part.empty() || part == "." || part == "..") {
      errno = EXDEV;
      return -1;
    }
    FileDescriptor next(::openat(at.valid() ? at.get() : folder, part.c_str(),
                                 (last ? flags : kOpenFolder) | O_NOFOLLOW));
    if (!next.valid() || last) return next.Release();
    at = std::move(next);
    relative.remove_prefix(slash + 1);
  }
}

// `relative` has no links, or had none a moment ago.
int OpenBelow(int folder, const std::string& relative, int flags) {
  const int opened = OpenAt2(folder, relative.c_str(), flags,
                             RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_SYMLINKS);
  if (opened >= 0 || !IsMissingCall(errno)) return opened;
  return OpenPartByPart(folder, relative, flags);
}

// What of `real` is below the root: "" for the root itself, nullopt if it is elsewhere.
std::optional<std::string_view> BelowRoot(const FileGate::Root& root, std::string_view real) {
  if (!real.starts_with(root.real)) return std::nullopt;
  std::string_view rest = real.substr(root.real.size());
  if (rest.empty() || !root.is_folder) {
    return rest.empty() ? std::optional(rest) : std::nullopt;
  }
  if (root.real == "/") return rest;
  if (rest.front() != '/') return std::nullopt;
  return rest.substr(1);
}

Result<OpenedFile> Look(FileDescriptor descriptor, const std::string& path) {
  struct stat info{};
  if (::fstat(descriptor.get(), &info) != 0) {
    return tl::unexpected(Cannot(WhyNotOpened(path, errno)));
  }
  if (S_ISDIR(info.st_mode)) {
    return tl::unexpected(Cannot(path + " is a folder; expected a trace file"));
  }
  OpenedFile file;
  file.descriptor = std::move(descriptor);
  if (S_ISREG(info.st_mode)) file.stamp = StampFrom(info);
  return file;
}

}  // namespace

std::optional<FileStamp> StampOf(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  return StampFrom(info);
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

int FileDescriptor::Release() { return std::exchange(number_, -1); }

bool FileGate::Allows(const std::string& path) const {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return false;
  if (!roots_) return true;
  for (const Root& root : *roots_) {
    if (BelowRoot(root, real.native())) return true;
  }
  return false;
}

Result<OpenedFile> FileGate::Open(const std::string& path) const {
  if (roots_) return OpenBelowRoots(path);
  const bool is_stdin = path == "-";
  const std::string shown = is_stdin ? "standard input" : path;
  // A pipe's writer is waited for, as the user expects.
  FileDescriptor opened(is_stdin ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!opened.valid()) return tl::unexpected(Cannot(WhyNotOpened(shown, errno)));
  return Look(std::move(opened), shown);
}

// Links inside the roots are fine, and lead where they lead now. From there on no link is followed:
// one that appears in the meantime ends the attempt.
Result<OpenedFile> FileGate::OpenBelowRoots(const std::string& path) const {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return tl::unexpected(Cannot(WhyNotOpened(path, error.value())));
  for (const Root& root : *roots_) {
    const std::optional<std::string_view> below = BelowRoot(root, real.native());
    if (!below) continue;
    // A named file is opened from its own folder. The root is opened anew each time: it may have
    // been made anew.
    const fs::path root_path(root.real);
    const fs::path folder = root.is_folder ? root_path : root_path.parent_path();
    const std::string relative(root.is_folder ? *below : root_path.filename().native());
    if (relative.empty()) {
      return tl::unexpected(Cannot(path + " is a folder; expected a trace file"));
    }
    const FileDescriptor top(folder == "/"
                                 ? ::open("/", kOpenFolder)
                                 : OpenBelow(FileDescriptor(::open("/", kOpenFolder)).get(),
                                             folder.relative_path().native(), kOpenFolder));
    if (!top.valid()) return tl::unexpected(Cannot(WhyNotOpened(path, errno)));
    FileDescriptor opened(OpenBelow(top.get(), relative, kOpenFile));
    if (!opened.valid()) {
      if (errno == ELOOP || errno == EXDEV) return tl::unexpected(LeadsOut(path));
      return tl::unexpected(Cannot(WhyNotOpened(path, errno)));
    }
    Result<OpenedFile> file = Look(std::move(opened), path);
    if (file && !file->stamp) {
      return tl::unexpected(Cannot(path + " is no regular file; pipes and devices are not read"));
    }
    return file;
  }
  return tl::unexpected(LeadsOut(path));
}

}  // namespace telltale
