// SPDX-License-Identifier: Apache-2.0
// What the recorder's parts share inside a process: who records (Thread), into what (Process), and
// the slow ways. All of it lies in memory that the kernel empties in a child of fork(): there a
// thread is not bound to a region any more, no lock is held, and the first record makes a region of
// the child's own, at no cost for those that do not fork.
#pragma once

#include <pthread.h>
#include <csignal>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "record/layout.h"

namespace telltale::record {

inline constexpr uint32_t kMomentBytes = sizeof(MomentRecord);
// A begin also takes the place of its end, so that an end is never lost.
inline constexpr uint32_t kSpanBytes = 2 * kMomentBytes;
inline constexpr uint32_t kMostSpanChunks = 64;     // a thread: 4 MiB, 130,000 spans
inline constexpr uint32_t kMostRegionSpans = 2048;  // all threads: 128 MiB
inline constexpr uint32_t kMostDroppedLevels = 128;

// A thread that records, or a signal handler that does so in the middle of a record. Only its
// thread touches it, except under the process's lock after the thread has ended.
struct alignas(64) Thread {
  uint32_t generation;  // of telltale_recording_now when it was bound; 0: never
  uint32_t busy;        // a record is being written
  // Spans
  char* span_at;
  ChunkHeader* span_chunk;
  uint32_t
      span_room;     // bytes that may be taken; what open spans need for their ends is not counted
  uint32_t depth;    // open spans, dropped ones included
  uint32_t special;  // depth at which an end is not simply written: that of the innermost dropped
                     // span, or 0
  uint32_t durable_room;
  // Durable records
  char* durable_at;
  ChunkHeader* durable_chunk;

  uint64_t step_begin_ticks;  // 0: none has begun
  uint64_t step_end_ticks;    // of the last end; 0: none
  uint64_t tid;
  uint32_t serial;
  uint32_t dropped_levels;
  uint32_t overflow;  // spans in a dropped one for which `dropped_at` had no place
  uint32_t span_chunk_count;
  uint32_t kept_room;  // span_room while overflow forces the slow way
  uint64_t span_retry_ticks;
  Thread* nested;     // for signal handlers that interrupt a record
  Thread* next_free;  // in the list of those that ended
  uint32_t dropped_at[kMostDroppedLevels];
  ChunkHeader* span_chunks[kMostSpanChunks];
  uint64_t span_serials[kMostSpanChunks];  // another serial: released, and taken by someone else
};

// A record whose bytes found no room on the disk.
struct HeldBytes {
  HeldBytes* next;
  size_t mapped;
  RecordKind kind;
  uint8_t flags;
  uint32_t name;
  uint64_t ticks;
  int64_t step;
  size_t size;  // of the bytes, which follow

  char* bytes() { return reinterpret_cast<char*>(this + 1); }
};

inline constexpr uint32_t kExtentChunks = 4;       // the file grows by so many chunks
inline constexpr uint32_t kMostExtents = 1 << 16;  // 16 GiB
inline constexpr uint32_t kMostIdle = 64;

struct Process {
  pthread_mutex_t lock;  // zeros are an open lock
  uint32_t is_open;      // a region exists
  int file;
  RegionHeader* header;
  uint64_t next_clock_ticks;  // when the clocks are compared again
  uint64_t clock_step_ticks;
  uint64_t ticks_per_second;
  uint64_t first_step_ticks;  // where the first step begins that nobody began; 0: it was taken
  uint64_t serial;            // of chunks
  uint32_t thread_serial;
  uint32_t extents;
  uint32_t chunks;       // in the file
  uint32_t unused;       // index of the first chunk that was never taken
  uint32_t cursor;       // where to look for a released one
  uint32_t span_chunks;  // taken for spans
  std::atomic<uint64_t> blob_number;
  ChunkHeader* spare_chunk;  // found, not yet taken
  ChunkHeader* names_chunk;
  ChunkHeader* memory_chunks;  // chunks that are not in the file, linked by MemoryLink
  HeldBytes* held;             // oldest first
  HeldBytes** held_end;
  Thread* free_threads;
  Thread* arena_next;
  Thread* arena_end;
  uint32_t idle_durable_count;
  uint32_t idle_span_count;
  ChunkHeader* idle_durable[kMostIdle];
  ChunkHeader* idle_spans[kMostIdle];
  char stem[64];      // PID-START or PID-START-N
  char folder[4096];  // RUN/.live
  char* extent[kMostExtents];
};

// NOLINTBEGIN(bugprone-dynamic-static-initializers): constants initialize them.
// Emptied in a child of fork(). Never null after the first call of Locked.
extern Process* process;
extern __thread Thread* current_thread __attribute__((tls_model("initial-exec")));
// What a thread has that never recorded.
extern Thread nobody;
// Which process made the region last: another one that finds none was forked. Not emptied.
extern uint64_t region_pid;
// The folder of the run, as telltale_start or the environment named it; empty: none. Not emptied.
extern char run_folder[4096];
// NOLINTEND(bugprone-dynamic-static-initializers)

// No signal handler meanwhile, no cancellation, and errno as it was.
class WithoutSignals {
 public:
  WithoutSignals();
  ~WithoutSignals();
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t signals_;
  int errno_;
  int cancel_state_;
};

// The slow ways run under it, one thread at a time. A handler that records would wait for the lock
// forever: so none runs.
class Locked {
 public:
  Locked();
  ~Locked();
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  WithoutSignals quiet_;
};

// All below: only under Locked, unless said otherwise.

// start.cpp: makes the region where there is none. False: it cannot be, and recording is off.
bool EnsureRegion();
// Takes the lock itself. A new file of this process that lives as long as its region does, and has
// its name with another ending; -1: it cannot be.
int MakeFileBesideRegion(const char* ending);
// So that the next one is made anew. What was mapped stays: other threads may be writing.
void ForgetRegion();

// region.cpp
bool GrowRegion();
// A chunk for a thread (or for the names: nullptr), in the file; null: no room.
ChunkHeader* TakeChunk(Lane lane, const Thread* thread);
// The same in memory of the process, until the disk has room.
ChunkHeader* TakeMemoryChunk(Lane lane, const Thread* thread);
// One that was released, or is new.
void SetUpChunk(ChunkHeader* chunk, Lane lane, const Thread* thread);
void SealChunk(ChunkHeader* chunk);
inline bool IsReleased(const ChunkHeader* chunk) {
  return chunk->state == static_cast<uint32_t>(ChunkState::kSealed) &&
         __atomic_load_n(&chunk->released, __ATOMIC_ACQUIRE) == chunk->serial;
}
inline char* PayloadOf(ChunkHeader* chunk) { return reinterpret_cast<char*>(chunk + 1); }
void CompareClocks();
bool IsInMemory(const ChunkHeader* chunk);
// Chunks and records that wait in memory go to the file, as far as it has room. `thread`: who
// calls, and is not busy.
void BringInHeld(Thread* thread);
// The same for the last time: also what other threads have not finished.
void BringInAll(Thread* thread);
// A durable record that neither the disk nor memory had room for.
void CountLost();

// threads.cpp. Takes the lock itself. The calling thread's, bound to the region and not busy; null:
// nothing is recorded.
Thread* BoundThread();
// Whether it records into the region that is open now.
bool IsCurrent(const Thread* thread);
void EndThread(Thread* thread);
void MakeThreadKey();
void DeleteThreadKey();
// At least `bytes` of room, if there is any.
void MakeDurableRoom(Thread* thread, uint32_t bytes);
bool MakeSpanRoom(Thread* thread, uint32_t bytes, uint64_t now);

// names.cpp: stores all names in a new region.
void WriteAllNames();

// blob.cpp. Without the lock: writes the file; false: there is no room.
bool WriteBlob(uint64_t number, const void* bytes, size_t size);

// recorder.cpp. Room must have been made; no signal handler of the thread may record meanwhile: it
// is busy, or there are no signals.
void AppendBytes(Thread* thread, RecordKind kind, uint8_t flags, uint32_t name, uint64_t ticks,
                 int64_t step, const void* bytes, size_t size);

inline uint32_t BytesRecordSize(size_t size) {
  return static_cast<uint32_t>(sizeof(BytesRecord) + ((size + 7) & ~size_t{7}));
}

inline void Commit(ChunkHeader* chunk, const char* at) {
  __atomic_store_n(&chunk->committed, static_cast<uint32_t>(at - PayloadOf(chunk)),
                   __ATOMIC_RELEASE);
}

// The decimal number behind `at`; returns its end. Safe in signal handlers, unlike printf.
char* AppendNumber(char* at, uint64_t number);
char* AppendText(char* at, const char* end, const char* text);

}  // namespace telltale::record
