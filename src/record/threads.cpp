// SPDX-License-Identifier: Apache-2.0
// Threads that record: binding them to the region, room for their records, their end, and the lock.
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include <telltale/telltale.h>
#include "record/clock.h"
#include "record/state.h"

namespace telltale::record {

Process* process = nullptr;
Thread nobody = {};
__thread Thread* current_thread __attribute__((tls_model("initial-exec"))) = &nobody;

namespace {

pthread_key_t thread_key;
bool has_thread_key = false;
pthread_mutex_t process_lock = PTHREAD_MUTEX_INITIALIZER;

void* EmptiedAtFork(size_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  madvise(mapped, bytes, MADV_WIPEONFORK);
  return mapped;
}

// For kernels without MADV_WIPEONFORK; elsewhere all is empty already.
void EmptyInChild() {
  if (process != nullptr && process->is_open != 0)
    std::memset(static_cast<void*>(process), 0, offsetof(Process, extent));
  for (Thread* thread = current_thread; thread != &nobody && thread != nullptr;) {
    Thread* const nested = thread->nested;
    std::memset(static_cast<void*>(thread), 0, sizeof *thread);
    thread = nested;
  }
}

Process* ProcessState() {
  Process* state = __atomic_load_n(&process, __ATOMIC_ACQUIRE);
  if (state != nullptr) return state;
  pthread_mutex_lock(&process_lock);
  if (process == nullptr) {
    __atomic_store_n(&process, static_cast<Process*>(EmptiedAtFork(sizeof(Process))),
                     __ATOMIC_RELEASE);
    pthread_atfork(nullptr, nullptr, EmptyInChild);
  }
  state = process;
  pthread_mutex_unlock(&process_lock);
  return state;
}

Thread* NewThread() {
  Thread* thread = process->free_threads;
  if (thread != nullptr) {
    process->free_threads = thread->next_free;
    return thread;
  }
  if (process->arena_next == process->arena_end) {
    constexpr size_t kThreads = 32;
    auto* const arena = static_cast<Thread*>(EmptiedAtFork(kThreads * sizeof(Thread)));
    if (arena == nullptr) return nullptr;
    process->arena_next = arena;
    process->arena_end = arena + kThreads;
  }
  return process->arena_next++;
}

// To the region of this generation, with nothing taken yet.
void Bind(Thread* thread, uint32_t generation) {
  Thread* const nested = thread->nested;
  std::memset(static_cast<void*>(thread), 0, sizeof *thread);
  thread->nested = nested;
  thread->tid = static_cast<uint64_t>(syscall(SYS_gettid));
  thread->serial = ++process->thread_serial;
  thread->generation = generation;
}

void WriteThreadRecord(ChunkHeader* chunk, const Thread* thread) {
  char* const at = PayloadOf(chunk) + chunk->committed;
  ThreadRecord record = {
      {static_cast<uint8_t>(RecordKind::kThread), 0, sizeof(ThreadRecord) / 8, 0},
      thread->tid,
      thread->serial,
      {}};
  pthread_getname_np(pthread_self(), record.thread_name, sizeof record.thread_name);
  std::memcpy(at, &record, sizeof record);
  Commit(chunk, at + sizeof record);
}

// One that an ended thread left half empty.
ChunkHeader* TakeIdle(ChunkHeader** idle, uint32_t& count, const Thread* thread) {
  if (count == 0) return nullptr;
  ChunkHeader* const chunk = idle[--count];
  WriteThreadRecord(chunk, thread);
  return chunk;
}

void LeaveChunk(ChunkHeader* chunk, ChunkHeader** idle, uint32_t& count) {
  if (chunk == nullptr) return;
  if (chunk->committed < kChunkPayload / 2 && count < kMostIdle && !IsInMemory(chunk)) {
    idle[count++] = chunk;
  } else {
    SealChunk(chunk);
  }
}

void UseSpanChunk(Thread* thread, ChunkHeader* chunk) {
  thread->span_chunk = chunk;
  thread->span_at = PayloadOf(chunk) + chunk->committed;
  const uint32_t open = thread->depth - thread->dropped_levels;
  thread->span_room = kChunkPayload - chunk->committed - open * kMomentBytes;
}

// An empty chunk holds the ends of the spans that are open, and something new.
bool HasRoomForEnds(const Thread* thread, uint32_t bytes) {
  return (thread->depth - thread->dropped_levels) * kMomentBytes + bytes <= kChunkPayload;
}

void OnThreadEnd(void* thread) { EndThread(static_cast<Thread*>(thread)); }

}  // namespace

WithoutSignals::WithoutSignals() : errno_(errno) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &signals_);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state_);
}

WithoutSignals::~WithoutSignals() {
  pthread_setcancelstate(cancel_state_, nullptr);
  pthread_sigmask(SIG_SETMASK, &signals_, nullptr);
  errno = errno_;
}

Locked::Locked() {
  if (Process* const state = ProcessState(); state != nullptr) pthread_mutex_lock(&state->lock);
}

Locked::~Locked() {
  if (process != nullptr) pthread_mutex_unlock(&process->lock);
}

void MakeThreadKey() {
  if (!has_thread_key) has_thread_key = pthread_key_create(&thread_key, OnThreadEnd) == 0;
}

void DeleteThreadKey() {
  if (has_thread_key) pthread_key_delete(thread_key);
  has_thread_key = false;
}

Thread* BoundThread() {
  const uint32_t generation = __atomic_load_n(&telltale_recording_now, __ATOMIC_ACQUIRE);
  if (generation == 0) return nullptr;
  Thread* thread = current_thread;
  while (thread->busy != 0 && thread->nested != nullptr) thread = thread->nested;
  if (thread->generation == generation && thread->busy == 0) return thread;

  const Locked locked;
  if (!EnsureRegion()) return nullptr;
  // Stopped and started meanwhile: to what is recorded into now.
  const uint32_t current = __atomic_load_n(&telltale_recording_now, __ATOMIC_RELAXED);
  if (thread == &nobody) {
    thread = NewThread();
    if (thread == nullptr) return nullptr;
    thread->nested = nullptr;
    Bind(thread, current);
    MakeThreadKey();
    if (has_thread_key) pthread_setspecific(thread_key, thread);
    current_thread = thread;
    return thread;
  }
  if (thread->busy != 0) {
    Thread* const nested = NewThread();
    if (nested == nullptr) return nullptr;
    nested->nested = nullptr;
    thread->nested = nested;
    thread = nested;
  }
  Bind(thread, current);
  return thread;
}

bool IsCurrent(const Thread* thread) {
  return process->is_open != 0 &&
         thread->generation == __atomic_load_n(&telltale_recording_now, __ATOMIC_RELAXED);
}

void EndThread(Thread* thread) {
  const Locked locked;
  current_thread = &nobody;
  const uint32_t generation = __atomic_load_n(&telltale_recording_now, __ATOMIC_RELAXED);
  while (thread != nullptr) {
    Thread* const nested = thread->nested;
    if (thread->generation != 0) {
      if (thread->generation == generation && process->is_open != 0) {
        LeaveChunk(thread->durable_chunk, process->idle_durable, process->idle_durable_count);
        // Ends of spans that were left open are never written: who reads knows when the thread
        // ended.
        LeaveChunk(thread->span_chunk, process->idle_spans, process->idle_span_count);
      }
      thread->generation = 0;
      thread->nested = nullptr;
      thread->next_free = process->free_threads;
      process->free_threads = thread;
    }
    thread = nested;
  }
}

void MakeDurableRoom(Thread* thread, uint32_t bytes) {
  if (thread->durable_room >= bytes) return;
  SealChunk(thread->durable_chunk);
  const bool is_first = thread->durable_chunk == nullptr;
  thread->durable_chunk = nullptr;
  BringInHeld(nullptr);
  ChunkHeader* chunk = nullptr;
  if (is_first) chunk = TakeIdle(process->idle_durable, process->idle_durable_count, thread);
  if (chunk != nullptr && kChunkPayload - chunk->committed < bytes) {
    SealChunk(chunk);
    chunk = nullptr;
  }
  if (chunk == nullptr) chunk = TakeChunk(Lane::kDurable, thread);
  if (chunk == nullptr) chunk = TakeMemoryChunk(Lane::kDurable, thread);
  thread->durable_chunk = chunk;
  thread->durable_at = chunk == nullptr ? nullptr : PayloadOf(chunk) + chunk->committed;
  thread->durable_room = chunk == nullptr ? 0 : kChunkPayload - chunk->committed;
}

namespace {

void ForgetForeignChunks(Thread* thread) {
  for (uint32_t i = 0; i < thread->span_chunk_count;) {
    if (thread->span_chunks[i]->serial == thread->span_serials[i]) {
      ++i;
    } else {
      const uint32_t last = --thread->span_chunk_count;
      thread->span_chunks[i] = thread->span_chunks[last];
      thread->span_serials[i] = thread->span_serials[last];
    }
  }
}

// A chunk of the thread's own that was released, or one more; null: it has as many as it may.
ChunkHeader* NextSpanChunk(Thread* thread) {
  ForgetForeignChunks(thread);
  ChunkHeader* chunk = nullptr;
  uint32_t place = 0;
  for (; place < thread->span_chunk_count; ++place) {
    if (!IsReleased(thread->span_chunks[place])) continue;
    chunk = thread->span_chunks[place];
    SetUpChunk(chunk, Lane::kSpans, thread);
    break;
  }
  if (chunk == nullptr && place < kMostSpanChunks) {
    if (thread->span_chunk == nullptr)
      chunk = TakeIdle(process->idle_spans, process->idle_span_count, thread);
    if (chunk == nullptr) chunk = TakeChunk(Lane::kSpans, thread);
    if (chunk != nullptr) thread->span_chunks[thread->span_chunk_count++] = chunk;
  }
  if (chunk != nullptr) thread->span_serials[place] = chunk->serial;
  return chunk;
}

}  // namespace

bool MakeSpanRoom(Thread* thread, uint32_t bytes, uint64_t now) {
  if (thread->span_room >= bytes) return true;
  if (now < thread->span_retry_ticks || !HasRoomForEnds(thread, bytes)) return false;
  // The chunk in use is sealed only when there is another: the ends of open spans have their place
  // in it.
  ChunkHeader* const chunk = NextSpanChunk(thread);
  if (chunk == nullptr) {
    // Not at every call: a thousandth of a second is soon enough.
    thread->span_retry_ticks = now + process->ticks_per_second / 1000;
    return false;
  }
  SealChunk(thread->span_chunk);
  UseSpanChunk(thread, chunk);
  if (now >= process->next_clock_ticks) CompareClocks();
  return thread->span_room >= bytes;
}

}  // namespace telltale::record
