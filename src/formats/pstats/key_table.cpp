// SPDX-License-Identifier: Apache-2.0
#include "formats/pstats/key_table.h"

#include <utility>

namespace telltale::pstats {

KeyTable::KeyTable(FunctionProfile& profile, size_t expected_bytes)
    : profile_(profile), functions_(profile) {
  // A function takes some 70 bytes and more, with its callers and texts about 200.
  functions_.Reserve(expected_bytes / 160);
  profile_.strings.Reserve(expected_bytes / 160);
}

TextNumber KeyTable::AddText(std::string_view text) {
  texts_ += text;
  text_end_.push_back(texts_.size());
  return text_count_++;
}

void KeyTable::NameKeys() {
  views_.clear();
  size_t begin = 0;
  for (const size_t end : text_end_) {
    views_.emplace_back(texts_.data() + begin, end - begin);
    begin = end;
  }
  profile_.strings.Intern(views_, string_of_text_.extend(views_.size()));
  functions_named_.clear();
  for (const Key& key : keys_) {
    functions_named_.push_back({string_of_text_[key.file], key.line, string_of_text_[key.name]});
  }
  functions_.FunctionsOf(functions_named_, function_of_key_.extend(keys_.size()));
  texts_.clear();
  text_end_.clear();
  keys_.clear();
}

Column<FunctionId> KeyTable::FunctionOfKey() && {
  NameKeys();
  return std::move(function_of_key_);
}

}  // namespace telltale::pstats
