// SPDX-License-Identifier: Apache-2.0
// Interning: equal byte strings get equal ids, so columns hold four bytes a string. Ids count up
// from 0 in order of first use; id 0 is always the empty string. Views stay valid as long as the
// pool lives. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "base/hash_index.h"

namespace telltale {

enum class StringId : uint32_t {};

constexpr StringId kEmptyString{0};
// Marks "the capture has no such value" in columns of strings.
constexpr StringId kNoString{UINT32_MAX};

class StringPool {
 public:
  StringPool();

  // Room for that many texts in all.
  void Reserve(size_t texts);

  StringId Intern(std::string_view text);
  // Many at once, which waits less for memory; `ids` has as many places.
  void Intern(std::span<const std::string_view> texts, StringId* ids);
  // kNoString if the text was never interned.
  [[nodiscard]] StringId Find(std::string_view text) const;
  // The text of kNoString is empty.
  [[nodiscard]] std::string_view Get(StringId id) const {
    const auto i = static_cast<uint32_t>(id);
    return i < views_.size() ? views_[i] : std::string_view();
  }
  [[nodiscard]] size_t size() const { return views_.size(); }
  [[nodiscard]] size_t memory_bytes() const;

  static uint64_t Hash(std::string_view text);

 private:
  StringId Intern(std::string_view text, uint64_t hash);
  std::string_view Store(std::string_view text);

  std::vector<std::string_view> views_;
  HashIndex index_;  // of views_
  std::vector<std::unique_ptr<char[]>> arenas_;
  size_t arena_left_ = 0;
  char* arena_next_ = nullptr;
  size_t arena_bytes_ = 0;
};

}  // namespace telltale
