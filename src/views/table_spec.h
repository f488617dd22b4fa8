// SPDX-License-Identifier: Apache-2.0
// What a table is, said once: its columns with their names for programs and for people, what kind
// of quantity each holds, how much it matters, and where its value comes from. JSON, CSV, --sort
// and the terminal's table follow from it (table_data.h, render/).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/json_writer.h"
#include "views/field_value.h"
#include "views/render/colors.h"
#include "views/render/terminal.h"
#include "views/render/units.h"

namespace telltale {

enum class Quantity : uint8_t {
  kText,      // a word
  kName,      // of an operator, a kernel …: as long as it likes, shortened in the middle
  kProse,     // sentences
  kId,        // a number that counts nothing: a device, a line
  kFile,      // an index into the profile's files; people see the file's label
  kFlag,      // yes or no
  kJson,      // JSON text as captured, such as shapes
  kCount,     // of events, calls …
  kNumber,    // a mean, a length
  kDuration,  // ns
  kMoment,    // ns since 1970, or as the trace counts
  kBytes,
  kShare,  // 0 … 1
  kRate,   // GB/s
  kFlops,
  kPart,  // people only: the share that another column's value has of the sum over all rows
  kBar,   // people only: a value as a bar, or another column's value beside the largest shown
};
[[nodiscard]] std::string_view NameOf(Quantity quantity);

// Which tables for people have the column.
enum class Presence : uint8_t {
  kAlways,
  kAnyValue,      // where a row that is shown has a value (a flag: is set)
  kAnyKnown,      // where a row that is shown has a value, and be it "no"
  kAnyNonZero,    // where any row has a value other than 0
  kSeveralFiles,  // where the rows come from more than one file
};

// How people see a column.
struct Shown {
  std::string title = {};  // the unit is added to durations, sizes and flops
  // The smallest leave first when room is short; kAlways never does, kNever is not for people.
  int importance = kNever;
  size_t least_width = 16;  // of names and prose
  Presence presence = Presence::kAlways;
  std::string_view of = {};  // kPart, kBar: the key of the column that they are about
  std::optional<int64_t> whole = std::nullopt;  // kPart: of this, where it is not their sum
  std::string_view unit_of = {};                // the column whose unit this one has
  bool with_unit = true;                        // the title says the unit
  std::string_view per = {};  // "call": the terminal's title is the unit by this, "ms/call"
  bool with_title = true;     // false: the terminal leaves the title out
  bool terminal = true;       // false: only the page has the column
  int decimals = 1;           // of shares and numbers
  Ink ink = Ink::kPlain;

  static constexpr int kAlways = 100;
  static constexpr int kNever = 0;
};

struct ColumnFacts {
  // Of JSON, CSV and --sort; unique in its table. Columns for people only have one, too.
  std::string_view key;
  Quantity quantity = Quantity::kText;
  Shown shown = {};
  std::string_view group = {};  // JSON: the object that holds this and its neighbours of that group
  bool for_programs = true;     // false: for people only
  std::string_view help = {};   // half a sentence, where the title does not say it
};

// What a cell is written for, and the unit of its column; none: an empty name.
struct CellStyle : OutputStyle {
  ColumnUnit unit = {};
  [[nodiscard]] std::string InUnit(int64_t value) const {
    return unit.name.empty() ? FormatCount(value) : FormatIn(unit, value);
  }
};

template <typename Row>
struct ColumnSpec : ColumnFacts {
  using TextOf = std::function<std::string(const Row& row, const CellStyle& style)>;
  using InkOf = std::function<Ink(const Row& row)>;

  FieldValue (*get)(const Row& row) = nullptr;
  // Where JSON holds more than one value: lists, objects.
  void (*json)(const Row& row, JsonWriter& json) = nullptr;
  // The same, where a limit cuts the lists; <= 0: all.
  void (*limited_json)(const Row& row, int64_t limit, JsonWriter& json) = nullptr;
  // Where people see something else than the value in its unit.
  TextOf text = {};
  InkOf ink = {};

  // The same column, with that. A column without getter is in JSON, not in CSV and --sort.
  [[nodiscard]] ColumnSpec WithText(TextOf of_row) && {
    text = std::move(of_row);
    return std::move(*this);
  }
  [[nodiscard]] ColumnSpec WithInk(InkOf of_row) && {
    ink = std::move(of_row);
    return std::move(*this);
  }
  [[nodiscard]] ColumnSpec WithHelp(std::string_view words) && {
    help = words;
    return std::move(*this);
  }
  [[nodiscard]] ColumnSpec ForPeople() && {
    for_programs = false;
    return std::move(*this);
  }
};

template <typename Row>
struct TableSpec {
  std::vector<ColumnSpec<Row>> columns;      // in the order of JSON and CSV
  std::vector<std::string_view> order = {};  // for people, where it is another: keys
  // What decides between rows that are equal in the sorted column; none: their order.
  std::string_view (*name)(const Row& row) = nullptr;

  [[nodiscard]] const ColumnSpec<Row>* Find(std::string_view key) const {
    for (const ColumnSpec<Row>& column : columns) {
      if (column.key == key) return &column;
    }
    return nullptr;
  }
  // For people, the column of that key is as `shown` says.
  void Show(std::string_view key, const Shown& shown) {
    for (ColumnSpec<Row>& column : columns) {
      if (column.key == key) column.shown = shown;
    }
  }
  // The terminal has none of these.
  void Hide(std::initializer_list<std::string_view> keys) {
    for (ColumnSpec<Row>& column : columns) {
      for (const std::string_view key : keys) column.shown.terminal &= column.key != key;
    }
  }
  // The keys that --sort takes.
  [[nodiscard]] std::vector<std::string_view> keys() const {
    std::vector<std::string_view> keys;
    for (const ColumnSpec<Row>& column : columns) {
      if (column.for_programs && column.get != nullptr) keys.push_back(column.key);
    }
    return keys;
  }
};

// A column for programs and people. Get<&Row::member> makes the getter.
template <typename Row>
[[nodiscard]] ColumnSpec<Row> Field(std::string_view key, Quantity quantity,
                                    FieldValue (*get)(const Row& row), Shown shown = {}) {
  ColumnSpec<Row> column;
  column.key = key;
  column.quantity = quantity;
  column.shown = std::move(shown);
  column.get = get;
  return column;
}

// The share of `of` in its sum, as people see it.
template <typename Row>
[[nodiscard]] ColumnSpec<Row> PartOf(std::string_view key, std::string_view of, Shown shown) {
  ColumnSpec<Row> column;
  column.key = key;
  column.quantity = Quantity::kPart;
  column.shown = std::move(shown);
  column.shown.of = of;
  column.for_programs = false;
  return column;
}

// A bar as long as `of` is beside the largest one shown.
template <typename Row>
[[nodiscard]] ColumnSpec<Row> BarOf(std::string_view key, std::string_view of, Shown shown) {
  ColumnSpec<Row> column = PartOf<Row>(key, of, std::move(shown));
  column.quantity = Quantity::kBar;
  return column;
}

namespace table_spec_internal {

template <typename T>
struct MemberOf;
template <typename Row, typename T>
struct MemberOf<T Row::*> {
  using Type = Row;
};

template <typename T>
[[nodiscard]] FieldValue AsField(const T& value) {
  if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_unsigned_v<T>) {
    return uint64_t{value};
  } else if constexpr (std::is_integral_v<T>) {
    return int64_t{value};
  } else if constexpr (std::is_enum_v<T>) {
    return NameOf(value);
  } else {
    return std::string_view(value);
  }
}
template <typename T>
[[nodiscard]] FieldValue AsField(const std::optional<T>& value) {
  return value ? AsField(*value) : FieldValue();
}

}  // namespace table_spec_internal

// The value of a member, or of a member of a member: Get<&RankRow::average, &RankTimes::other_ns>.
template <auto kMember, auto... kInner>
[[nodiscard]] FieldValue Get(
    const typename table_spec_internal::MemberOf<decltype(kMember)>::Type& row) {
  return table_spec_internal::AsField(((row.*kMember).*....*kInner));
}
// Of a row that inherits the member: Get<Shown, &Shown::calls>.
template <typename Row, auto kMember, auto... kInner>
[[nodiscard]] FieldValue Get(const Row& row) {
  return table_spec_internal::AsField(((row.*kMember).*....*kInner));
}

}  // namespace telltale
