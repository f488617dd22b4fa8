// SPDX-License-Identifier: Apache-2.0
// A table's rows over all files: numbered through, with keys to compare them by, orders to walk
// them in and indexes to find them by. Orders and indexes are made when they pay and kept.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/column.h"
#include "query/allowance.h"
#include "query/key_sort.h"
#include "query/plan.h"
#include "query/query_file.h"
#include "query/sql_table.h"

namespace telltale {

// NULL as a key: before all others, as SQL sorts it.
constexpr int64_t kNullKey = INT64_MIN;

// Keys from `least` to `most`, both included.
struct KeyRange {
  int column = 0;
  int64_t least = kNullKey + 1;
  int64_t most = INT64_MAX;
  [[nodiscard]] bool Has(int64_t key) const { return key >= least && key <= most; }
  [[nodiscard]] bool empty() const { return least > most; }
};

class RowTable {
 public:
  RowTable(const QuerySource& source, const SqlTable& spec, Allowance& allowance)
      : source_(source), spec_(spec), allowance_(allowance), texts_charge_(allowance) {}

  struct Place {
    const QueryFile* file = nullptr;
    uint32_t row = 0;
  };

  [[nodiscard]] const QuerySource& source() const { return source_; }
  [[nodiscard]] const SqlTable& spec() const { return spec_; }
  [[nodiscard]] uint32_t size();
  // How many rows there may be, without computing any.
  [[nodiscard]] size_t About() const;

  [[nodiscard]] Place PlaceOf(uint32_t row) const {
    size_t file = 0;
    if (first_.size() > 2) {
      file = static_cast<size_t>(std::upper_bound(first_.begin(), first_.end(), row) -
                                 first_.begin()) -
             1;
    }
    return {source_.files()[file].get(), row - first_[file]};
  }
  [[nodiscard]] Value Get(Place place, int column) const {
    return spec_.columns[static_cast<size_t>(column)].get(*place.file, place.row);
  }
  // Of columns that have keys. Equal values have equal keys; those of numbers also order as the
  // numbers do.
  [[nodiscard]] int64_t Key(Place place, int column) const;
  // The key of a text in a text column; none if no row can have it.
  [[nodiscard]] std::optional<int64_t> KeyOfText(int column, std::string_view text);

  // The text of a key of a text column.
  [[nodiscard]] std::string_view TextOfKey(int column, int64_t key) const;

  // All rows in an order.
  using Rows = Column<uint32_t>;
  [[nodiscard]] std::shared_ptr<const Rows> Order(const std::vector<OrderTerm>& order);
  // Brings some rows into an order.
  void Sort(Rows& rows, const std::vector<OrderTerm>& order);

  // Rows by key of a column, ascending.
  using Index = Column<KeyedRow>;
  // nullptr as long as an index does not pay: it costs about as much as a few scans.
  [[nodiscard]] const Index* IndexFor(int column);

 private:
  // Calls `each(key, row)` for every row.
  template <typename Each>
  void ForEachKey(int column, Each each) const;
  // Of a text column: the place of each text in the order of the texts, by key.
  [[nodiscard]] const std::vector<uint32_t>& TextRanks(int column);

  const QuerySource& source_;
  const SqlTable& spec_;
  Allowance& allowance_;  // everything below is a query's, also where it is kept for the next scan
  std::vector<uint32_t> first_;  // by file, and one more
  struct KnownOrder {
    std::shared_ptr<const Rows> rows;
    Charge charge;
  };
  std::map<std::vector<OrderTerm>, KnownOrder> orders_;
  std::map<int, std::vector<uint32_t>> ranks_;
  struct ColumnIndex {
    unsigned asked = 0;
    std::unique_ptr<Index> index;
    std::optional<Charge> charge;
  };
  Charge texts_charge_;  // of the texts that KeyOfText numbered
  std::map<int, ColumnIndex> indexes_;
};

}  // namespace telltale
