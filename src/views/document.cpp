// SPDX-License-Identifier: Apache-2.0
#include "views/document.h"

namespace telltale {

const TableData* Document::main_table() const {
  for (const Part& part : parts_) {
    if (part.table != nullptr && part.place.main) return part.table.get();
  }
  return nullptr;
}

}  // namespace telltale
