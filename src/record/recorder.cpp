// SPDX-License-Identifier: Apache-2.0
// The calls that record. The fast way: look whether something is recorded, take the time, write a
// few words behind the last record of this thread's chunk, and store the chunk's new length.
// Everything else is in functions of its own, which are not inlined. Between `busy` set and cleared
// a signal handler that records uses a Thread of its own.
#include <sys/mman.h>

#include <atomic>
#include <cstring>

#include <telltale/telltale.h>
#include "record/clock.h"
#include "record/state.h"

namespace telltale::record {

namespace {

#define TELLTALE_SLOW __attribute__((noinline, cold))

inline uint32_t Generation() { return __atomic_load_n(&telltale_recording_now, __ATOMIC_RELAXED); }

class Busy {
 public:
  explicit Busy(Thread* thread) : thread_(thread) {
    thread_->busy = 1;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~Busy() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    thread_->busy = 0;
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  Thread* thread_;
};

constexpr RecordHead Head(RecordKind kind, uint8_t flags, size_t bytes, uint32_t name) {
  return {static_cast<uint8_t>(kind), flags, static_cast<uint16_t>(bytes / 8), name};
}

inline bool Unlikely(bool condition) {
  return __builtin_expect(static_cast<long>(condition), 0) != 0;
}

// The thread to write as, not busy; null: nothing is recorded.
inline Thread* WritingThread(uint32_t generation) {
  Thread* const thread = current_thread;
  return Unlikely((thread->generation != generation) | (thread->busy != 0)) ? BoundThread()
                                                                            : thread;
}

template <typename Record>
inline void WriteSpan(Thread* thread, const Record& record) {
  char* const at = thread->span_at;
  std::memcpy(at, &record, sizeof record);
  thread->span_at = at + sizeof record;
  Commit(thread->span_chunk, at + sizeof record);
}

void CountDropped() { __atomic_fetch_add(&process->header->dropped, 1, __ATOMIC_RELAXED); }

// About once a second, from calls that are durable: the clocks are compared, and a disk that was
// full is tried again.
TELLTALE_SLOW void KeepHouse(Thread* thread) {
  const Locked locked;
  if (!IsCurrent(thread)) return;
  if (Ticks() >= process->next_clock_ticks) CompareClocks();
  BringInHeld(thread);
}

inline bool IsTimeToKeepHouse(uint64_t now) {
  return now >= __atomic_load_n(&process->next_clock_ticks, __ATOMIC_RELAXED);
}

TELLTALE_SLOW bool FindDurableRoom(Thread* thread, uint32_t bytes) {
  const Locked locked;
  if (!IsCurrent(thread)) return false;
  MakeDurableRoom(thread, bytes);
  if (thread->durable_room >= bytes) return true;
  CountLost();
  return false;
}

template <typename Record>
inline void AddDurable(uint32_t generation, const Record& record, uint64_t now) {
  Thread* const thread = WritingThread(generation);
  if (Unlikely(thread == nullptr)) return;
  {
    const Busy busy(thread);
    if (Unlikely(thread->durable_room < sizeof record) && !FindDurableRoom(thread, sizeof record))
      return;
    char* const at = thread->durable_at;
    std::memcpy(at, &record, sizeof record);
    thread->durable_at = at + sizeof record;
    thread->durable_room -= static_cast<uint32_t>(sizeof record);
    Commit(thread->durable_chunk, at + sizeof record);
  }
  if (Unlikely(IsTimeToKeepHouse(now))) KeepHouse(thread);
}

// Spans. The thread is busy in all of these.

TELLTALE_SLOW bool FindSpanRoom(Thread* thread, uint32_t bytes, uint64_t now) {
  if (thread->overflow > 0 || now < thread->span_retry_ticks) return false;
  const Locked locked;
  return IsCurrent(thread) && MakeSpanRoom(thread, bytes, now);
}

TELLTALE_SLOW void BeginDropped(Thread* thread) {
  CountDropped();
  if (thread->overflow > 0 || thread->dropped_levels == kMostDroppedLevels) {
    // No place to remember one more: all that is inside goes, too.
    if (thread->overflow++ == 0) {
      thread->kept_room = thread->span_room;
      thread->span_room = 0;
      thread->special = thread->depth;
    }
    return;
  }
  thread->dropped_at[thread->dropped_levels++] = ++thread->depth;
  thread->special = thread->depth;
}

// The end of a span that was dropped, or that never began.
TELLTALE_SLOW void EndDropped(Thread* thread) {
  if (thread->overflow > 0) {
    if (--thread->overflow == 0) {
      thread->span_room = thread->kept_room;
      thread->special = thread->dropped_at[thread->dropped_levels - 1];
    }
    return;
  }
  if (thread->depth == 0) return;
  --thread->depth;
  --thread->dropped_levels;
  thread->special =
      thread->dropped_levels == 0 ? 0 : thread->dropped_at[thread->dropped_levels - 1];
}

// What neither nests nor is durable.
template <typename Record>
void AddMoment(uint32_t generation, const Record& record) {
  Thread* const thread = WritingThread(generation);
  if (thread == nullptr) return;
  const Busy busy(thread);
  if (Unlikely(thread->span_room < sizeof record) &&
      !FindSpanRoom(thread, sizeof record, record.ticks))
    return CountDropped();
  WriteSpan(thread, record);
  thread->span_room -= static_cast<uint32_t>(sizeof record);
}

// Texts, values, notes

TELLTALE_SLOW void Hold(RecordKind kind, uint8_t flags, uint32_t name, uint64_t ticks, int64_t step,
                        const void* bytes, size_t size) {
  const Locked locked;
  if (process->is_open == 0) return;
  const size_t mapped = (sizeof(HeldBytes) + size + 4095) & ~size_t{4095};
  void* const memory =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return CountLost();
  auto* const held = static_cast<HeldBytes*>(memory);
  held->mapped = mapped;
  held->kind = kind;
  held->flags = flags;
  held->name = name;
  held->ticks = ticks;
  held->step = step;
  held->size = size;
  std::memcpy(held->bytes(), bytes, size);
  if (process->held == nullptr) process->held_end = &process->held;
  *process->held_end = held;
  process->held_end = &held->next;
  __atomic_fetch_add(&process->header->held_bytes, size, __ATOMIC_RELAXED);
}

void AddBytes(uint32_t generation, RecordKind kind, uint8_t flags, uint32_t name, uint64_t ticks,
              int64_t step, const void* bytes, size_t size) {
  if (bytes == nullptr) size = 0;
  Thread* const thread = WritingThread(generation);
  if (thread == nullptr) return;
  BlobReference reference{};
  if (size > kLongestInline) {
    const WithoutSignals quiet;
    reference = {process->blob_number.fetch_add(1, std::memory_order_relaxed) + 1, size};
    if (!WriteBlob(reference.number, bytes, size))
      return Hold(kind, flags, name, ticks, step, bytes, size);
    flags |= kInBlob;
    bytes = &reference;
    size = sizeof reference;
  }
  {
    const Busy busy(thread);
    const uint32_t length = BytesRecordSize(size);
    if (thread->durable_room < length && !FindDurableRoom(thread, length)) return;
    AppendBytes(thread, kind, flags, name, ticks, step, bytes, size);
  }
  if (IsTimeToKeepHouse(Ticks())) KeepHouse(thread);
}

}  // namespace

void AppendBytes(Thread* thread, RecordKind kind, uint8_t flags, uint32_t name, uint64_t ticks,
                 int64_t step, const void* bytes, size_t size) {
  const uint32_t length = BytesRecordSize(size);
  char* const at = thread->durable_at;
  const BytesRecord record = {Head(kind, flags, length, name), ticks, step, size};
  std::memset(at + length - 8, 0,
              8);  // the padding; before the record, which may be as short as that
  std::memcpy(at, &record, sizeof record);
  if (size > 0) std::memcpy(at + sizeof record, bytes, size);
  thread->durable_at = at + length;
  thread->durable_room -= length;
  Commit(thread->durable_chunk, at + length);
}

}  // namespace telltale::record

using namespace telltale::record;  // NOLINT: the C functions are this file's own

void telltale_scalar(uint32_t name, double value, int64_t step) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  const uint64_t now = Ticks();
  AddDurable(
      generation,
      ScalarRecord{Head(RecordKind::kScalar, 0, sizeof(ScalarRecord), name), now, value, step},
      now);
}

void telltale_scalar_at(uint32_t name, double value, int64_t step, int64_t wall_ns) {
  if (wall_ns == TELLTALE_NOW) return telltale_scalar(name, value, step);
  const uint32_t generation = Generation();
  if (generation == 0) return;
  AddDurable(generation,
             ScalarRecord{Head(RecordKind::kScalar, kWallTime, sizeof(ScalarRecord), name),
                          static_cast<uint64_t>(wall_ns), value, step},
             Ticks());
}

void telltale_text(uint32_t name, const char* text, size_t size, int64_t step) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  AddBytes(generation, RecordKind::kText, 0, name, Ticks(), step, text, size);
}

void telltale_value(uint32_t name, const void* summary_value, size_t size, int64_t step,
                    int64_t wall_ns) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  const bool is_now = wall_ns == TELLTALE_NOW;
  AddBytes(generation, RecordKind::kValue, is_now ? uint8_t{0} : kWallTime, name,
           is_now ? Ticks() : static_cast<uint64_t>(wall_ns), step, summary_value, size);
}

void telltale_note(const char* key, const char* json, size_t size) {
  if (telltale_recording() == 0 || key == nullptr) return;
  const uint32_t name = telltale_name(key, std::strlen(key));
  const uint32_t generation = Generation();
  if (generation == 0) return;
  AddBytes(generation, RecordKind::kNote, 0, name, Ticks(), TELLTALE_NO_STEP, json, size);
}

void telltale_span_begin(uint32_t name) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  Thread* const thread = WritingThread(generation);
  if (Unlikely(thread == nullptr)) return;
  const Busy busy(thread);
  if (Unlikely(thread->span_room < kSpanBytes) && !FindSpanRoom(thread, kSpanBytes, Ticks()))
    return BeginDropped(thread);
  WriteSpan(thread, MomentRecord{Head(RecordKind::kSpanBegin, 0, kMomentBytes, name), Ticks()});
  thread->span_room -= kSpanBytes;
  ++thread->depth;
}

void telltale_span_end(void) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  const uint64_t now = Ticks();
  Thread* const thread = WritingThread(generation);
  if (Unlikely(thread == nullptr)) return;
  const Busy busy(thread);
  if (Unlikely(thread->depth == thread->special)) return EndDropped(thread);
  // Its place was taken with the begin.
  WriteSpan(thread, MomentRecord{Head(RecordKind::kSpanEnd, 0, kMomentBytes, 0), now});
  --thread->depth;
}

void telltale_instant(uint32_t name) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  AddMoment(generation, MomentRecord{Head(RecordKind::kInstant, 0, kMomentBytes, name), Ticks()});
}

void telltale_counter(uint32_t name, double value) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  AddMoment(generation, CounterRecord{Head(RecordKind::kCounter, 0, sizeof(CounterRecord), name),
                                      Ticks(), value});
}

void telltale_step_begin(int64_t step) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  const uint64_t now = Ticks();
  AddMoment(generation, StepBeginRecord{Head(RecordKind::kStepBegin, 0, sizeof(StepBeginRecord), 0),
                                        now, step});
  if (Thread* const thread = BoundThread(); thread != nullptr) thread->step_begin_ticks = now;
}

void telltale_step_end(int64_t step, int64_t data_wait_ns) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  const uint64_t now = Ticks();
  Thread* const thread = BoundThread();
  if (thread == nullptr) return;
  uint64_t begin =
      thread->step_begin_ticks != 0 ? thread->step_begin_ticks : thread->step_end_ticks;
  const uint64_t first = __atomic_exchange_n(&process->first_step_ticks, 0, __ATOMIC_RELAXED);
  // A region that is made by this very call cannot tell.
  if (begin == 0 && first < now) begin = first;
  thread->step_begin_ticks = 0;
  thread->step_end_ticks = now;
  AddDurable(generation,
             StepEndRecord{Head(RecordKind::kStepEnd, 0, sizeof(StepEndRecord), 0), now, step,
                           begin, data_wait_ns},
             now);
}

void telltale_heartbeat(void) {
  const uint32_t generation = Generation();
  if (generation == 0) return;
  const uint64_t now = Ticks();
  AddMoment(generation, MomentRecord{Head(RecordKind::kHeartbeat, 0, kMomentBytes, 0), now});
  Thread* const thread = BoundThread();
  if (thread == nullptr) return;
  __atomic_store_n(&process->header->last_heartbeat, now, __ATOMIC_RELAXED);
  if (IsTimeToKeepHouse(now)) KeepHouse(thread);
}

void telltale_flush(void) {
  if (telltale_recording() == 0) return;
  Thread* const thread = BoundThread();
  if (thread == nullptr) return;
  const Locked locked;
  if (IsCurrent(thread)) BringInHeld(thread);
}
