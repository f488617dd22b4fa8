// SPDX-License-Identifier: Apache-2.0
#include "sample/line_table.h"

#include <optional>

namespace telltale {

namespace {

uint8_t ByteAt(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }
int8_t SignedAt(std::string_view bytes, size_t at) { return static_cast<int8_t>(bytes[at]); }

// co_lnotab: pairs of bytes, how far the instruction and (signed) the line go on.
int64_t LineOf39(std::string_view table, int64_t line, int64_t offset) {
  int64_t at = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    at += ByteAt(table, i);
    if (at > offset) break;
    line += SignedAt(table, i + 1);
  }
  return line;
}

// co_linetable of 3.10: pairs of bytes, how many bytes of instructions there are, and (signed) how
// far the line is from the one before; -128: they have none.
int64_t LineOf310(std::string_view table, int64_t first_line, int64_t offset) {
  int64_t line = first_line;
  int64_t end = 0;
  for (size_t i = 0; i + 1 < table.size(); i += 2) {
    end += ByteAt(table, i);
    const int8_t step = SignedAt(table, i + 1);
    const bool has_line = step != -128;
    if (has_line) line += step;
    if (offset < end) return has_line ? line : 0;
  }
  return first_line;
}

class Varints {
 public:
  explicit Varints(std::string_view bytes) : rest_(bytes) {}
  [[nodiscard]] bool empty() const { return rest_.empty(); }
  std::optional<uint8_t> Byte() {
    if (rest_.empty()) return std::nullopt;
    const uint8_t byte = ByteAt(rest_, 0);
    rest_.remove_prefix(1);
    return byte;
  }
  // Six bits a byte, the least first; bit 6: there are more.
  std::optional<uint64_t> Unsigned() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 36; shift += 6) {
      const std::optional<uint8_t> byte = Byte();
      if (!byte) return std::nullopt;
      value |= uint64_t{*byte & 63U} << shift;
      if ((*byte & 64U) == 0) return value;
    }
    return std::nullopt;
  }
  // The sign is the lowest bit.
  std::optional<int64_t> Signed() {
    const std::optional<uint64_t> value = Unsigned();
    if (!value) return std::nullopt;
    const auto half = static_cast<int64_t>(*value >> 1);
    return (*value & 1U) != 0 ? -half : half;
  }
  bool Skip(int count) {
    if (rest_.size() < static_cast<size_t>(count)) return false;
    rest_.remove_prefix(static_cast<size_t>(count));
    return true;
  }

 private:
  std::string_view rest_;
};

// The location table of 3.11: a byte with a code and how many instructions (of two bytes) it is
// about, then what the code says.
int64_t LineOf311(std::string_view table, int64_t first_line, int64_t offset) {
  constexpr unsigned kNone = 15;  // no location
  constexpr unsigned kLong = 14;  // line, end line, columns
  constexpr unsigned kNoColumns = 13;
  constexpr unsigned kOneLine = 10;  // to 12: so many lines on, and two bytes of columns
  int64_t line = first_line;
  int64_t end = 0;
  Varints steps(table);
  while (const std::optional<uint8_t> head = steps.Byte()) {
    if ((*head & 0x80U) == 0) return first_line;
    const unsigned code = *head >> 3 & 15U;
    end += 2 * ((*head & 7) + 1);
    bool good = true;
    if (code == kLong || code == kNoColumns) {
      const std::optional<int64_t> step = steps.Signed();
      good = step.has_value();
      line += step.value_or(0);
      if (code == kLong) {
        for (int i = 0; i < 3 && good; ++i) good = steps.Unsigned().has_value();
      }
    } else if (code >= kOneLine && code != kNone) {
      line += code - kOneLine;
      good = steps.Skip(2);
    } else if (code != kNone) {
      good = steps.Skip(1);
    }
    if (!good) return first_line;
    if (offset < end) return code == kNone ? 0 : line;
  }
  return first_line;
}

}  // namespace

int64_t LineAt(LineTableKind kind, std::string_view table, int64_t first_line, int64_t offset) {
  // A call that has not begun yet.
  if (offset < 0) return first_line;
  switch (kind) {
    case LineTableKind::kLineNumbers39:
      return LineOf39(table, first_line, offset);
    case LineTableKind::kLineTable310:
      return LineOf310(table, first_line, offset);
    case LineTableKind::kLocations311:
      return LineOf311(table, first_line, offset);
  }
  return first_line;
}

}  // namespace telltale
