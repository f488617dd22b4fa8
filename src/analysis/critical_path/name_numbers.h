// SPDX-License-Identifier: Apache-2.0
// For each graph, kind of time and name a number that begins at 0 and means "not seen". Names are
// numbers of a trace's strings: no text is touched.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/critical_path/graph.h"
#include "base/column.h"

namespace telltale {

class NameNumbers {
 public:
  NameNumbers(const PathWorld& world, size_t kinds);
  [[nodiscard]] uint32_t& At(uint32_t graph, size_t kind, StringId name) {
    Table& table = tables_[graph * kinds_ + kind];
    if (name == kNoString) return table.unnamed;
    if (table.by_name.empty()) table.by_name.resize(names_[graph]);
    return table.by_name[static_cast<size_t>(name)];
  }
  [[nodiscard]] uint32_t Find(uint32_t graph, size_t kind, StringId name) const {
    const Table& table = tables_[graph * kinds_ + kind];
    if (name == kNoString) return table.unnamed;
    return table.by_name.empty() ? 0 : table.by_name[static_cast<size_t>(name)];
  }

 private:
  struct Table {
    uint32_t unnamed = 0;
    Column<uint32_t> by_name;  // empty until one has a number
  };
  size_t kinds_;
  std::vector<Table> tables_;
  std::vector<size_t> names_;  // of each graph
};

}  // namespace telltale
