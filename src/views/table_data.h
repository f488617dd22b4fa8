// SPDX-License-Identifier: Apache-2.0
// A table with its rows, whatever their type: what renderers see.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "views/field_value.h"
#include "views/table_spec.h"

namespace telltale {

class TableData {
 public:
  TableData() = default;
  TableData(const TableData&) = delete;
  TableData& operator=(const TableData&) = delete;
  virtual ~TableData() = default;

  [[nodiscard]] virtual size_t rows() const = 0;
  [[nodiscard]] virtual size_t columns() const = 0;
  [[nodiscard]] virtual const ColumnFacts& column(size_t column) const = 0;
  // The columns in the order of tables for people.
  [[nodiscard]] virtual std::vector<size_t> OrderForPeople() const = 0;
  // Missing where the column has no getter of its own.
  [[nodiscard]] virtual FieldValue Value(size_t row, size_t column) const = 0;
  // Whether it has one: others are not for CSV.
  [[nodiscard]] virtual bool HasValue(size_t column) const = 0;
  // What JSON has in the place of the value; false: the value. A limit cuts the lists in it.
  [[nodiscard]] virtual bool Json(size_t row, size_t column, int64_t limit,
                                  JsonWriter& json) const = 0;
  // What people see in the place of the value; false: the value.
  [[nodiscard]] virtual bool Text(size_t row, size_t column, const CellStyle& style,
                                  std::string& out) const = 0;
  [[nodiscard]] virtual Ink InkOf(size_t row, size_t column) const = 0;

  // The number of the column with that key, or columns().
  [[nodiscard]] size_t Find(std::string_view key) const {
    size_t at = 0;
    while (at < columns() && column(at).key != key) ++at;
    return at;
  }
};

template <typename Row>
class RowTable final : public TableData {
 public:
  RowTable(TableSpec<Row> spec, std::vector<Row> rows)
      : spec_(std::move(spec)), owned_(std::move(rows)), rows_(owned_) {}
  // Of rows that outlive the table.
  RowTable(TableSpec<Row> spec, std::span<const Row> rows) : spec_(std::move(spec)), rows_(rows) {}

  [[nodiscard]] size_t rows() const override { return rows_.size(); }
  [[nodiscard]] size_t columns() const override { return spec_.columns.size(); }
  [[nodiscard]] const ColumnFacts& column(size_t column) const override {
    return spec_.columns[column];
  }
  [[nodiscard]] std::vector<size_t> OrderForPeople() const override {
    std::vector<size_t> order;
    for (const std::string_view key : spec_.order) order.push_back(Find(key));
    if (order.empty()) {
      for (size_t i = 0; i < columns(); ++i) order.push_back(i);
    }
    return order;
  }
  [[nodiscard]] FieldValue Value(size_t row, size_t column) const override {
    const auto& get = spec_.columns[column].get;
    return get != nullptr ? get(rows_[row]) : FieldValue();
  }
  [[nodiscard]] bool HasValue(size_t column) const override {
    return spec_.columns[column].get != nullptr;
  }
  [[nodiscard]] bool Json(size_t row, size_t column, int64_t limit,
                          JsonWriter& json) const override {
    const ColumnSpec<Row>& spec = spec_.columns[column];
    if (spec.json != nullptr) spec.json(rows_[row], json);
    if (spec.limited_json != nullptr) spec.limited_json(rows_[row], limit, json);
    return spec.json != nullptr || spec.limited_json != nullptr;
  }
  [[nodiscard]] bool Text(size_t row, size_t column, const CellStyle& style,
                          std::string& out) const override {
    const auto& text = spec_.columns[column].text;
    if (text) out = text(rows_[row], style);
    return text != nullptr;
  }
  [[nodiscard]] Ink InkOf(size_t row, size_t column) const override {
    const auto& ink = spec_.columns[column].ink;
    return ink ? ink(rows_[row]) : spec_.columns[column].shown.ink;
  }

 private:
  TableSpec<Row> spec_;
  std::vector<Row> owned_;
  std::span<const Row> rows_;
};

// Numbers go down, text goes up, missing values come last; ties by name, then by first occurrence,
// then as they were. A key that is no column: nothing happens.
template <typename Row>
void SortRows(std::vector<Row>& rows, const TableSpec<Row>& spec, std::string_view key) {
  const ColumnSpec<Row>* const column = spec.Find(key);
  if (column == nullptr || column->get == nullptr) return;
  std::stable_sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    const int order = CompareDescending(column->get(a), column->get(b));
    if (order != 0) return order < 0;
    if (spec.name != nullptr && spec.name(a) != spec.name(b)) return spec.name(a) < spec.name(b);
    if constexpr (requires { a.first_event; }) {
      return a.first_event < b.first_event;
    } else {
      return false;
    }
  });
}

}  // namespace telltale
