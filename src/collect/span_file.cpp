// SPDX-License-Identifier: Apache-2.0
#include "collect/span_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "collect/files.h"
#include "formats/perfetto/fields.h"

namespace telltale {

namespace {

namespace event = perfetto::event;

// The system's clock is compared anew each second: a difference up to this is no setting back.
constexpr int64_t kClockNoiseNs = 1'000'000;
// Programs that start a thread for every batch must not fill the memory.
constexpr size_t kMostThreads = 4096;
constexpr int kMostNames = 10'000;

}  // namespace

SpanFile::SpanFile(std::string folder, const RegionHeaderInfo& process, SpanFileState state,
                   uint64_t limit_bytes)
    : folder_(std::move(folder)),
      process_(process),
      limit_bytes_(limit_bytes),
      state_(std::move(state)),
      pending_(process_.pid),
      has_head_(state_.length > 0) {
  for (const SpanFileState::Thread& known : std::exchange(state_.threads, {})) {
    Thread& thread = threads_[{known.thread, known.serial}];
    thread.id = {known.thread, known.serial};
    thread.open = known.open;
    thread.skipped = known.skipped;
    thread.last_ns = static_cast<int64_t>(known.last_ns);
  }
}

SpanFileState SpanFile::State() const {
  SpanFileState state = state_;
  if (state.length == 0) return state;  // what is open has no beginning in the file yet
  for (const auto& [key, thread] : threads_) {
    if (thread.open > 0 || thread.skipped > 0) {
      state.threads.push_back({thread.id.number, thread.id.serial, thread.open, thread.skipped,
                               static_cast<uint64_t>(thread.last_ns)});
    }
  }
  return state;
}

void SpanFile::ForgetIdleThreads() {
  std::erase_if(threads_,
                [](const auto& item) { return item.second.open == 0 && item.second.skipped == 0; });
}

SpanFile::Thread& SpanFile::ThreadOf(const RegionRecord& record) {
  const ThreadKey key = {record.thread, record.thread_serial};
  if (last_thread_ == nullptr || last_key_ != key) {
    if (threads_.size() > kMostThreads) ForgetIdleThreads();
    last_thread_ = &threads_[key];
    last_key_ = key;
    last_thread_->id = {record.thread, record.thread_serial};
  }
  return *last_thread_;
}

void SpanFile::Ensure(Thread& thread, const ThreadNames& thread_names) {
  if (thread.sequence != 0) return;
  if (!has_head_) pending_.Head(next_sequence_, process_);
  has_head_ = true;
  const auto name = thread_names.find(thread.id.number);
  BeginSequence(thread, name == thread_names.end() ? std::string_view() : name->second);
}

void SpanFile::BeginSequence(Thread& thread, std::string_view name) {
  thread.sequence = next_sequence_++;
  thread.names.clear();
  thread.next_name = 1;
  pending_.BeginSequence(thread.sequence, thread.id, name, thread.last_ns);
}

uint32_t SpanFile::NameOf(Thread& thread, const RegionRecord& record) {
  if (record.name_number >= thread.names.size()) thread.names.resize(record.name_number + 1);
  uint32_t& number = thread.names[record.name_number];
  if (number != 0) return number;
  number = thread.next_name++;
  pending_.Name(thread.sequence, number, record.name);
  return number;
}

// ns since the process began to record. On a thread it never goes back: a small step is noise of
// two clocks, a large one the system's clock being set, and then the thread's time goes on as
// before.
int64_t SpanFile::TimeOf(Thread& thread, int64_t wall_ns) const {
  int64_t since = 0;
  if (__builtin_sub_overflow(wall_ns, process_.started_wall_ns, &since)) return thread.last_ns;
  if (__builtin_add_overflow(since, thread.shift_ns, &since)) return thread.last_ns;
  if (since >= thread.last_ns) return since;
  if (thread.last_ns - since > kClockNoiseNs) thread.shift_ns += thread.last_ns - since;
  return thread.last_ns;
}

void SpanFile::Event(Thread& thread, int64_t time_ns, uint64_t type, uint32_t name) {
  pending_.Event(thread.sequence, time_ns - thread.last_ns, type, name);
  thread.last_ns = time_ns;
  NoteTime(time_ns);
}

void SpanFile::Counter(Thread& thread, const RegionRecord& record) {
  if (counters_.insert(record.name_number).second) pending_.DescribeCounter(record.name);
  const int64_t time_ns = TimeOf(thread, record.wall_ns);
  pending_.Counter(thread.sequence, time_ns - thread.last_ns, record.name, record.value);
  thread.last_ns = time_ns;
  NoteTime(time_ns);
}

void SpanFile::DescribeSteps(Thread& thread) {
  thread.has_steps = true;
  pending_.DescribeSteps(
      thread.id, steps_have_track_ ? fmt::format("Steps of thread {}", thread.id.number) : "Steps");
  steps_have_track_ = true;
}

// Steps are found where an optimizer has stepped and need not nest with spans: they have a track
// of their own.
void SpanFile::Step(Thread& thread, const RegionRecord& record) {
  if (!thread.has_steps) DescribeSteps(thread);
  const int64_t end_ns = TimeOf(thread, record.wall_ns);
  const auto length_ns = static_cast<int64_t>(std::min(record.value, 9e15));
  // Steps follow one another; what was rounded must not let them overlap.
  pending_.Step(thread.sequence, thread.id, record.step,
                std::max(end_ns - length_ns, thread.last_step_ns), end_ns);
  thread.last_step_ns = end_ns;
}

void SpanFile::Take(const RegionRecord& record, const ThreadNames& thread_names) {
  using Kind = RegionRecord::Kind;
  switch (record.kind) {
    case Kind::kSpanBegin: {
      Thread& thread = ThreadOf(record);
      if (thread.skipped > 0 || IsFull()) {
        ++thread.skipped;
        ++state_.left_out;
        return;
      }
      Ensure(thread, thread_names);
      const uint32_t name = NameOf(thread, record);
      Event(thread, TimeOf(thread, record.wall_ns), event::kSliceBegin, name);
      ++thread.open;
      ++begun_since_append_;
      return;
    }
    case Kind::kSpanEnd: {
      Thread& thread = ThreadOf(record);
      if (thread.skipped > 0) {
        --thread.skipped;
      } else if (thread.open > 0) {
        Ensure(thread, thread_names);
        Event(thread, TimeOf(thread, record.wall_ns), event::kSliceEnd, 0);
        --thread.open;
      }
      return;
    }
    case Kind::kInstant: {
      Thread& thread = ThreadOf(record);
      if (IsFull()) {
        ++state_.left_out;
        return;
      }
      Ensure(thread, thread_names);
      const uint32_t name = NameOf(thread, record);
      Event(thread, TimeOf(thread, record.wall_ns), event::kInstant, name);
      ++begun_since_append_;
      return;
    }
    case Kind::kCounter: {
      Thread& thread = ThreadOf(record);
      if (IsFull()) {
        ++state_.left_out;
        return;
      }
      Ensure(thread, thread_names);
      Counter(thread, record);
      ++begun_since_append_;
      return;
    }
    case Kind::kStepEnd: {
      // Steps alone are curves, and no reason for a file.
      if (!has_head_ || record.value < 0 || record.step < 0 || IsFull()) return;
      Thread& thread = ThreadOf(record);
      Ensure(thread, thread_names);
      Step(thread, record);
      return;
    }
    case Kind::kName:
    case Kind::kScalar:
    case Kind::kText:
    case Kind::kValue:
    case Kind::kNote:
    case Kind::kStepBegin:
    case Kind::kHeartbeat:
      return;
  }
}

// Totals; the last ones count.
void SpanFile::WriteDropped() {
  if ((dropped_ == dropped_written_ && state_.left_out == left_out_written_) || !has_head_) return;
  dropped_written_ = dropped_;
  left_out_written_ = state_.left_out;
  pending_.Dropped(next_sequence_++, state_.last_ns, dropped_, state_.left_out);
}

void SpanFile::CloseOpenSpans() {
  for (auto& [key, thread] : threads_) {
    if (thread.open == 0) continue;
    if (thread.sequence == 0) BeginSequence(thread, {});
    for (; thread.open > 0; --thread.open) {
      Event(thread, std::max(thread.last_ns, static_cast<int64_t>(state_.last_ns)),
            event::kSliceEnd, 0);
    }
    thread.skipped = 0;
  }
}

Result<void> SpanFile::Claim(int64_t rank, bool is_worker) {
  std::string stem = "spans";
  if (rank >= 0) stem += fmt::format("-rank{}", rank);
  if (is_worker) stem += fmt::format("-worker-{}", process_.pid);
  for (int number = 1; number < kMostNames; ++number) {
    const std::string name =
        number == 1 ? stem + ".pftrace" : fmt::format("{}-{}.pftrace", stem, number);
    const std::string path = folder_ + "/" + name;
    file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    if (file_.valid()) {
      state_.name = name;
      return {};
    }
    if (errno != EEXIST) return Fail(ErrorCode::kUnwritable, SystemProblem("cannot write", path));
  }
  return Fail(ErrorCode::kUnwritable, fmt::format("{} has too many files of spans", folder_));
}

Result<void> SpanFile::Append() {
  WriteDropped();
  if (!has_pending()) return {};
  const std::string path = folder_ + "/" + state_.name;
  if (!file_.valid()) {
    file_ = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    // Behind it may be what somebody before us had no time to note.
    if (file_.valid() && ::ftruncate(file_.get(), static_cast<off_t>(state_.length)) != 0) {
      file_ = {};
    }
  }
  const auto end = static_cast<off_t>(state_.length);
  if (!file_.valid() || ::lseek(file_.get(), end, SEEK_SET) != end ||
      !WriteAll(file_.get(), pending_.bytes())) {
    return Fail(ErrorCode::kUnwritable, SystemProblem("cannot write", path));
  }
  state_.length += pending_.size();
  pending_.Clear();
  begun_since_append_ = 0;
  return {};
}

void SpanFile::Forget() {
  state_.left_out += begun_since_append_;
  begun_since_append_ = 0;
  pending_.Clear();
  file_ = {};  // opened again, it is cut
  has_head_ = state_.length > 0;
  dropped_written_ = left_out_written_ = 0;
  counters_.clear();
  // Of what is open nobody knows any more whether its beginning is in the file: its end stays out.
  for (auto& [key, thread] : threads_) {
    thread.skipped += std::exchange(thread.open, 0);
    thread.sequence = 0;
    thread.has_steps = false;
  }
  steps_have_track_ = false;
}

}  // namespace telltale
