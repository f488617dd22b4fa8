// SPDX-License-Identifier: Apache-2.0
#include "query/row_table.h"

#include <algorithm>
#include <utility>

namespace telltale {

namespace {

// Scans that cost as much as an index.
constexpr unsigned kScansBeforeIndex = 4;
// Orders beyond these are forgotten: each takes four bytes a row.
constexpr size_t kOrdersKept = 8;

}  // namespace

uint32_t RowTable::size() {
  if (first_.empty()) {
    uint64_t rows = 0;
    first_.push_back(0);
    for (const auto& file : source_.files()) {
      // Row numbers have 32 bits; a table beyond that is cut rather than wrong.
      rows = std::min<uint64_t>(rows + spec_.rows(*file), UINT32_MAX);
      first_.push_back(static_cast<uint32_t>(rows));
    }
  }
  return first_.back();
}

size_t RowTable::About() const {
  size_t rows = 0;
  for (const auto& file : source_.files()) rows += spec_.about(*file);
  return rows;
}

int64_t RowTable::Key(Place place, int column) const {
  const SqlColumn& spec = spec_.columns[static_cast<size_t>(column)];
  const Value value = spec.get(*place.file, place.row);
  switch (value.kind) {
    case Value::Kind::kNull:
      return kNullKey;
    case Value::Kind::kInteger:
      return value.integer;
    case Value::Kind::kReal:
      return OrderedBits(value.real);
    case Value::Kind::kText:
      return spec.numbers == TextNumbers::kPool ? source_.PoolKey(*place.file, value.text_id)
                                                : int64_t{value.text_id};
  }
  return kNullKey;
}

std::optional<int64_t> RowTable::KeyOfText(int column, std::string_view text) {
  if (spec_.columns[static_cast<size_t>(column)].numbers == TextNumbers::kPool)
    return source_.FindPoolKey(text);
  // A text that no row has may be met later: rows of this kind are numbered as they are read.
  StringPool& own = source_.own_texts();
  StringId id = own.Find(text);
  if (id == kNoString) {
    constexpr int64_t kBesideText = 32;  // its place in the pool and in the pool's index
    texts_charge_.Add(static_cast<int64_t>(text.size()) + kBesideText);
    id = own.Intern(text);
  }
  return static_cast<int64_t>(id);
}

std::string_view RowTable::TextOfKey(int column, int64_t key) const {
  if (spec_.columns[static_cast<size_t>(column)].numbers == TextNumbers::kPool)
    return source_.PoolText(key);
  return source_.own_texts().Get(StringId{static_cast<uint32_t>(key)});
}

template <typename Each>
void RowTable::ForEachKey(int column, Each each) const {
  Pace pace(allowance_);
  uint32_t row = 0;
  for (size_t file = 0; file + 1 < first_.size(); ++file) {
    for (uint32_t local = 0; row < first_[file + 1]; ++row, ++local) {
      each(Key({source_.files()[file].get(), local}, column), row);
      pace.Step();
    }
  }
}

const std::vector<uint32_t>& RowTable::TextRanks(int column) {
  if (const auto known = ranks_.find(column); known != ranks_.end()) return known->second;
  std::vector<uint32_t> rank;
  struct Distinct {
    std::string_view text;
    uint32_t key;
  };
  std::vector<Distinct> distinct;
  ForEachKey(column, [&](int64_t key, uint32_t) {
    if (key == kNullKey) return;
    const auto number = static_cast<uint32_t>(key);
    if (number >= rank.size()) rank.resize(number + number / 2 + 1, UINT32_MAX);
    if (rank[number] != UINT32_MAX) return;
    rank[number] = 0;
    distinct.push_back({TextOfKey(column, key), number});
  });
  // As SQLite's BINARY collation: by bytes.
  std::sort(distinct.begin(), distinct.end(),
            [](const Distinct& a, const Distinct& b) { return a.text < b.text; });
  for (uint32_t i = 0; i < distinct.size(); ++i) rank[distinct[i].key] = i;
  return ranks_.emplace(column, std::move(rank)).first->second;
}

void RowTable::Sort(Rows& rows, const std::vector<OrderTerm>& order) {
  Pace pace(allowance_);
  Charge charge(allowance_);
  charge.Set(static_cast<int64_t>(2 * sizeof(KeyedRow) * rows.size()));  // sorting has a copy
  Column<KeyedRow> keyed;
  (void)keyed.extend(rows.size());
  // Stable sorts from the last term to the first.
  for (size_t i = order.size(); i-- > 0;) {
    const int column = order[i].column;
    for (size_t r = 0; r < rows.size(); ++r, pace.Step())
      keyed[r] = {Key(PlaceOf(rows[r]), column), rows[r]};
    if (spec_.columns[static_cast<size_t>(column)].type == ColumnType::kText) {
      const std::vector<uint32_t>& rank = TextRanks(column);
      for (KeyedRow& row : keyed) {
        if (row.key != kNullKey) row.key = rank[static_cast<size_t>(row.key)];
      }
    }
    if (order[i].descending) {
      for (KeyedRow& row : keyed) row.key = ~row.key;
    }
    SortByKey(keyed);
    for (size_t r = 0; r < rows.size(); ++r) rows[r] = keyed[r].row;
  }
}

std::shared_ptr<const RowTable::Rows> RowTable::Order(const std::vector<OrderTerm>& order) {
  if (const auto known = orders_.find(order); known != orders_.end()) return known->second.rows;
  if (orders_.size() >= kOrdersKept) orders_.clear();
  Charge charge(allowance_);
  charge.Set(int64_t{sizeof(uint32_t)} * size());
  auto rows = std::make_shared<Rows>();
  uint32_t* const numbers = rows->extend(size());
  for (uint32_t row = 0; row < rows->size(); ++row) numbers[row] = row;
  Sort(*rows, order);
  orders_.emplace(order, KnownOrder{rows, std::move(charge)});
  return rows;
}

const RowTable::Index* RowTable::IndexFor(int column) {
  ColumnIndex& index = indexes_[column];
  if (index.index == nullptr && ++index.asked > kScansBeforeIndex) {
    Charge charge(allowance_);
    charge.Set(int64_t{2 * sizeof(KeyedRow)} * size());  // sorting has a copy
    auto rows = std::make_unique<Index>();
    rows->reserve(size());
    ForEachKey(column, [&](int64_t key, uint32_t row) { rows->push_back({key, row}); });
    SortByKey(*rows);
    charge.Set(int64_t{sizeof(KeyedRow)} * size());
    index.index = std::move(rows);
    index.charge = std::move(charge);
  }
  return index.index.get();
}

}  // namespace telltale
