// SPDX-License-Identifier: Apache-2.0
#include "views/render/display.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

namespace telltale {

namespace {

constexpr char32_t kInvalid = 0xFFFFFFFF;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Decodes the code point at `at` and advances past it; a byte that is not UTF-8 is kInvalid.
char32_t Next(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at);
  if (first < 0x80) {
    ++at;
    return first;
  }
  size_t length = 0;
  char32_t point = 0;
  char32_t smallest = 0;
  if ((first & 0xE0) == 0xC0) {
    length = 2, point = first & 0x1F, smallest = 0x80;
  } else if ((first & 0xF0) == 0xE0) {
    length = 3, point = first & 0x0F, smallest = 0x800;
  } else if ((first & 0xF8) == 0xF0) {
    length = 4, point = first & 0x07, smallest = 0x10000;
  }
  bool valid = length > 0 && at + length <= text.size();
  for (size_t i = 1; valid && i < length; ++i) {
    valid = (byte(at + i) & 0xC0) == 0x80;
    point = (point << 6) | (byte(at + i) & 0x3F);
  }
  if (!valid || point < smallest || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
    ++at;
    return kInvalid;
  }
  at += length;
  return point;
}

struct Range {
  char32_t first;
  char32_t last;
};

bool InRanges(std::span<const Range> ranges, char32_t point) {
  const auto* after = std::upper_bound(ranges.data(), ranges.data() + ranges.size(), point,
                                       [](char32_t p, const Range& r) { return p < r.first; });
  return after != ranges.data() && point <= (after - 1)->last;
}

// Combining marks, joiners and variation selectors: drawn over or into the character before.
constexpr std::array<Range, 30> kZeroWidth = {{
    {0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD}, {0x05BF, 0x05BF},   {0x05C1, 0x05C2},
    {0x0610, 0x061A}, {0x064B, 0x065F}, {0x0670, 0x0670}, {0x06D6, 0x06DC},   {0x0900, 0x0902},
    {0x093C, 0x093C}, {0x0941, 0x0948}, {0x094D, 0x094D}, {0x0E31, 0x0E31},   {0x0E34, 0x0E3A},
    {0x0E47, 0x0E4E}, {0x1160, 0x11FF}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},   {0x200B, 0x200F},
    {0x202A, 0x202E}, {0x2060, 0x206F}, {0x20D0, 0x20FF}, {0x302A, 0x302D},   {0x3099, 0x309A},
    {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0100, 0xE01EF},
}};

// East Asian Wide and Fullwidth, and the emoji that terminals draw two columns wide.
constexpr std::array<Range, 24> kWide = {{
    {0x1100, 0x115F}, {0x231A, 0x231B}, {0x23E9, 0x23EC},   {0x25FD, 0x25FE},   {0x2614, 0x2615},
    {0x2648, 0x2653}, {0x26A1, 0x26A1}, {0x2705, 0x2705},   {0x2728, 0x2728},   {0x274C, 0x274C},
    {0x2753, 0x2755}, {0x2E80, 0x303E}, {0x3041, 0x33FF},   {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},
    {0xA000, 0xA4CF}, {0xA960, 0xA97F}, {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},
    {0xFF00, 0xFF60}, {0xFFE0, 0xFFE6}, {0x1F300, 0x1FAFF}, {0x20000, 0x3FFFD},
}};

size_t WidthOf(char32_t point) {
  if (point == kInvalid) return 1;
  if (point < 0x300) return 1;
  if (InRanges(kZeroWidth, point)) return 0;
  return InRanges(kWide, point) ? 2 : 1;
}

bool IsControl(char32_t point) { return point < 0x20 || (point >= 0x7F && point < 0xA0); }

// Characters that make a terminal draw others in another order or hide them.
bool Reorders(char32_t point) {
  return point == 0x200E || point == 0x200F || (point >= 0x202A && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069);
}

// The longest prefix of at most `width` columns, with the marks that belong to its last character.
std::string_view PrefixOfWidth(std::string_view text, size_t width) {
  size_t used = 0;
  size_t at = 0;
  while (at < text.size()) {
    size_t next = at;
    const size_t columns = WidthOf(Next(text, next));
    if (used + columns > width) break;
    used += columns;
    at = next;
  }
  return text.substr(0, at);
}

// Whether a line must not break between a number and this word: "92 %", "7.7 ms)."
bool IsUnitOf(std::string_view number, std::string_view word) {
  if (number.empty() || number.back() < '0' || number.back() > '9') return false;
  const size_t end = word.find_last_not_of(").,;:]");
  word = word.substr(0, end == std::string_view::npos ? 0 : end + 1);
  static constexpr std::array<std::string_view, 11> kUnits = {"%", "ns",  "µs",  "us",  "ms", "s",
                                                              "B", "KiB", "MiB", "GiB", "TiB"};
  return std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
}

// The longest suffix of at most `width` columns that does not begin with a combining mark.
std::string_view SuffixOfWidth(std::string_view text, size_t width) {
  size_t skip = DisplayWidth(text);
  skip = skip > width ? skip - width : 0;
  size_t dropped = 0;
  size_t at = 0;
  while (at < text.size()) {
    size_t next = at;
    const size_t columns = WidthOf(Next(text, next));
    if (dropped >= skip && columns > 0) break;
    dropped += columns;
    at = next;
  }
  return text.substr(at);
}

}  // namespace

size_t DisplayWidth(std::string_view text) {
  size_t width = 0;
  for (size_t at = 0; at < text.size();) width += WidthOf(Next(text, at));
  return width;
}

size_t CodePoints(std::string_view text) {
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) static_cast<void>(Next(text, at));
  return count;
}

std::string_view FirstCodePoints(std::string_view text, size_t count) {
  size_t at = 0;
  while (at < text.size() && count-- > 0) static_cast<void>(Next(text, at));
  return text.substr(0, at);
}

std::string_view LastCodePoints(std::string_view text, size_t count) {
  const size_t total = CodePoints(text);
  return count >= total ? text : text.substr(FirstCodePoints(text, total - count).size());
}

std::string Printable(std::string_view text, bool unicode) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t point = Next(text, at);
    if (point == '\t' || point == '\n' || point == '\r') {
      out += ' ';
    } else if (point < 0x7F && point >= 0x20) {
      out += static_cast<char>(point);
    } else if (!unicode) {
      out += '?';
    } else if (point == kInvalid || IsControl(point) || Reorders(point)) {
      out += kReplacement;
    } else {
      out += text.substr(start, at - start);
    }
  }
  return out;
}

std::string ShortenMiddle(std::string_view text, size_t width, bool unicode) {
  if (DisplayWidth(text) <= width) return std::string(text);
  const std::string_view mark = unicode ? "…" : "..";
  const size_t mark_width = DisplayWidth(mark);
  if (width <= mark_width) return std::string(PrefixOfWidth(text, width));
  const size_t room = width - mark_width;
  std::string out(PrefixOfWidth(text, room - room / 2));
  out += mark;
  out += SuffixOfWidth(text, width - DisplayWidth(out));
  return out;
}

namespace {

// Where the bracket that closes the text was opened; npos: it was not.
size_t OpeningOfLast(std::string_view text, char open, char close) {
  size_t depth = 0;
  for (size_t at = text.size(); at > 0;) {
    --at;
    if (text[at] == close) ++depth;
    if (text[at] == open && --depth == 0) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::string KernelName(std::string_view name, bool unicode) {
  constexpr std::string_view kVoid = "void ";
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  constexpr size_t kLongestArguments = 16;
  if (name.starts_with(kVoid)) name.remove_prefix(kVoid.size());
  if (name.ends_with(')')) {
    const size_t open = OpeningOfLast(name, '(', ')');
    // A blank before it: words in parentheses, no parameters.
    if (open != 0 && open != name.npos && name[open - 1] != ' ') name = name.substr(0, open);
  }
  std::string shown(name);
  if (shown.ends_with('>')) {
    const size_t open = OpeningOfLast(shown, '<', '>');
    if (open != 0 && open != shown.npos && shown.size() - open > kLongestArguments) {
      shown.resize(open);
      shown += unicode ? "<…>" : "<...>";
    }
  }
  for (size_t at = shown.find(kAnonymous); at != std::string::npos; at = shown.find(kAnonymous)) {
    shown.erase(at, kAnonymous.size());
  }
  return shown;
}

std::string PadRight(std::string_view text, size_t width) {
  std::string out(text);
  const size_t used = DisplayWidth(text);
  if (used < width) out.append(width - used, ' ');
  return out;
}

std::string PadLeft(std::string_view text, size_t width) {
  const size_t used = DisplayWidth(text);
  std::string out(used < width ? width - used : 0, ' ');
  out += text;
  return out;
}

std::vector<std::string> Wrap(std::string_view text, size_t width) {
  width = std::max<size_t>(width, 1);
  // Pieces that stay together: a word, or a number and its unit.
  std::vector<std::string> pieces;
  for (size_t at = 0; at < text.size();) {
    const size_t space = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, space - at);
    at = space + 1;
    if (word.empty()) continue;
    if (!pieces.empty() && IsUnitOf(pieces.back(), word)) {
      pieces.back() += ' ';
      pieces.back() += word;
    } else {
      pieces.emplace_back(word);
    }
  }

  std::vector<std::string> lines(1);
  size_t used = 0;
  for (std::string_view piece : pieces) {
    size_t columns = DisplayWidth(piece);
    if (used > 0 && used + 1 + columns > width) {
      lines.emplace_back();
      used = 0;
    }
    if (used > 0) lines.back() += ' ';
    while (columns > width) {
      // At least one character a line, also where a wide one does not fit.
      std::string_view part = PrefixOfWidth(piece, width);
      if (part.empty()) part = FirstCodePoints(piece, 1);
      lines.back() += part;
      piece.remove_prefix(part.size());
      columns = DisplayWidth(piece);
      if (piece.empty()) break;
      lines.emplace_back();
    }
    lines.back() += piece;
    used = DisplayWidth(lines.back());
  }
  return lines;
}

}  // namespace telltale
