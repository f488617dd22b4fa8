// SPDX-License-Identifier: Apache-2.0
// The keys of a profile, (file, line, name), and the functions they stand for. The reader numbers
// texts and keys as it meets them; which of them are equal is found out a batch at a time, which
// waits much less for memory than one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "model/function_profile.h"

namespace telltale::pstats {

using TextNumber = uint32_t;
using KeyNumber = uint32_t;

class KeyTable {
 public:
  // Adds to the profile's functions and strings. `expected_bytes`: of the input, where known.
  KeyTable(FunctionProfile& profile, size_t expected_bytes);

  // Numbers count up from 0; equal texts and equal keys may have several.
  TextNumber AddText(std::string_view text);
  KeyNumber AddKey(TextNumber file, int64_t line, TextNumber name) {
    keys_.push_back({file, name, line});
    if (keys_.size() == kBatchKeys) NameKeys();
    return key_count_++;
  }

  // Beside the profile's own.
  [[nodiscard]] size_t memory_bytes() const {
    return string_of_text_.memory_bytes() + function_of_key_.memory_bytes() +
           functions_.memory_bytes() + texts_.capacity();
  }

  // The function of each key.
  [[nodiscard]] Column<FunctionId> FunctionOfKey() &&;

 private:
  struct Key {
    TextNumber file = 0;
    TextNumber name = 0;
    int64_t line = kNoInt;
  };
  static constexpr size_t kBatchKeys = 1024;

  void NameKeys();

  FunctionProfile& profile_;
  CallTreeBuilder functions_;
  TextNumber text_count_ = 0;
  KeyNumber key_count_ = 0;
  Column<StringId> string_of_text_;
  Column<FunctionId> function_of_key_;

  // The batch.
  std::string texts_;             // one behind the other
  std::vector<size_t> text_end_;  // of each
  std::vector<Key> keys_;
  std::vector<std::string_view> views_;    // of texts_
  std::vector<Function> functions_named_;  // of keys_
};

}  // namespace telltale::pstats
