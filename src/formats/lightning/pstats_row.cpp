// SPDX-License-Identifier: Apache-2.0
#include "formats/lightning/pstats_row.h"

#include <charconv>
#include <cmath>
#include <vector>

namespace telltale::lightning {

namespace {

template <typename T>
bool ParseAll(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// The first word, taken from `rest`.
std::string_view TakeWord(std::string_view& rest) {
  while (!rest.empty() && IsBlank(rest.front())) rest.remove_prefix(1);
  size_t end = 0;
  while (end < rest.size() && !IsBlank(rest[end])) ++end;
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

// total/primitive where they differ.
bool ParseCalls(std::string_view text, PstatsRow& row) {
  const size_t slash = text.find('/');
  if (!ParseAll(text.substr(0, slash), row.calls)) return false;
  row.primitive_calls = row.calls;
  const bool good =
      slash == std::string_view::npos || ParseAll(text.substr(slash + 1), row.primitive_calls);
  return good && row.calls >= 0 && row.primitive_calls >= 0;
}

// file:12(name), or {built-in …}, which stands for ('~', 0, '<built-in …>').
bool ParseFunction(std::string_view text, PstatsRow& row) {
  if (text.size() > 2 && text.front() == '{' && text.back() == '}') {
    row.file = "~";
    row.name = "<" + std::string(text.substr(1, text.size() - 2)) + ">";
    return true;
  }
  if (text.empty() || text.back() != ')') return false;
  for (size_t colon = text.find(':'); colon != std::string_view::npos;
       colon = text.find(':', colon + 1)) {
    size_t open = colon + 1;
    while (open < text.size() && text[open] >= '0' && text[open] <= '9') ++open;
    if (open == colon + 1 || open >= text.size() || text[open] != '(') continue;
    if (!ParseAll(text.substr(colon + 1, open - colon - 1), row.line)) continue;
    row.file = text.substr(0, colon);
    row.name = text.substr(open + 1, text.size() - open - 2);
    return true;
  }
  return false;
}

}  // namespace

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> ParseNumber(std::string_view text) {
  // In nanoseconds it has to fit into 64 bits.
  constexpr double kMost = 9e9;
  double value = 0;
  if (!ParseAll(text, value) || !(std::abs(value) <= kMost)) return std::nullopt;
  return value;
}

bool IsPstatsHeader(std::string_view line) {
  std::string_view rest = line;
  for (const std::string_view word :
       {"ncalls", "tottime", "percall", "cumtime", "percall", "filename:lineno(function)"}) {
    if (TakeWord(rest) != word) return false;
  }
  return Trimmed(rest).empty();
}

std::optional<PstatsRow> ParsePstatsRow(std::string_view line) {
  PstatsRow row;
  std::string_view rest = line;
  if (!ParseCalls(TakeWord(rest), row)) return std::nullopt;
  // A time per call is blank where there was no call.
  std::vector<double> numbers;
  while (numbers.size() < 4) {
    std::string_view ahead = rest;
    const auto number = ParseNumber(TakeWord(ahead));
    if (!number) break;
    numbers.push_back(*number);
    rest = ahead;
  }
  if (numbers.size() < 2) return std::nullopt;
  row.self_s = numbers[0];
  row.total_s = numbers[numbers.size() == 2 ? 1 : 2];
  if (!ParseFunction(Trimmed(rest), row)) return std::nullopt;
  return row;
}

}  // namespace telltale::lightning
