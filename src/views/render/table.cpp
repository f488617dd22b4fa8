// SPDX-License-Identifier: Apache-2.0
#include "views/render/table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "views/render/display.h"

namespace telltale {

namespace {

constexpr size_t kGap = 2;
// A bar is worth its room from the first, and gains nothing beyond the second.
constexpr size_t kLeastBar = 8;
constexpr size_t kLargestBar = 24;
constexpr size_t kHidden = 0;

bool Grows(ColumnKind kind) { return kind == ColumnKind::kName || kind == ColumnKind::kProse; }

void TrimRight(std::string& line) {
  while (!line.empty() && line.back() == ' ') line.pop_back();
}

}  // namespace

std::string RenderBar(double share, size_t width, bool unicode) {
  const double filled = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  std::string out;
  if (!unicode) {
    const auto cells = static_cast<size_t>(std::lround(filled));
    return std::string(cells, '#') + std::string(width - cells, ' ');
  }
  static constexpr std::array<std::string_view, 8> kEighths = {"",  "▏", "▎", "▍",
                                                               "▌", "▋", "▊", "▉"};
  auto eighths = static_cast<size_t>(std::lround(filled * 8));
  if (eighths == 0 && share > 0) eighths = 1;
  for (size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += kEighths[eighths % 8];
  return PadRight(out, width);
}

// The width of each column, kHidden for those left out.
std::vector<size_t> Table::Layout(size_t room) const {
  const size_t count = columns_.size();
  std::vector<size_t> natural(count);
  for (size_t c = 0; c < count; ++c) {
    if (columns_[c].kind == ColumnKind::kBar) {
      natural[c] = kLeastBar;
      continue;
    }
    natural[c] = DisplayWidth(columns_[c].header);
    for (const auto& row : rows_) natural[c] = std::max(natural[c], DisplayWidth(row[c].text));
    natural[c] = std::max<size_t>(natural[c], 1);
  }

  std::vector<bool> shown(count, true);
  std::vector<size_t> width(count, kHidden);
  const auto needed = [&] {
    size_t sum = 0;
    size_t columns = 0;
    for (size_t c = 0; c < count; ++c) {
      if (!shown[c]) continue;
      width[c] =
          Grows(columns_[c].kind) ? std::min(natural[c], columns_[c].least_width) : natural[c];
      sum += width[c];
      ++columns;
    }
    return columns == 0 ? 0 : sum + (columns - 1) * kGap;
  };
  size_t used = needed();
  while (used > room) {
    size_t victim = count;
    for (size_t c = 0; c < count; ++c) {
      if (!shown[c] || columns_[c].importance == TableColumn::kAlways) continue;
      if (victim == count || columns_[c].importance <= columns_[victim].importance) victim = c;
    }
    if (victim == count) break;
    shown[victim] = false;
    width[victim] = kHidden;
    used = needed();
  }
  // Still too wide: names give way, down to a few letters.
  for (size_t c = 0; c < count && used > room; ++c) {
    if (!shown[c] || !Grows(columns_[c].kind)) continue;
    const size_t smaller = std::max<size_t>(4, width[c] - std::min(width[c], used - room));
    used -= width[c] - std::min(width[c], smaller);
    width[c] = std::min(width[c], smaller);
  }
  // What is left goes to the growing columns in turn, one column at a time, so that they share it
  // evenly.
  for (bool grew = true; grew && used < room;) {
    grew = false;
    for (size_t c = 0; c < count && used < room; ++c) {
      if (!shown[c] || !Grows(columns_[c].kind) || width[c] >= natural[c]) continue;
      ++width[c];
      ++used;
      grew = true;
    }
  }
  for (size_t c = 0; c < count; ++c) {
    if (!shown[c] || columns_[c].kind != ColumnKind::kBar || used >= room) continue;
    const size_t wider = std::min(kLargestBar, width[c] + room - used);
    used += wider - width[c];
    width[c] = wider;
  }
  return width;
}

std::string Table::Render(const OutputStyle& style, size_t indent) const {
  const std::vector<size_t> width = Layout(style.width > indent ? style.width - indent : 1);
  const auto align = [&](size_t c, std::string_view text) {
    std::string fitted = DisplayWidth(text) > width[c]
                             ? ShortenMiddle(text, width[c], style.unicode)
                             : std::string(text);
    return columns_[c].kind == ColumnKind::kNumber ? PadLeft(fitted, width[c])
                                                   : PadRight(fitted, width[c]);
  };

  std::string out;
  const auto add_line = [&](const auto& cell_text, const auto& cell_ink) {
    std::string line(indent, ' ');
    size_t columns_used = indent;
    bool first = true;
    // Padding at the end of a line is left out, also where colour codes follow it.
    size_t last = 0;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (width[c] != kHidden) last = c;
    }
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (width[c] == kHidden) continue;
      // A width that is too small even for the columns that always stay.
      if (columns_used + (first ? 0 : kGap) + width[c] > style.width) break;
      if (!first) line.append(kGap, ' ');
      std::string text = cell_text(c);
      if (c == last) TrimRight(text);
      line += Paint(cell_ink(c), text, style);
      columns_used += (first ? 0 : kGap) + width[c];
      first = false;
    }
    TrimRight(line);
    out += line;
    out += '\n';
  };

  bool any_header = false;
  for (const TableColumn& column : columns_) any_header = any_header || !column.header.empty();
  if (any_header) {
    add_line([&](size_t c) { return align(c, columns_[c].header); },
             [](size_t) { return Ink::kDim; });
  }
  for (const auto& row : rows_) {
    std::vector<std::vector<std::string>> lines(columns_.size());
    size_t height = 1;
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (width[c] == kHidden) continue;
      if (columns_[c].kind == ColumnKind::kProse) {
        lines[c] = Wrap(row[c].text, width[c]);
      } else if (columns_[c].kind == ColumnKind::kBar) {
        lines[c] = {RenderBar(row[c].share, width[c], style.unicode)};
      } else {
        lines[c] = {row[c].text};
      }
      height = std::max(height, lines[c].size());
    }
    for (size_t l = 0; l < height; ++l) {
      add_line([&](size_t c) { return l < lines[c].size() ? align(c, lines[c][l]) : align(c, ""); },
               [&](size_t c) { return l < lines[c].size() ? row[c].ink : Ink::kPlain; });
    }
  }
  return out;
}

}  // namespace telltale
