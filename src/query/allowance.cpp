// SPDX-License-Identifier: Apache-2.0
#include "query/allowance.h"

#include <atomic>
#include <climits>
#include <mutex>
#include <new>

#include <sqlite3.h>

namespace telltale {

namespace {

// SQLite has one allocator for the process, so these are the process's, too.
sqlite3_mem_methods plain_memory = {};      // SQLite's own; set once
std::atomic<int64_t> all_used_bytes = 0;    // by all queries
thread_local Allowance* current = nullptr;  // of the query that runs on this thread

// Less than a microsecond of SQLite's work.
constexpr unsigned kAllocationsPerLook = 16;

}  // namespace

bool Allowance::Admits(int64_t bytes) {
  if (stop_ != Stop::kNone) return false;
  if (++allocations_ % kAllocationsPerLook == 0 && Spent()) return false;
  return bytes <= 0 ||
         (bytes <= own_bytes_ - used_bytes_ &&
          bytes <= limits_.all_bytes - all_used_bytes.load(std::memory_order_relaxed));
}

void Allowance::StartClock(Clock::duration left) {
  stop_ = Stop::kNone;
  deadline_ = Clock::now() + left;
}

Allowance::Clock::duration Allowance::StopClock() {
  return std::exchange(deadline_, Clock::time_point::max()) - Clock::now();
}

bool Allowance::Spent() {
  if (stop_ == Stop::kNone && Clock::now() > deadline_) stop_ = Stop::kTime;
  if (stop_ == Stop::kNone && limits_.canceled && limits_.canceled()) stop_ = Stop::kCanceled;
  return stop_ != Stop::kNone;
}

bool Allowance::Take(int64_t bytes) {
  if (!Admits(bytes)) return false;
  used_bytes_ += bytes;
  all_used_bytes.fetch_add(bytes, std::memory_order_relaxed);
  return true;
}

void Allowance::GiveBack(int64_t bytes) {
  used_bytes_ -= bytes;
  all_used_bytes.fetch_sub(bytes, std::memory_order_relaxed);
}

Allowance::Scope::Scope(Allowance& allowance) : before_(std::exchange(current, &allowance)) {}
Allowance::Scope::~Scope() { current = before_; }

void Charge::Set(int64_t bytes) {
  if (bytes > bytes_) {
    if (!allowance_->Take(bytes - bytes_)) throw std::bad_alloc();
  } else {
    allowance_->GiveBack(bytes_ - bytes);
  }
  bytes_ = bytes;
}

// SQLite's allocator with counting around it.
struct CountedMemory {
  static bool Admits(int64_t bytes) { return current == nullptr || current->Admits(bytes); }
  static void Count(int64_t bytes) {
    if (current != nullptr) current->used_bytes_ += bytes;
    all_used_bytes.fetch_add(bytes, std::memory_order_relaxed);
  }

  static void* Malloc(int size) {
    if (!Admits(size)) return nullptr;
    void* const memory = plain_memory.xMalloc(size);
    if (memory != nullptr) Count(plain_memory.xSize(memory));
    return memory;
  }
  static void Free(void* memory) {
    if (memory == nullptr) return;
    Count(-int64_t{plain_memory.xSize(memory)});
    plain_memory.xFree(memory);
  }
  // Near the greatest length of a value SQLite lets a text grow byte by byte. Where each of these
  // steps moves the text that is quadratic, inside one function. So large ones get some room.
  static void* Realloc(void* memory, int size) {
    constexpr int kLarge = 64 << 10;
    const int before = plain_memory.xSize(memory);
    if (size <= before && size > before - before / 8) return memory;
    if (size > before && size > kLarge && size <= INT_MAX / 2 && Admits(size + size / 16 - before))
      size += size / 16;
    if (!Admits(size - before)) return nullptr;
    void* const moved = plain_memory.xRealloc(memory, size);
    if (moved != nullptr) Count(plain_memory.xSize(moved) - before);
    return moved;
  }
  static int Size(void* memory) { return memory == nullptr ? 0 : plain_memory.xSize(memory); }
  static int Roundup(int size) { return plain_memory.xRoundup(size); }
  static int Init(void* data) { return plain_memory.xInit(data); }
  static void Shutdown(void* data) { plain_memory.xShutdown(data); }
};

int InstallCountedMemory() {
  static std::once_flag once;
  static int code = SQLITE_OK;
  std::call_once(once, [] {
    code = sqlite3_config(SQLITE_CONFIG_GETMALLOC, &plain_memory);
    if (code != SQLITE_OK) return;
    const sqlite3_mem_methods counted = {
        .xMalloc = CountedMemory::Malloc,
        .xFree = CountedMemory::Free,
        .xRealloc = CountedMemory::Realloc,
        .xSize = CountedMemory::Size,
        .xRoundup = CountedMemory::Roundup,
        .xInit = CountedMemory::Init,
        .xShutdown = CountedMemory::Shutdown,
        .pAppData = plain_memory.pAppData,
    };
    code = sqlite3_config(SQLITE_CONFIG_MALLOC, &counted);
    // SQLite need not count as well, under a lock that all queries share.
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    // Files in memory are bounded here as well, and need no bound of their own.
    if (code == SQLITE_OK) code = sqlite3_config(SQLITE_CONFIG_MEMDB_MAXSIZE, INT64_MAX);
  });
  return code;
}

}  // namespace telltale
