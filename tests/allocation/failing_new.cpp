// SPDX-License-Identifier: Apache-2.0
#include "failing_new.h"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>

#include <sqlite3.h>

namespace {

std::atomic<bool> counting = false;
std::atomic<uint64_t> count = 0;
std::atomic<uint64_t> failing = 0;
std::atomic<bool> failing_after = false;
std::atomic<bool> any_failed = false;

bool Fails() {
  if (!counting) return false;
  const uint64_t number = ++count;
  const bool fails = number == failing || (failing_after && number > failing);
  if (fails) any_failed = true;
  return fails;
}

void* Allocate(size_t size) { return Fails() ? nullptr : std::malloc(size == 0 ? 1 : size); }

void* AllocateAligned(size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  return Fails() ? nullptr : std::aligned_alloc(unit, (size + unit - 1) / unit * unit);
}

void* OrThrow(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

sqlite3_mem_methods usual;  // SQLite's own

}  // namespace

void* operator new(size_t size) { return OrThrow(Allocate(size)); }
void* operator new[](size_t size) { return OrThrow(Allocate(size)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return Allocate(size); }
void* operator new(size_t size, std::align_val_t a) { return OrThrow(AllocateAligned(size, a)); }
void* operator new[](size_t size, std::align_val_t a) { return OrThrow(AllocateAligned(size, a)); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { std::free(memory); }

// RE2 is not written for allocations that fail: it loses what it was making. A few hundred bytes of
// a process that has run out of memory are no reason to write a matcher of our own.
extern "C" const char* __lsan_default_suppressions() { return "leak:re2::\n"; }

namespace telltale {

FailingNew::FailingNew(uint64_t which, bool all_after) {
  count = 0;
  failing = which;
  failing_after = all_after;
  any_failed = false;
  counting = true;
}

FailingNew::~FailingNew() { counting = false; }

bool FailingNew::failed() const { return any_failed; }

void CountSqliteAllocations() {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &usual);
  sqlite3_mem_methods counted = usual;
  counted.xMalloc = [](int size) { return Fails() ? nullptr : usual.xMalloc(size); };
  counted.xRealloc = [](void* memory, int size) {
    return Fails() ? nullptr : usual.xRealloc(memory, size);
  };
  sqlite3_config(SQLITE_CONFIG_MALLOC, &counted);
}

}  // namespace telltale
