// SPDX-License-Identifier: Apache-2.0
// Finds the entries of an array by what they are. The array stays with its owner, who adds to it at
// the end only; the index keeps eight bytes for each place: the number of an entry and some bits of
// its hash, so that entries themselves are looked at almost only when they are the one. Open
// addressing; entries cannot be removed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace telltale {

// Two numbers as one hash.
[[nodiscard]] inline uint64_t MixHash(uint64_t a, uint64_t b) {
  uint64_t hash = (a ^ 0x9E3779B97F4A7C15ULL) * 0xC2B2AE3D27D4EB4FULL + b;
  hash = (hash ^ (hash >> 29)) * 0xD6E8FEB86659FD93ULL;
  return hash ^ (hash >> 32);
}

class HashIndex {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;

  // Room for that many entries in all.
  void Reserve(size_t entries);

  // The entry with this hash for which `equal(entry)` holds; kNone if there is none.
  template <typename Equal>
  [[nodiscard]] uint32_t Find(uint64_t hash, Equal equal) const {
    return slots_.empty() ? kNone : slots_[Locate(TagOf(hash), equal)].entry_plus_one - 1;
  }

  // Likewise; if there is none, `make()` adds it to the owner's array as entry number size().
  template <typename Equal, typename Make>
  uint32_t FindOrAdd(uint64_t hash, Equal equal, Make make) {
    if (size_ >= MostEntries()) Rehash(std::max<size_t>(64, slots_.size() * 2));
    const uint32_t tag = TagOf(hash);
    Slot& slot = slots_[Locate(tag, equal)];
    if (slot.entry_plus_one == 0) {
      make();
      slot = {tag, ++size_};
    }
    return slot.entry_plus_one - 1;
  }

  // For many lookups one after the other: asks for the memory that a later one will look at. Gives
  // the entry that it will most likely find, for the owner to do the same; kNone if there is none.
  void Prefetch(uint64_t hash) const {
    if (!slots_.empty()) __builtin_prefetch(&slots_[TagOf(hash) & (slots_.size() - 1)]);
  }
  [[nodiscard]] uint32_t Guess(uint64_t hash) const {
    if (slots_.empty()) return kNone;
    const Slot& slot = slots_[TagOf(hash) & (slots_.size() - 1)];
    return slot.tag == TagOf(hash) ? slot.entry_plus_one - 1 : kNone;
  }

  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] size_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  struct Slot {
    uint32_t tag = 0;  // where to look, and what to compare first
    uint32_t entry_plus_one = 0;
  };

  static uint32_t TagOf(uint64_t hash) { return static_cast<uint32_t>(hash ^ (hash >> 32)); }
  [[nodiscard]] size_t MostEntries() const { return slots_.size() / 8 * 5; }

  // The slot of the equal entry, or the free one where it would be.
  template <typename Equal>
  [[nodiscard]] size_t Locate(uint32_t tag, Equal equal) const {
    const size_t mask = slots_.size() - 1;
    for (size_t at = tag & mask;; at = (at + 1) & mask) {
      const Slot& slot = slots_[at];
      if (slot.entry_plus_one == 0) return at;
      if (slot.tag == tag && equal(slot.entry_plus_one - 1)) return at;
    }
  }

  void Rehash(size_t slots);

  std::vector<Slot> slots_;  // a power of two
  uint32_t size_ = 0;
};

}  // namespace telltale
