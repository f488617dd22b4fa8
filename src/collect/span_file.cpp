// SPDX-License-Identifier: Apache-2.0
#include "collect/span_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "collect/files.h"
#include "formats/perfetto/dialect.h"
#include "formats/perfetto/fields.h"

namespace telltale {

namespace {

namespace event = perfetto::event;
namespace packet = perfetto::packet;
namespace track = perfetto::track;

// Of a sequence alone: counts from the packet before.
constexpr uint64_t kDeltaClock = 64;
constexpr uint64_t kAnnotationCategory = 1;
constexpr uint64_t kDroppedCategory = 2;
// The system's clock is compared anew each second: a difference up to this is no setting back.
constexpr int64_t kClockNoiseNs = 1'000'000;
// Programs that start a thread for every batch must not fill the memory.
constexpr size_t kMostThreads = 4096;
constexpr int kMostNames = 10'000;

// Numbers of tracks, the same for whoever goes on with the file.
uint64_t TrackOf(std::string_view what, uint64_t a, uint64_t b = 0) {
  uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  const auto mix = [&hash](uint64_t byte) { hash = (hash ^ byte) * 0x100000001b3U; };
  for (const char c : what) mix(static_cast<unsigned char>(c));
  for (int i = 0; i < 64; i += 8) mix(a >> i & 0xff);
  for (int i = 0; i < 64; i += 8) mix(b >> i & 0xff);
  return hash | 1;  // 0 is no track
}

std::vector<uint64_t> NumbersIn(std::string_view text) {
  std::vector<uint64_t> out;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    uint64_t number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc()) break;
    out.push_back(number);
    at = next;
    while (at < end && *at == ' ') ++at;
  }
  return out;
}

}  // namespace

std::string SpanFileState::Text() const {
  if (name.empty()) return {};
  std::string text = fmt::format("spans {} {} {} {}\n", length, left_out, last_ns, name);
  for (const Thread& thread : threads) {
    text += fmt::format("span_thread {} {} {} {} {}\n", thread.thread, thread.serial, thread.open,
                        thread.skipped, thread.last_ns);
  }
  return text;
}

bool SpanFileState::Take(std::string_view key, std::string_view value) {
  if (key == "spans") {
    const std::vector<uint64_t> numbers = NumbersIn(value);
    const size_t space = value.rfind(' ');
    if (numbers.size() != 3 || space == std::string_view::npos) return true;
    length = numbers[0];
    left_out = numbers[1];
    last_ns = numbers[2];
    name = value.substr(space + 1);
    return true;
  }
  if (key != "span_thread") return false;
  const std::vector<uint64_t> numbers = NumbersIn(value);
  if (numbers.size() == 5) {
    threads.push_back({numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]});
  }
  return true;
}

uint64_t SpanLimitBytes() {
  constexpr uint64_t kUsualMib = 256;
  uint64_t mib = kUsualMib;
  if (const char* const asked = std::getenv("TELLTALE_SPANS_MIB"); asked != nullptr) {
    const std::string_view text(asked);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), mib);
    if (error != std::errc() || end != text.data() + text.size() || mib > 1 << 20) mib = kUsualMib;
  }
  return mib << 20;
}

SpanFile::SpanFile(std::string folder, const RegionHeaderInfo& process, SpanFileState state,
                   uint64_t limit_bytes)
    : folder_(std::move(folder)),
      process_(process),
      limit_bytes_(limit_bytes),
      state_(std::move(state)),
      has_head_(state_.length > 0) {
  for (const SpanFileState::Thread& known : std::exchange(state_.threads, {})) {
    Thread& thread = threads_[{known.thread, known.serial}];
    thread.number = known.thread;
    thread.serial = known.serial;
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
      state.threads.push_back({thread.number, thread.serial, thread.open, thread.skipped,
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
    last_thread_->number = record.thread;
    last_thread_->serial = record.thread_serial;
  }
  return *last_thread_;
}

void SpanFile::Ensure(Thread& thread, const ThreadNames& thread_names) {
  if (thread.sequence != 0) return;
  if (!has_head_) WriteHead();
  const auto name = thread_names.find(thread.number);
  BeginSequence(thread, name == thread_names.end() ? std::string_view() : name->second);
}

// The process, and where its time begins.
void SpanFile::WriteHead() {
  has_head_ = true;
  size_t mark = pending_.Begin(perfetto::trace::kPacket);
  pending_.Uint(packet::kSequenceId, next_sequence_);
  const size_t snapshot = pending_.Begin(packet::kClockSnapshot);
  const auto clock = [&](uint64_t id, int64_t time_ns) {
    const size_t inner = pending_.Begin(perfetto::clocks::kClock);
    pending_.Uint(perfetto::clocks::kId, id);
    pending_.Int(perfetto::clocks::kTimestamp, time_ns);
    pending_.End(inner);
  };
  clock(perfetto::clocks::kBoottime, 0);
  clock(perfetto::clocks::kRealtime, process_.started_wall_ns);
  pending_.Uint(perfetto::clocks::kPrimary, perfetto::clocks::kBoottime);
  pending_.End(snapshot);
  pending_.End(mark);

  mark = pending_.Begin(perfetto::trace::kPacket);
  pending_.Uint(packet::kSequenceId, next_sequence_);
  const size_t descriptor = pending_.Begin(packet::kTrackDescriptor);
  pending_.Uint(track::kUuid, TrackOf("process", process_.pid));
  const size_t process = pending_.Begin(track::kProcess);
  pending_.Uint(perfetto::process::kPid, process_.pid);
  if (!process_.program.empty()) pending_.Bytes(perfetto::process::kName, process_.program);
  pending_.End(process);
  pending_.End(descriptor);
  pending_.End(mark);
}

// From here on the sequence's names are numbered anew, and its times count from now.
void SpanFile::BeginSequence(Thread& thread, std::string_view name) {
  thread.sequence = next_sequence_++;
  thread.names.clear();
  thread.next_name = 1;
  const uint64_t uuid = TrackOf("thread", thread.number, thread.serial);
  size_t mark = pending_.Begin(perfetto::trace::kPacket);
  pending_.Uint(packet::kSequenceId, thread.sequence);
  pending_.Uint(packet::kSequenceFlags, packet::kFlagStateCleared);
  const size_t defaults = pending_.Begin(packet::kDefaults);
  const size_t of_events = pending_.Begin(perfetto::defaults::kTrackEvent);
  pending_.Uint(event::kTrackUuid, uuid);
  pending_.End(of_events);
  pending_.Uint(perfetto::defaults::kTimestampClockId, kDeltaClock);
  pending_.End(defaults);
  const size_t interned = pending_.Begin(packet::kInternedData);
  const auto category = [&](uint64_t number, std::string_view text) {
    const size_t entry = pending_.Begin(perfetto::interned::kCategories);
    pending_.Uint(perfetto::interned::kIid, number);
    pending_.Bytes(perfetto::interned::kText, text);
    pending_.End(entry);
  };
  category(kAnnotationCategory, "user_annotation");
  category(kDroppedCategory, perfetto::kDroppedCategory);
  pending_.End(interned);
  const size_t descriptor = pending_.Begin(packet::kTrackDescriptor);
  pending_.Uint(track::kUuid, uuid);
  pending_.Uint(track::kParentUuid, TrackOf("process", process_.pid));
  const size_t of_thread = pending_.Begin(track::kThread);
  pending_.Uint(perfetto::thread::kPid, process_.pid);
  pending_.Uint(perfetto::thread::kTid, thread.number);
  if (!name.empty()) pending_.Bytes(perfetto::thread::kName, name);
  pending_.End(of_thread);
  pending_.End(descriptor);
  pending_.End(mark);

  mark = pending_.Begin(perfetto::trace::kPacket);
  pending_.Uint(packet::kSequenceId, thread.sequence);
  const size_t snapshot = pending_.Begin(packet::kClockSnapshot);
  for (const uint64_t id : {perfetto::clocks::kBoottime, kDeltaClock}) {
    const size_t clock = pending_.Begin(perfetto::clocks::kClock);
    pending_.Uint(perfetto::clocks::kId, id);
    pending_.Int(perfetto::clocks::kTimestamp, thread.last_ns);
    if (id == kDeltaClock) pending_.Uint(perfetto::clocks::kIsIncremental, 1);
    pending_.End(clock);
  }
  pending_.End(snapshot);
  pending_.End(mark);
}

uint32_t SpanFile::NameOf(Thread& thread, const RegionRecord& record) {
  if (record.name_number >= thread.names.size()) thread.names.resize(record.name_number + 1);
  uint32_t& number = thread.names[record.name_number];
  if (number != 0) return number;
  number = thread.next_name++;
  const size_t mark = pending_.Begin(perfetto::trace::kPacket);
  pending_.Uint(packet::kSequenceId, thread.sequence);
  const size_t interned = pending_.Begin(packet::kInternedData);
  const size_t entry = pending_.Begin(perfetto::interned::kEventNames);
  pending_.Uint(perfetto::interned::kIid, number);
  pending_.Bytes(perfetto::interned::kText, record.name);
  pending_.End(entry);
  pending_.End(interned);
  pending_.End(mark);
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
  const size_t mark = pending_.Begin(perfetto::trace::kPacket);
  pending_.Uint(packet::kTimestamp, static_cast<uint64_t>(time_ns - thread.last_ns));
  pending_.Uint(packet::kSequenceId, thread.sequence);
  const size_t inner = pending_.Begin(packet::kTrackEvent);
  pending_.Uint(event::kType, type);
  if (name != 0) {
    pending_.Uint(event::kCategoryIids, kAnnotationCategory);
    pending_.Uint(event::kNameIid, name);
  }
  pending_.End(inner);
  pending_.End(mark);
  thread.last_ns = time_ns;
  NoteTime(time_ns);
}

// Each counter is a track of its own, whichever thread counts.
uint64_t SpanFile::CounterOf(const RegionRecord& record) {
  uint64_t uuid = TrackOf(record.name, process_.pid, 1);
  if (!counters_.insert(record.name_number).second) return uuid;
  const size_t mark = pending_.Begin(perfetto::trace::kPacket);
  const size_t descriptor = pending_.Begin(packet::kTrackDescriptor);
  pending_.Uint(track::kUuid, uuid);
  pending_.Bytes(track::kName, record.name);
  pending_.Uint(track::kParentUuid, TrackOf("process", process_.pid));
  pending_.End(pending_.Begin(track::kCounter));
  pending_.End(descriptor);
  pending_.End(mark);
  return uuid;
}

void SpanFile::DescribeSteps(Thread& thread) {
  thread.has_steps = true;
  const size_t mark = pending_.Begin(perfetto::trace::kPacket);
  const size_t descriptor = pending_.Begin(packet::kTrackDescriptor);
  pending_.Uint(track::kUuid, TrackOf("steps", thread.number, thread.serial));
  pending_.Bytes(track::kName,
                 steps_have_track_ ? fmt::format("Steps of thread {}", thread.number) : "Steps");
  pending_.Uint(track::kParentUuid, TrackOf("process", process_.pid));
  pending_.End(descriptor);
  pending_.End(mark);
  steps_have_track_ = true;
}

// Steps are found where an optimizer has stepped and need not nest with spans: they have a track
// of their own.
void SpanFile::Step(Thread& thread, const RegionRecord& record) {
  if (!thread.has_steps) DescribeSteps(thread);
  const uint64_t uuid = TrackOf("steps", thread.number, thread.serial);
  const int64_t end_ns = TimeOf(thread, record.wall_ns);
  const auto length_ns = static_cast<int64_t>(std::min(record.value, 9e15));
  const auto write = [&](int64_t time_ns, uint64_t type) {
    const size_t mark = pending_.Begin(perfetto::trace::kPacket);
    pending_.Uint(packet::kTimestamp, static_cast<uint64_t>(std::max<int64_t>(time_ns, 0)));
    pending_.Uint(packet::kTimestampClockId, perfetto::clocks::kBoottime);
    pending_.Uint(packet::kSequenceId, thread.sequence);
    const size_t inner = pending_.Begin(packet::kTrackEvent);
    pending_.Uint(event::kType, type);
    pending_.Uint(event::kTrackUuid, uuid);
    if (type == event::kSliceBegin) {
      pending_.Uint(event::kCategoryIids, kAnnotationCategory);
      // A name that comes once is not worth a number.
      pending_.Bytes(event::kName, fmt::format("ProfilerStep#{}", record.step));
    }
    pending_.End(inner);
    pending_.End(mark);
  };
  // Steps follow one another; what was rounded must not let them overlap.
  write(std::max(end_ns - length_ns, thread.last_step_ns), event::kSliceBegin);
  write(end_ns, event::kSliceEnd);
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
      const uint64_t uuid = CounterOf(record);
      const int64_t time_ns = TimeOf(thread, record.wall_ns);
      const size_t mark = pending_.Begin(perfetto::trace::kPacket);
      pending_.Uint(packet::kTimestamp, static_cast<uint64_t>(time_ns - thread.last_ns));
      pending_.Uint(packet::kSequenceId, thread.sequence);
      const size_t inner = pending_.Begin(packet::kTrackEvent);
      pending_.Uint(event::kType, event::kCounter);
      pending_.Uint(event::kTrackUuid, uuid);
      pending_.Double(event::kDoubleCounterValue, record.value);
      pending_.End(inner);
      pending_.End(mark);
      thread.last_ns = time_ns;
      NoteTime(time_ns);
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
  size_t mark = pending_.Begin(perfetto::trace::kPacket);
  pending_.Uint(packet::kTimestamp, state_.last_ns);
  pending_.Uint(packet::kTimestampClockId, perfetto::clocks::kBoottime);
  // A sequence of its own, which needs nothing that another packet said.
  pending_.Uint(packet::kSequenceId, next_sequence_++);
  pending_.Uint(packet::kSequenceFlags, packet::kFlagStateCleared);
  const size_t interned = pending_.Begin(packet::kInternedData);
  const size_t entry = pending_.Begin(perfetto::interned::kCategories);
  pending_.Uint(perfetto::interned::kIid, kDroppedCategory);
  pending_.Bytes(perfetto::interned::kText, perfetto::kDroppedCategory);
  pending_.End(entry);
  pending_.End(interned);
  const size_t inner = pending_.Begin(packet::kTrackEvent);
  pending_.Uint(event::kType, event::kInstant);
  pending_.Uint(event::kCategoryIids, kDroppedCategory);
  pending_.Uint(event::kTrackUuid, TrackOf("process", process_.pid));
  pending_.Bytes(event::kName,
                 fmt::format("{} spans were dropped, {} left out", dropped_, state_.left_out));
  for (const auto& [name, count] : {std::pair(perfetto::kDroppedCount, dropped_),
                                    std::pair(perfetto::kLeftOutCount, state_.left_out)}) {
    const size_t annotation = pending_.Begin(event::kAnnotations);
    pending_.Bytes(perfetto::annotation::kName, name);
    pending_.Uint(perfetto::annotation::kUint, count);
    pending_.End(annotation);
  }
  pending_.End(inner);
  pending_.End(mark);
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
