// SPDX-License-Identifier: Apache-2.0
// Room for an array of many megabytes that is about to be filled from front to back. Takes address
// space only, and asks the system to fill it with large pages: many small ones cost more time than
// what is written into them. Only a hint, for places where that was measured.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>

namespace telltale {

// `Array`: a std::vector or a Column.
template <typename Array>
void ReserveLarge(Array& array, size_t count) {
  constexpr size_t kWorthwhileBytes = size_t{4} << 20;  // two large pages
  constexpr uintptr_t kPageBytes = 4096;
  array.reserve(count);
  const size_t bytes = count * sizeof(*array.data());
  if (bytes < kWorthwhileBytes) return;
  const auto begin = reinterpret_cast<uintptr_t>(array.data());
  const uintptr_t first_page = (begin + kPageBytes - 1) / kPageBytes * kPageBytes;
  const uintptr_t end = (begin + bytes) / kPageBytes * kPageBytes;
  (void)::madvise(reinterpret_cast<void*>(first_page), end - first_page, MADV_HUGEPAGE);
}

}  // namespace telltale
