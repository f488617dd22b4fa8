// SPDX-License-Identifier: Apache-2.0
#include "runs/log_text.h"

#include <algorithm>

#include "base/digits.h"
#include "runs/run_settings.h"

namespace telltale {

namespace {

constexpr char kEscape = '\x1b';

bool IsLetter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }

// "2026-11-15T20:45:01": where letters and digits must be.
constexpr std::string_view kShape = "0000-00-00T00:00:00";

bool HasShape(std::string_view line) {
  if (line.size() < kShape.size()) return false;
  for (size_t i = 0; i < kShape.size(); ++i) {
    const char want = kShape[i];
    const bool fits = want == '0'   ? IsDigit(line[i])
                      : want == 'T' ? line[i] == 'T' || line[i] == ' '
                                    : line[i] == want;
    if (!fits) return false;
  }
  return true;
}

// How long the zone at the front is; 0: there is none.
size_t ZoneLength(std::string_view text) {
  if (text.empty()) return 0;
  if (text[0] == 'Z') return 1;
  if (text[0] != '+' && text[0] != '-') return 0;
  const auto digits = [&](size_t at) {
    return text.size() >= at + 2 && IsDigit(text[at]) && IsDigit(text[at + 1]);
  };
  if (!digits(1)) return 0;
  if (text.size() > 3 && text[3] == ':') return digits(4) ? 6 : 0;
  return digits(3) ? 5 : 3;
}

// Bytes of the escape sequence at the front, whose first byte is the escape; one that is not whole
// ends with the text.
size_t EscapeLength(std::string_view text) {
  if (text.size() < 2) return text.size();
  size_t at = 2;
  if (text[1] == '[') {  // CSI: parameters, then one byte from '@' to '~'
    while (at < text.size() && (text[at] < '@' || text[at] > '~')) ++at;
    return std::min(at + 1, text.size());
  }
  if (text[1] == ']' || text[1] == 'P' || text[1] == '_' || text[1] == '^') {
    // OSC and the like: up to BEL or ESC backslash
    for (; at < text.size(); ++at) {
      if (text[at] == '\a') return at + 1;
      if (text[at] == kEscape) return std::min(at + 2, text.size());
    }
    return text.size();
  }
  if (text[1] == '(' || text[1] == ')' || text[1] == '#') return std::min<size_t>(3, text.size());
  return 2;
}

// nullopt: the word says nothing.
std::optional<LogLevel> LevelOfWord(std::string_view word, std::string_view behind) {
  if (word == "ERROR" || word == "CRITICAL" || word == "FATAL") return LogLevel::kError;
  if (word == "WARNING" || word == "WARN") return LogLevel::kWarning;
  if (word == "INFO" || word == "DEBUG" || word == "NOTICE" || word == "TRACE") {
    return LogLevel::kPlain;
  }
  const bool ends_name = behind.empty() || behind[0] == ':';
  if (ends_name && (word.ends_with("Error") || word.ends_with("Exception"))) {
    return LogLevel::kError;
  }
  if (word.ends_with("Warning") && behind.starts_with(':')) return LogLevel::kWarning;
  if (word == "Traceback" && behind.starts_with(" (most")) return LogLevel::kError;
  return std::nullopt;
}

}  // namespace

LogLine SplitLogTime(std::string_view line) {
  if (!HasShape(line)) return {std::nullopt, line};
  size_t at = kShape.size();
  if (at < line.size() && line[at] == '.') {
    ++at;
    while (at < line.size() && IsDigit(line[at])) ++at;
  }
  const size_t zone = ZoneLength(line.substr(at));
  const size_t end = at + zone;
  if (zone == 0 || (end < line.size() && line[end] != ' ' && line[end] != '\t')) {
    return {std::nullopt, line};
  }
  const std::optional<int64_t> time = ParseTime(line.substr(0, end));
  if (!time) return {std::nullopt, line};
  return {time, line.substr(std::min(end + 1, line.size()))};
}

LogLevel LevelOf(std::string_view text) {
  text = text.substr(0, kLogHeadBytes);
  while (!text.empty()) {
    if (text[0] == kEscape) {
      text.remove_prefix(EscapeLength(text));
      continue;
    }
    if (!IsLetter(text[0])) {
      text.remove_prefix(1);
      continue;
    }
    size_t end = 1;
    while (end < text.size() && (IsLetter(text[end]) || IsDigit(text[end]) || text[end] == '_')) {
      ++end;
    }
    if (const auto level = LevelOfWord(text.substr(0, end), text.substr(end))) return *level;
    text.remove_prefix(end);
  }
  return LogLevel::kPlain;
}

std::string_view AfterReturns(std::string_view text) {
  while (text.ends_with('\r')) text.remove_suffix(1);
  const size_t last = text.rfind('\r');
  return last == std::string_view::npos ? text : text.substr(last + 1);
}

std::string WithoutEscapes(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t plain = std::min(text.find(kEscape), text.size());
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (!text.empty()) text.remove_prefix(EscapeLength(text));
  }
  return out;
}

}  // namespace telltale
