// SPDX-License-Identifier: Apache-2.0
// A table laid out for a width: numbers right-aligned, names shortened in the middle, sentences
// wrapped, less important columns left out when room is short, bars where there is room to spare.
// No line is wider than the width asked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "views/render/colors.h"
#include "views/render/terminal.h"

namespace telltale {

enum class ColumnKind : uint8_t {
  kText,    // left-aligned, as wide as its content
  kNumber,  // right-aligned, as wide as its content
  kName,    // left-aligned, takes the room that is left, shortened in the middle
  kBar,     // a bar for a share between 0 and 1, wider where room is left over
  kProse,   // left-aligned, takes the room that is left, wrapped over several lines
};

struct TableColumn {
  std::string header;
  ColumnKind kind = ColumnKind::kNumber;
  // Columns of the smallest importance leave first when room is short; kAlways never does.
  int importance = kAlways;
  // A name or prose column shrinks to this before columns leave.
  size_t least_width = 16;
  static constexpr int kAlways = 100;
};

struct TableCell {
  TableCell() = default;
  TableCell(std::string cell_text, Ink cell_ink = Ink::kPlain)  // NOLINT: cells are written as text
      : text(std::move(cell_text)), ink(cell_ink) {}
  static TableCell Bar(double share, Ink ink) {
    TableCell cell;
    cell.share = share;
    cell.ink = ink;
    return cell;
  }

  std::string text;
  Ink ink = Ink::kPlain;
  double share = 0;  // for bars
};

class Table {
 public:
  explicit Table(std::vector<TableColumn> columns) : columns_(std::move(columns)) {}

  // One cell per column. Text must be printable already (see Printable in display.h).
  void AddRow(std::vector<TableCell> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] const std::vector<TableColumn>& columns() const { return columns_; }
  [[nodiscard]] const std::vector<std::vector<TableCell>>& rows() const { return rows_; }

  // Header and rows, each line indented by `indent`, within style.width columns; a newline ends
  // each line.
  [[nodiscard]] std::string Render(const OutputStyle& style, size_t indent = 2) const;

 private:
  [[nodiscard]] std::vector<size_t> Layout(size_t room) const;

  std::vector<TableColumn> columns_;
  std::vector<std::vector<TableCell>> rows_;
};

// A horizontal bar of `width` columns for a share between 0 and 1, padded with spaces.
[[nodiscard]] std::string RenderBar(double share, size_t width, bool unicode);

}  // namespace telltale
