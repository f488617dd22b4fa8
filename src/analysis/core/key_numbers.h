// SPDX-License-Identifier: Apache-2.0
// Numbers distinct keys 0, 1, 2 … in order of first use: the step from an event to its table row.
// Open addressing over 64-bit keys, mostly made of string ids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace telltale {

class KeyNumbers {
 public:
  // The key's number; size() - 1 right after the first use of a key.
  uint32_t Number(uint64_t key) {
    size_t at = Locate(key);
    if (slots_[at].number_plus_one == 0) {
      if ((size_ + 1) * 2 > slots_.size()) {
        Grow();
        at = Locate(key);
      }
      slots_[at] = {key, ++size_};
    }
    return slots_[at].number_plus_one - 1;
  }

  [[nodiscard]] size_t size() const { return size_; }

 private:
  struct Slot {
    uint64_t key = 0;
    uint32_t number_plus_one = 0;  // 0: free
  };

  // The finalizer of MurmurHash3: every bit of the key reaches the low bits. The seed differs from
  // run to run, so that no file can be made whose keys all collide; numbers do not depend on it.
  [[nodiscard]] uint64_t Mix(uint64_t key) const {
    key ^= seed_;
    key = (key ^ (key >> 33)) * 0xff51afd7ed558ccdULL;
    key = (key ^ (key >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return key ^ (key >> 33);
  }

  [[nodiscard]] size_t Locate(uint64_t key) const {
    const size_t mask = slots_.size() - 1;
    size_t at = Mix(key) & mask;
    while (slots_[at].number_plus_one != 0 && slots_[at].key != key) at = (at + 1) & mask;
    return at;
  }

  void Grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number_plus_one != 0) slots_[Locate(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_ = std::vector<Slot>(256);
  uint64_t seed_ = reinterpret_cast<uintptr_t>(slots_.data());  // random by address randomisation
  uint32_t size_ = 0;
};

}  // namespace telltale
