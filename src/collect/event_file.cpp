// SPDX-License-Identifier: Apache-2.0
#include "collect/event_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/protobuf.h"
#include "collect/files.h"

namespace telltale {

namespace {

double Seconds(int64_t wall_ns) { return static_cast<double>(wall_ns) / 1e9; }

bool HasTag(std::string_view value) {
  for (protobuf::MessageReader reader(value); reader.Next();) {
    if (reader.field().number == 1) return true;
  }
  return false;
}

}  // namespace

EventFile::EventFile(std::string path, uint64_t length) : path_(std::move(path)), length_(length) {
  Restart();
}

void EventFile::Restart() {
  pending_.clear();
  sink_ = MakeStringSink(pending_);
  writer_.emplace(*sink_, length_ > 0);
}

void EventFile::Scalar(std::string_view tag, double value, int64_t step, int64_t wall_ns) {
  auto [at, is_first] = tags_.try_emplace(std::string(tag));
  if (is_first) {
    at->second.tag = tag;
    at->second.plugin = "scalars";
    at->second.data_class = 1;
  }
  ScalarPoint point;
  point.step = step;
  point.wall_time = Seconds(wall_ns);
  point.value = value;
  writer_->Scalar(at->second, point, is_first);
  ++events_;
}

void EventFile::Text(std::string_view tag, std::string_view text, int64_t step, int64_t wall_ns) {
  writer_->Text(tag, text, step, Seconds(wall_ns));
  ++events_;
}

void EventFile::Value(std::string_view tag, std::string_view value, int64_t step, int64_t wall_ns) {
  if (tag.empty() || HasTag(value)) {
    writer_->Value(value, step, Seconds(wall_ns));
  } else {
    protobuf::MessageWriter tagged;
    tagged.Bytes(1, tag);
    tagged.Append(value);
    writer_->Value(tagged.bytes(), step, Seconds(wall_ns));
  }
  ++events_;
}

Result<void> EventFile::Append() {
  if (pending_.empty()) return {};
  if (!file_.valid()) {
    file_ = FileDescriptor(::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
    // Behind it may be what a reader before us had no time to note.
    if (file_.valid() && ::ftruncate(file_.get(), static_cast<off_t>(length_)) != 0) file_ = {};
  }
  const off_t end = static_cast<off_t>(length_);
  if (!file_.valid() || ::lseek(file_.get(), end, SEEK_SET) != end ||
      !WriteAll(file_.get(), pending_)) {
    return Fail(ErrorCode::kUnwritable, SystemProblem("cannot write", path_));
  }
  struct stat state = {};
  if (::fstat(file_.get(), &state) == 0 && state.st_nlink == 0) {
    errno = ENOENT;
    return Fail(ErrorCode::kUnwritable, SystemProblem("cannot write", path_));
  }
  length_ += pending_.size();
  pending_.clear();
  return {};
}

void EventFile::Forget(uint64_t length) {
  length_ = length;
  file_ = {};  // opened again, it is cut
  if (const FileDescriptor file(::open(path_.c_str(), O_WRONLY | O_CLOEXEC)); file.valid()) {
    [[maybe_unused]] const int cut = ::ftruncate(file.get(), static_cast<off_t>(length));
  }
  tags_.clear();
  Restart();
}

}  // namespace telltale
