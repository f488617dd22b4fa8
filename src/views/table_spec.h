// SPDX-License-Identifier: Apache-2.0
// What a table is, said once: its columns with their names for programs and for people, what kind
// of quantity each holds, how much it matters, and where its value comes from. JSON, CSV, --sort,
// the terminal's table (table_data.h, render/) and the page's (page_tables.h) follow from it.
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
#include "model/artifact_id.h"
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

// What a name is of, so that the page can lead there.
enum class Naming : uint8_t {
  kNothing,
  kOperator,
  kKernel,
  kEvent,  // of the timeline: a call of the runtime, a copy
};
[[nodiscard]] std::string_view NameOf(Naming naming);

// Which tables for people have the column.
enum class Presence : uint8_t {
  kAlways,
  kAnyValue,      // where a row that is shown has a value (a flag: is set)
  kAnyKnown,      // where a row that is shown has a value, and be it "no"
  kAnyNonZero,    // where any row has a value other than 0
  kSeveralFiles,  // where the rows come from more than one file
};
[[nodiscard]] std::string_view NameOf(Presence presence);

// How people see a column.
struct Shown {
  std::string title = {};  // the unit is added to durations, sizes and flops
  // The smallest leave first when room is short; kAlways never does. kNever: the terminal has no
  // such column, and the page has it for who asks for it, where there is a title.
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
  bool page = true;           // false: only the terminal has it
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
  // What JSON holds, as TypeScript says it; empty: what suits the quantity.
  std::string_view json_type = {};
  bool nullable = true;              // JSON may have null there
  bool sometimes = false;            // JSON has it only in some answers
  bool adds_up = true;               // false: a sum of it means nothing
  std::string_view page_title = {};  // the page has more room for words; else the title, as a line
  Naming naming = Naming::kNothing;
};

using AloneFormat = std::string (*)(int64_t value, bool unicode);

// What a cell is written for, and the unit of its column; none: an empty name.
struct CellStyle : OutputStyle {
  ColumnUnit unit = {};
  AloneFormat alone = nullptr;  // where the title does not say the unit
  [[nodiscard]] std::string InUnit(int64_t value) const {
    if (alone != nullptr) return alone(value, unicode);
    return unit.name.empty() ? FormatCount(value) : FormatIn(unit, value);
  }
};

template <typename Row>
struct ColumnSpec : ColumnFacts {
  using TextOf = std::function<std::string(const Row& row, const CellStyle& style)>;
  using InkOf = std::function<Ink(const Row& row)>;

  std::function<FieldValue(const Row& row)> get = nullptr;
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
  // Every row has a value. Members that are no optional say so themselves.
  [[nodiscard]] ColumnSpec Known() && {
    nullable = false;
    return std::move(*this);
  }
  // Means, extremes, totals that hold each other.
  [[nodiscard]] ColumnSpec NoSum() && {
    adds_up = false;
    return std::move(*this);
  }
  [[nodiscard]] ColumnSpec OnPage(std::string_view title) && {
    page_title = title;
    return std::move(*this);
  }
  [[nodiscard]] ColumnSpec Sometimes() && {
    sometimes = true;
    return std::move(*this);
  }
  [[nodiscard]] ColumnSpec Names(Naming what) && {
    naming = what;
    return std::move(*this);
  }
  [[nodiscard]] ColumnSpec OfType(std::string_view type) && {
    json_type = type;
    nullable = false;
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

namespace table_spec_internal {

template <typename T>
struct MemberOf;
template <typename Row, typename T>
struct MemberOf<T Row::*> {
  using Type = Row;
};

template <typename T>
constexpr bool kIsOptional = false;
template <typename T>
constexpr bool kIsOptional<std::optional<T>> = true;

template <typename T>
[[nodiscard]] FieldValue AsField(const T& value) {
  if constexpr (kIsOptional<T>) {
    return value ? AsField(*value) : FieldValue();
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, double>) {
    return value;
  } else if constexpr (std::is_unsigned_v<T>) {
    return uint64_t{value};
  } else if constexpr (std::is_integral_v<T>) {
    return int64_t{value};
  } else if constexpr (std::is_same_v<T, ArtifactId>) {
    return uint64_t{IndexOf(value)};
  } else if constexpr (std::is_enum_v<T>) {
    return NameOf(value);
  } else {
    return std::string_view(value);
  }
}

// The value of a member of type T: the type says what JSON holds.
template <typename T>
struct MemberValue : FieldValue {
  explicit MemberValue(const T& value) : FieldValue(AsField(value)) {}
};

template <typename T>
constexpr std::string_view kJsonType = std::is_same_v<T, bool>   ? "boolean"
                                       : std::is_arithmetic_v<T> ? "number"
                                                                 : "string";
template <>
inline constexpr std::string_view kJsonType<ArtifactId> = "number";
template <typename T>
constexpr std::string_view kJsonType<std::optional<T>> = kJsonType<T>;

template <typename Returned>
struct Typed {
  static constexpr std::string_view kType = {};
  static constexpr bool kNullable = true;
};
template <typename T>
struct Typed<MemberValue<T>> {
  static constexpr std::string_view kType = kJsonType<T>;
  static constexpr bool kNullable = kIsOptional<T>;
};

}  // namespace table_spec_internal

// A column for programs and people. Get<&Row::member> makes the getter; none: nullptr.
template <typename Row, typename Getter>
[[nodiscard]] ColumnSpec<Row> Field(std::string_view key, Quantity quantity, Getter get,
                                    Shown shown = {}) {
  ColumnSpec<Row> column;
  column.key = key;
  column.quantity = quantity;
  column.shown = std::move(shown);
  if constexpr (!std::is_null_pointer_v<Getter>) {
    using Returned = table_spec_internal::Typed<std::invoke_result_t<Getter, const Row&>>;
    column.json_type = Returned::kType;
    column.nullable = Returned::kNullable;
    column.get = std::move(get);
  }
  return column;
}
template <typename Row, typename Returned>
[[nodiscard]] ColumnSpec<Row> Field(std::string_view key, Quantity quantity,
                                    Returned (*get)(const Row& row), Shown shown = {}) {
  return Field<Row, Returned (*)(const Row&)>(key, quantity, get, std::move(shown));
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

// The value of a member, or of a member of a member: Get<&RankRow::average, &RankTimes::other_ns>.
template <auto kMember, auto... kInner>
[[nodiscard]] auto Get(const typename table_spec_internal::MemberOf<decltype(kMember)>::Type& row) {
  using T = std::remove_cvref_t<decltype(((row.*kMember).*....*kInner))>;
  return table_spec_internal::MemberValue<T>(((row.*kMember).*....*kInner));
}
// Of a row that inherits the member: Get<Shown, &Shown::calls>.
template <typename Row, auto kMember, auto... kInner>
[[nodiscard]] auto Get(const Row& row) {
  using T = std::remove_cvref_t<decltype(((row.*kMember).*....*kInner))>;
  return table_spec_internal::MemberValue<T>(((row.*kMember).*....*kInner));
}

}  // namespace telltale
