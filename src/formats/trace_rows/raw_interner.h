// SPDX-License-Identifier: Apache-2.0
// Interns text as it stands in the file, still escaped: the common case, a string seen before,
// costs one hash and one comparison. Only a string seen for the first time is cleaned, and two
// spellings of the same text get the same id.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "base/string_pool.h"

namespace telltale::trace_rows {

struct Interned {
  StringId id;
  uint8_t flaws;  // TextFlaw bits
};

class RawInterner {
 public:
  enum class Content : uint8_t { kString, kJson };

  // Cleaned texts go into `pool`, which must outlive this.
  RawInterner(Content content, StringPool& pool) : content_(content), pool_(pool) {}

  Interned Intern(std::string_view raw) {
    const uint64_t hash = StringPool::Hash(raw);
    const size_t mask = slots_.size() - 1;
    for (size_t i = hash & mask; slots_[i].raw_plus_one != 0; i = (i + 1) & mask) {
      const Slot& slot = slots_[i];
      if (slot.tag == static_cast<uint32_t>(hash >> 32) &&
          raws_.Get(StringId{slot.raw_plus_one - 1}) == raw) {
        return clean_[slot.raw_plus_one - 1];
      }
    }
    return Add(raw, hash);
  }

 private:
  struct Slot {
    uint32_t tag = 0;
    uint32_t raw_plus_one = 0;
  };

  Interned Add(std::string_view raw, uint64_t hash);
  void Insert(uint32_t raw_id, uint64_t hash);

  // Raw texts by number; those that are clean already are views into `pool_`.
  class Texts {
   public:
    [[nodiscard]] std::string_view Get(StringId id) const {
      return views_[static_cast<uint32_t>(id)];
    }
    void Add(std::string_view text) { views_.push_back(text); }
    [[nodiscard]] std::string_view Keep(std::string_view text);
    [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(views_.size()); }

   private:
    std::vector<std::string_view> views_;
    std::vector<std::unique_ptr<char[]>> owned_;
  };

  Content content_;
  StringPool& pool_;
  Texts raws_;
  std::vector<Interned> clean_;
  std::vector<Slot> slots_ = std::vector<Slot>(4096);
};

}  // namespace telltale::trace_rows
