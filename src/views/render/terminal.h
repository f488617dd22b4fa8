// SPDX-License-Identifier: Apache-2.0
// What the place where output goes can show: its width, whether it takes colour, whether it takes
// more than ASCII. The rules are one pure function, so that they can be tested without a terminal.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace telltale {

struct OutputStyle {
  size_t width = 120;
  bool color = false;
  bool unicode = true;
};

enum class ColorChoice { kAutomatic, kAlways, kNever };

// What the user asked for on the command line.
struct StyleRequest {
  std::optional<size_t> width = std::nullopt;
  ColorChoice color = ColorChoice::kAutomatic;
};

// What the system says about an output.
struct TerminalFacts {
  bool is_terminal = false;
  size_t columns = 0;           // of the terminal; 0: not known
  std::string columns_setting;  // COLUMNS
  std::string no_color;         // NO_COLOR
  std::string term;             // TERM
  std::string locale;           // the first that is set of LC_ALL, LC_CTYPE, LANG
};

// Narrower than this nothing useful fits.
constexpr size_t kSmallestWidth = 40;
constexpr size_t kPipeWidth = 120;
constexpr size_t kUnknownTerminalWidth = 80;

[[nodiscard]] TerminalFacts FactsAbout(int file_descriptor);
[[nodiscard]] OutputStyle ChooseStyle(const StyleRequest& request, const TerminalFacts& facts);

}  // namespace telltale
