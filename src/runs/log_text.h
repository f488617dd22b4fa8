// SPDX-License-Identifier: Apache-2.0
// A line of a log, as text: when it was written, how grave it is, and what a terminal would show of
// it. Knows no file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace telltale {

enum class LogLevel : uint8_t { kPlain, kWarning, kError };
[[nodiscard]] constexpr std::string_view NameOf(LogLevel level) {
  return level == LogLevel::kError ? "error" : level == LogLevel::kWarning ? "warning" : "plain";
}

struct LogLine {
  std::optional<int64_t> time_ns;  // since 1970
  std::string_view text;           // behind the time and one space
};

// So many bytes of a line decide on its time and its level.
constexpr size_t kLogHeadBytes = 256;

// "2026-11-15T20:45:01.123Z TEXT", as Telltale writes it. A time that does not say its zone is
// part of the text: nobody knows which moment it is.
[[nodiscard]] LogLine SplitLogTime(std::string_view line);

// By the first word that names a level (INFO, WARNING, ERROR …), by an exception's name before a
// colon, or by the head of a traceback. Words in small letters are prose.
[[nodiscard]] LogLevel LevelOf(std::string_view text);

// Of text that a carriage return overwrites, what stands there in the end.
[[nodiscard]] std::string_view AfterReturns(std::string_view text);

// Without escape sequences of terminals: what a search looks at.
[[nodiscard]] std::string WithoutEscapes(std::string_view text);

}  // namespace telltale
