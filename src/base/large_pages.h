// SPDX-License-Identifier: Apache-2.0
// Room for an array of many megabytes that is about to be filled from front to back. Takes address
// space only, and asks the system to fill it with large pages: many small ones cost more time than
// what is written into them. Only a hint, for places where that was measured.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <memory>

namespace telltale {

// `Array`: a std::vector or a Column.
template <typename Array>
void ReserveLarge(Array& array, size_t count) {
  constexpr size_t kWorthwhileBytes = size_t{4} << 20;  // two large pages
  constexpr size_t kPageBytes = 4096;
  array.reserve(count);
  size_t bytes = count * sizeof(*array.data());
  if (bytes < kWorthwhileBytes) return;
  void* first_page = array.data();
  if (std::align(kPageBytes, kPageBytes, first_page, bytes) == nullptr) return;
  // Up to the end of the last page: a mapping of which only a part was advised can no longer grow.
  const size_t whole_pages = (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
  (void)::madvise(first_page, whole_pages, MADV_HUGEPAGE);
}

}  // namespace telltale
