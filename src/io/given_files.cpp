// SPDX-License-Identifier: Apache-2.0
#include "io/given_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace telltale {

namespace fs = std::filesystem;

namespace {

constexpr size_t kLongestName = 160;  // with room below the 255 bytes of file systems

tl::unexpected<Error> Unwritable(std::string_view what, int error) {
  return Fail(ErrorCode::kUnwritable, std::string(what) + ": " +
                                          std::generic_category().message(error) +
                                          "; open the file with telltale view FILE instead");
}

std::string InMebibytes(uint64_t bytes) { return std::to_string(bytes >> 20) + " MiB"; }

}  // namespace

std::string HarmlessFileName(std::string_view name) {
  name.remove_prefix(std::min(name.find_last_of("/\\") + 1, name.size()));
  std::string plain;
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    plain += byte < 0x20 || byte == 0x7f ? '_' : c;
  }
  const size_t first = plain.find_first_not_of('.');
  plain.erase(0, first == std::string::npos ? plain.size() : first);
  if (plain.size() > kLongestName) plain.erase(0, plain.size() - kLongestName);
  return plain.empty() ? "file" : plain;
}

GivenFiles::GivenFiles(std::string top, const GivenFilesLimits& limits)
    : limits_(limits), top_(std::move(top)), finished_(top_ + "/dropped") {}

Result<std::unique_ptr<GivenFiles>> GivenFiles::Make(const GivenFilesLimits& limits) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) return Unwritable("there is no folder for temporary files", error.value());
  std::string top = (temporary / "telltale-XXXXXX").string();
  // Only this user may enter what it makes.
  if (::mkdtemp(top.data()) == nullptr) return Unwritable("no temporary folder can be made", errno);
  std::unique_ptr<GivenFiles> files(new GivenFiles(std::move(top), limits));
  if (::mkdir(files->finished_.c_str(), S_IRWXU) != 0) {
    return Unwritable("no temporary folder can be made", errno);
  }
  return files;
}

Result<std::string> GivenFiles::Begin(std::string_view name, uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (removed_) return Fail(ErrorCode::kUnwritable, "the server is about to end");
  while (parts_.size() >= limits_.unfinished) GiveUp(parts_.begin());
  if (bytes > limits_.bytes - bytes_) {
    return Fail(ErrorCode::kUsage, "all files given to the page may have " +
                                       InMebibytes(limits_.bytes) + " together, and " +
                                       InMebibytes(limits_.bytes - bytes_) +
                                       " are left; open the file with telltale view FILE instead");
  }
  if (files_.size() >= limits_.files) {
    return Fail(ErrorCode::kUsage, "no more than " + std::to_string(limits_.files) +
                                       " files can be given to the page; open others with "
                                       "telltale view FILE");
  }
  Unfinished part;
  // Numbers of one width: the first in the map is the oldest.
  std::string id = std::to_string(1'000'000'000 + begun_count_++);
  part.name = HarmlessFileName(name);
  part.path = top_ + "/" + id;
  part.expected = bytes;
  part.descriptor = FileDescriptor(::open(
      part.path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!part.descriptor.valid()) return Unwritable("the file cannot be kept", errno);
  bytes_ += bytes;
  parts_.emplace(id, std::move(part));
  return id;
}

Result<void> GivenFiles::Append(std::string_view id, uint64_t offset, std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  const auto at = parts_.find(id);
  if (at == parts_.end()) return Fail(ErrorCode::kUsage, "no such file is being given");
  Unfinished& part = at->second;
  if (offset != part.received || bytes.size() > part.expected - part.received) {
    return Fail(ErrorCode::kUsage, "byte " + std::to_string(part.received) + " of " +
                                       std::to_string(part.expected) + " was expected next");
  }
  while (!bytes.empty()) {
    const ssize_t written = ::write(part.descriptor.get(), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : ENOSPC;
      GiveUp(at);
      return Unwritable("the file cannot be kept", error);
    }
    part.received += static_cast<uint64_t>(written);
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return {};
}

Result<std::string> GivenFiles::Finish(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto at = parts_.find(id);
  if (at == parts_.end()) return Fail(ErrorCode::kUsage, "no such file is being given");
  Unfinished& part = at->second;
  if (part.received != part.expected) {
    return Fail(ErrorCode::kUsage, std::to_string(part.expected - part.received) +
                                       " bytes of the file are still missing");
  }
  // Files beside each other may count as one capture.
  const std::string folder = finished_ + "/" + std::to_string(++finished_count_);
  std::string path = folder + "/" + part.name;
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 || ::rename(part.path.c_str(), path.c_str()) != 0) {
    const int error = errno;
    GiveUp(at);
    return Unwritable("the file cannot be kept", error);
  }
  files_.emplace(path, part.expected);
  parts_.erase(at);
  return path;
}

void GivenFiles::GiveUp(Parts::iterator part) {
  ::unlink(part->second.path.c_str());
  bytes_ -= part->second.expected;
  parts_.erase(part);
}

void GivenFiles::Discard(const std::string& path) {
  const std::lock_guard lock(mutex_);
  const auto at = files_.find(path);
  if (at == files_.end()) return;
  std::error_code ignored;
  fs::remove_all(fs::path(path).parent_path(), ignored);
  bytes_ -= at->second;
  files_.erase(at);
}

void GivenFiles::Remove() {
  const std::lock_guard lock(mutex_);
  if (removed_) return;
  removed_ = true;
  parts_.clear();
  files_.clear();
  std::error_code ignored;
  fs::remove_all(top_, ignored);
}

}  // namespace telltale
