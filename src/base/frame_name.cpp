// SPDX-License-Identifier: Apache-2.0
#include "base/frame_name.h"

#include <charconv>
#include <utility>

namespace telltale {

namespace {

std::optional<int64_t> LineNumber(std::string_view digits) {
  if (digits.empty() || digits.front() == '-') return std::nullopt;
  int64_t line = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), line);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return line;
}

// Where the blank before the last parenthesis stands; folders may have parentheses of their own:
// f (/home/a/work (copy)/job.py:12).
size_t PlaceBegin(std::string_view text) {
  size_t depth = 0;
  for (size_t at = text.size(); at-- > 1;) {
    if (text[at] == ')') ++depth;
    if (text[at] == '(' && --depth == 0) {
      if (text[at - 1] == ' ') return at - 1;
      break;
    }
  }
  return text.rfind(" (");
}

// What Python calls code that came from no file.
bool IsCodeWithoutFile(std::string_view place) {
  return place.ends_with('>') && (place.starts_with("<frozen ") || place == "<string>" ||
                                  place == "<stdin>" || place.starts_with("<ipython-input-"));
}

// What is mapped but no file: [kernel.kallsyms], [vdso], [ext4].
bool IsMapping(std::string_view place) {
  return place.size() > 2 && place.starts_with('[') && place.ends_with(']') &&
         place.find_first_of(" :,") == std::string_view::npos;
}

// name (place)
std::optional<FrameName> WithPlaceBehind(std::string_view text) {
  if (text.empty() || text.back() != ')') return std::nullopt;
  const size_t open = PlaceBegin(text);
  if (open == std::string_view::npos || open == 0) return std::nullopt;
  FrameName frame;
  frame.name = text.substr(0, open);
  const std::string_view place = text.substr(open + 2, text.size() - open - 3);
  if (const size_t colon = place.rfind(':'); colon != std::string_view::npos && colon > 0) {
    if (const auto line = LineNumber(place.substr(colon + 1))) {
      frame.file = place.substr(0, colon);
      frame.line = line;
      return frame;
    }
  }
  // Without a line it might as well be the end of a C++ name: f(int) (inlined).
  if (place.find(".so") != std::string_view::npos || IsMapping(place)) {
    frame.module = place;
  } else if (place.ends_with(".py") || place.starts_with('/') || IsCodeWithoutFile(place)) {
    frame.file = place;
  } else {
    return std::nullopt;
  }
  return frame;
}

// file(12): name. One pass: names may be megabytes long.
std::optional<FrameName> WithPlaceBefore(std::string_view text) {
  constexpr size_t kNone = std::string_view::npos;
  size_t open = kNone;
  for (size_t at = 0; at + 3 < text.size(); ++at) {
    if (text[at] == '(') open = at;
    if (text[at] != ')') continue;
    const size_t begin = std::exchange(open, kNone);
    const bool is_place = text[at + 1] == ':' && (text[at + 2] == ' ' || text[at + 2] == '_');
    // "thread (12): main" is py-spy's name of a thread.
    if (!is_place || begin == kNone || begin == 0 || text[begin - 1] == ' ') continue;
    if (const auto line = LineNumber(text.substr(begin + 1, at - begin - 1))) {
      return FrameName{text.substr(at + 3), text.substr(0, begin), line, {}};
    }
  }
  return std::nullopt;
}

}  // namespace

FrameName SplitFrameName(std::string_view text) {
  if (const auto frame = WithPlaceBehind(text)) return *frame;
  if (const auto frame = WithPlaceBefore(text)) return *frame;
  return {text, {}, std::nullopt, {}};
}

std::string PlaceOf(const FrameName& frame) {
  if (frame.file.empty() || !frame.line) return {};
  std::string place(frame.file.substr(frame.file.find_last_of("/\\") + 1));
  return place + ":" + std::to_string(*frame.line);
}

std::string WithoutAddress(std::string_view name) {
  std::string text(name);
  constexpr std::string_view kMark = " at 0x";
  const size_t at = text.find(kMark);
  if (at == std::string::npos || !text.starts_with('<')) return text;
  const size_t end = text.find_first_not_of("0123456789abcdefABCDEF", at + kMark.size());
  text.erase(at, (end == std::string::npos ? text.size() : end) - at);
  return text;
}

}  // namespace telltale
