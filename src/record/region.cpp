// SPDX-License-Identifier: Apache-2.0
// The region's file: its growth, taking and sealing chunks, the clock pairs, and what waits in
// memory while the disk is full.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstring>

#include "record/clock.h"
#include "record/state.h"

namespace telltale::record {

namespace {

constexpr size_t kExtentBytes = size_t{kExtentChunks} * kChunkBytes;
// Looked at before the file grows: with a reader that keeps up one of them is free, without one
// more would only cost time.
constexpr uint32_t kCandidates = 16;

// In the reader's part of a chunk that no reader sees.
struct MemoryLink {
  ChunkHeader* next;
};

MemoryLink& LinkOf(ChunkHeader* chunk) {
  return *reinterpret_cast<MemoryLink*>(chunk->reader_reserved);
}

ChunkHeader* ChunkAt(uint32_t index) {
  // The header takes the first place.
  const uint32_t place = index + 1;
  return reinterpret_cast<ChunkHeader*>(process->extent[place / kExtentChunks] +
                                        size_t{place % kExtentChunks} * kChunkBytes);
}

}  // namespace

void SetUpChunk(ChunkHeader* chunk, Lane lane, const Thread* thread) {
  chunk->state = static_cast<uint32_t>(ChunkState::kOpen);
  chunk->lane = static_cast<uint32_t>(lane);
  chunk->thread = thread == nullptr ? 0 : thread->tid;
  chunk->thread_serial = thread == nullptr ? 0 : thread->serial;
  chunk->opened = ReadBothClocks();
  std::memset(chunk->thread_name, 0, sizeof chunk->thread_name);
  if (thread != nullptr) prctl(PR_GET_NAME, chunk->thread_name);
  __atomic_store_n(&chunk->committed, 0, __ATOMIC_RELEASE);
  // Who sees the new serial sees all of the above.
  __atomic_store_n(&chunk->serial, ++process->serial, __ATOMIC_RELEASE);
}

namespace {

ChunkHeader* FindChunk() {
  if (ChunkHeader* const spare = process->spare_chunk; spare != nullptr) {
    process->spare_chunk = nullptr;
    return spare;
  }
  if (process->unused == process->chunks) {
    const uint32_t candidates = process->chunks < kCandidates ? process->chunks : kCandidates;
    for (uint32_t i = 0; i < candidates; ++i) {
      if (process->cursor >= process->chunks) process->cursor = 0;
      ChunkHeader* const chunk = ChunkAt(process->cursor++);
      if (IsReleased(chunk)) {
        if (chunk->lane == static_cast<uint32_t>(Lane::kSpans)) --process->span_chunks;
        return chunk;
      }
    }
    if (!GrowRegion()) return nullptr;
  }
  return ChunkAt(process->unused++);
}

void CountHeld(int64_t bytes) {
  __atomic_fetch_add(&process->header->held_bytes, static_cast<uint64_t>(bytes), __ATOMIC_RELAXED);
}

// What a chunk in memory holds, into one in the file.
bool BringChunk(ChunkHeader* chunk) {
  ChunkHeader* const target = FindChunk();
  if (target == nullptr) return false;
  target->state = static_cast<uint32_t>(ChunkState::kOpen);
  target->lane = chunk->lane;
  target->thread = chunk->thread;
  target->thread_serial = chunk->thread_serial;
  target->opened = chunk->opened;
  std::memcpy(target->thread_name, chunk->thread_name, sizeof target->thread_name);
  const uint32_t bytes = __atomic_load_n(&chunk->committed, __ATOMIC_ACQUIRE);
  std::memcpy(PayloadOf(target), PayloadOf(chunk), bytes);
  __atomic_store_n(&target->committed, bytes, __ATOMIC_RELEASE);
  __atomic_store_n(&target->state, static_cast<uint32_t>(ChunkState::kSealed), __ATOMIC_RELEASE);
  __atomic_store_n(&target->serial, ++process->serial, __ATOMIC_RELEASE);
  return true;
}

// False: no room yet.
bool BringInBytes(HeldBytes& held, Thread* thread) {
  const uint64_t number = process->blob_number.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!WriteBlob(number, held.bytes(), held.size)) return false;
  const BlobReference reference = {number, held.size};
  MakeDurableRoom(thread, BytesRecordSize(sizeof reference));
  AppendBytes(thread, held.kind, static_cast<uint8_t>(held.flags | kInBlob), held.name, held.ticks,
              held.step, &reference, sizeof reference);
  return true;
}

}  // namespace

bool GrowRegion() {
  if (process->extents == kMostExtents) return false;
  const off_t offset = static_cast<off_t>(process->extents) * static_cast<off_t>(kExtentBytes);
  // Beyond this limit the kernel would not only refuse, but end the process with SIGXFSZ.
  rlimit limit{};
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      static_cast<rlim_t>(offset) + kExtentBytes > limit.rlim_cur) {
    return false;
  }
  // Blocks for all of it now: a page that finds none when it is written would end the process with
  // SIGBUS.
  if (posix_fallocate(process->file, offset, static_cast<off_t>(kExtentBytes)) != 0) return false;
  void* const mapped =
      mmap(nullptr, kExtentBytes, PROT_READ | PROT_WRITE, MAP_SHARED, process->file, offset);
  if (mapped == MAP_FAILED) return false;
  process->extent[process->extents++] = static_cast<char*>(mapped);
  process->chunks = process->extents * kExtentChunks - 1;
  return true;
}

ChunkHeader* TakeChunk(Lane lane, const Thread* thread) {
  if (lane == Lane::kSpans && process->span_chunks >= kMostRegionSpans) return nullptr;
  ChunkHeader* const chunk = FindChunk();
  if (chunk == nullptr) return nullptr;
  if (lane == Lane::kSpans) ++process->span_chunks;
  SetUpChunk(chunk, lane, thread);
  return chunk;
}

ChunkHeader* TakeMemoryChunk(Lane lane, const Thread* thread) {
  void* const mapped =
      mmap(nullptr, kChunkBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const chunk = static_cast<ChunkHeader*>(mapped);
  SetUpChunk(chunk, lane, thread);
  // The oldest first.
  ChunkHeader** end = &process->memory_chunks;
  while (*end != nullptr) end = &LinkOf(*end).next;
  *end = chunk;
  CountHeld(kChunkBytes);
  return chunk;
}

bool IsInMemory(const ChunkHeader* chunk) {
  for (ChunkHeader* held = process->memory_chunks; held != nullptr; held = LinkOf(held).next) {
    if (held == chunk) return true;
  }
  return false;
}

void SealChunk(ChunkHeader* chunk) {
  if (chunk == nullptr) return;
  __atomic_store_n(&chunk->state, static_cast<uint32_t>(ChunkState::kSealed), __ATOMIC_RELEASE);
}

void CountLost() { __atomic_fetch_add(&process->header->lost, 1, __ATOMIC_RELAXED); }

void BringInAll(Thread* thread) {
  for (ChunkHeader* chunk = process->memory_chunks; chunk != nullptr; chunk = LinkOf(chunk).next)
    SealChunk(chunk);
  BringInHeld(thread);
}

void ForgetRegion() {
  process->is_open = 0;
  process->serial = 0;
  process->extents = 0;
  process->chunks = 0;
  process->unused = 0;
  process->cursor = 0;
  process->span_chunks = 0;
  process->blob_number.store(0, std::memory_order_relaxed);
  process->spare_chunk = nullptr;
  process->names_chunk = nullptr;
  process->memory_chunks = nullptr;
  process->held = nullptr;
  process->held_end = nullptr;
  process->idle_durable_count = 0;
  process->idle_span_count = 0;
}

void BringInHeld(Thread* thread) {
  if (process->memory_chunks == nullptr && process->held == nullptr) return;
  if (process->spare_chunk == nullptr) process->spare_chunk = FindChunk();
  if (process->spare_chunk == nullptr) return;  // the disk is still full
  // The thread's own chunk is whole whenever it is not busy.
  if (thread != nullptr && thread->durable_chunk != nullptr && IsInMemory(thread->durable_chunk)) {
    SealChunk(thread->durable_chunk);
    thread->durable_chunk = nullptr;
    thread->durable_at = nullptr;
    thread->durable_room = 0;
  }
  if (process->names_chunk != nullptr && IsInMemory(process->names_chunk)) {
    SealChunk(process->names_chunk);
    process->names_chunk = nullptr;
  }
  ChunkHeader** link = &process->memory_chunks;
  while (*link != nullptr) {
    ChunkHeader* const chunk = *link;
    if (chunk->state == static_cast<uint32_t>(ChunkState::kSealed)) {
      if (!BringChunk(chunk)) return;
      *link = LinkOf(chunk).next;
      munmap(chunk, kChunkBytes);
      CountHeld(-int64_t{kChunkBytes});
    } else {
      link = &LinkOf(chunk).next;
    }
  }
  while (thread != nullptr && process->held != nullptr) {
    HeldBytes* const first = process->held;
    if (!BringInBytes(*first, thread)) return;
    process->held = first->next;
    if (process->held == nullptr) process->held_end = nullptr;
    CountHeld(-static_cast<int64_t>(first->size));
    munmap(first, first->mapped);
  }
}

void CompareClocks() {
  RegionHeader* const header = process->header;
  const ClockPair now = ReadBothClocks();
  const uint32_t count = header->clock_pair_count;
  ClockPair& pair = header->pairs[count % kClockPairs];
  pair = now;
  __atomic_store_n(&header->clock_pair_count, count + 1, __ATOMIC_RELEASE);
  const ClockPair& first = header->pairs[count < kClockPairs ? 0 : (count + 1) % kClockPairs];
  if (now.ticks > first.ticks && now.wall_ns > first.wall_ns) {
    header->ticks_per_second = static_cast<double>(now.ticks - first.ticks) * 1e9 /
                               static_cast<double>(now.wall_ns - first.wall_ns);
  }
  // Soon after the start, then less and less often: 10 ms, 100 ms, 1 s, 1 s …
  process->ticks_per_second = header->ticks_per_second > 0
                                  ? static_cast<uint64_t>(header->ticks_per_second)
                                  : 1'000'000'000;
  const uint64_t second = process->ticks_per_second;
  const uint64_t wait = count < 2 ? second / 100 : (count < 3 ? second / 10 : second);
  __atomic_store_n(&process->next_clock_ticks, now.ticks + wait, __ATOMIC_RELAXED);
}

}  // namespace telltale::record
