// SPDX-License-Identifier: Apache-2.0
#include "base/hash_index.h"

#include <bit>

#include "base/large_pages.h"

namespace telltale {

void HashIndex::Reserve(size_t entries) {
  if (entries > MostEntries()) Rehash(std::bit_ceil(entries * 2));
}

void HashIndex::Rehash(size_t slots) {
  std::vector<Slot> old;
  ReserveLarge(old, slots);
  old.resize(slots);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.entry_plus_one == 0) continue;
    size_t at = slot.tag & mask;
    while (slots_[at].entry_plus_one != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

}  // namespace telltale
