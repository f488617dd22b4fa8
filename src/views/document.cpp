// SPDX-License-Identifier: Apache-2.0
#include "views/document.h"

#include <algorithm>

namespace telltale {

const TableData* Document::main_table() const {
  for (const Part& part : parts_) {
    if (part.table != nullptr && part.place.main) return part.table.get();
  }
  return nullptr;
}

size_t Document::rows() const {
  const TableData* const table = main_table();
  return table != nullptr ? table->rows() : 0;
}

std::string Document::Answer(const OutputStyle& style) const {
  std::string sentence = Sentence(style);
  std::replace(sentence.begin(), sentence.end(), '\n', ' ');
  return sentence;
}

}  // namespace telltale
