// SPDX-License-Identifier: Apache-2.0
#include "views/render/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>

namespace telltale {

namespace {

std::string Setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

bool NamesUtf8(std::string locale) {
  std::transform(locale.begin(), locale.end(), locale.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
}

size_t ParseColumns(const std::string& text) {
  size_t columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  return error == std::errc() && end == text.data() + text.size() ? columns : 0;
}

size_t ChooseWidth(const StyleRequest& request, const TerminalFacts& facts) {
  if (request.width) return *request.width;
  const size_t setting = ParseColumns(facts.columns_setting);
  if (facts.is_terminal) {
    if (facts.columns > 0) return facts.columns;
    return setting > 0 ? setting : kUnknownTerminalWidth;
  }
  return setting > 0 ? setting : kPipeWidth;
}

bool ChooseColor(const StyleRequest& request, const TerminalFacts& facts) {
  switch (request.color) {
    case ColorChoice::kAlways:
      return true;
    case ColorChoice::kNever:
      return false;
    case ColorChoice::kAutomatic:
      break;
  }
  // https://no-color.org: set and not empty.
  return facts.is_terminal && facts.no_color.empty() && facts.term != "dumb";
}

}  // namespace

TerminalFacts FactsAbout(int file_descriptor) {
  TerminalFacts facts;
  facts.is_terminal = ::isatty(file_descriptor) == 1;
  winsize size = {};
  if (facts.is_terminal && ::ioctl(file_descriptor, TIOCGWINSZ, &size) == 0) {
    facts.columns = size.ws_col;
  }
  facts.columns_setting = Setting("COLUMNS");
  facts.no_color = Setting("NO_COLOR");
  facts.term = Setting("TERM");
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    facts.locale = Setting(name);
    if (!facts.locale.empty()) break;
  }
  return facts;
}

OutputStyle ChooseStyle(const StyleRequest& request, const TerminalFacts& facts) {
  OutputStyle style;
  style.width = std::max(ChooseWidth(request, facts), kSmallestWidth);
  style.color = ChooseColor(request, facts);
  style.unicode = NamesUtf8(facts.locale);
  return style;
}

}  // namespace telltale
