// SPDX-License-Identifier: Apache-2.0
#include "views/render/terminal.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TerminalFacts ATerminal() {
  TerminalFacts facts;
  facts.is_terminal = true;
  facts.columns = 97;
  facts.term = "xterm-256color";
  facts.locale = "en_GB.UTF-8";
  return facts;
}

TEST(ChooseStyle, TakesTheTerminalAsItIs) {
  const OutputStyle style = ChooseStyle({}, ATerminal());
  EXPECT_EQ(style.width, 97u);
  EXPECT_TRUE(style.color);
  EXPECT_TRUE(style.unicode);
}

TEST(ChooseStyle, APipeHasNoColourAndIs120Wide) {
  TerminalFacts facts;
  facts.locale = "C.UTF-8";
  const OutputStyle style = ChooseStyle({}, facts);
  EXPECT_EQ(style.width, 120u);
  EXPECT_FALSE(style.color);
  EXPECT_TRUE(style.unicode);
  facts.columns_setting = "70";
  EXPECT_EQ(ChooseStyle({}, facts).width, 70u);
}

TEST(ChooseStyle, RequestsWin) {
  EXPECT_EQ(ChooseStyle({.width = 200}, ATerminal()).width, 200u);
  EXPECT_FALSE(ChooseStyle({.color = ColorChoice::kNever}, ATerminal()).color);
  EXPECT_TRUE(ChooseStyle({.color = ColorChoice::kAlways}, TerminalFacts{}).color);
}

TEST(ChooseStyle, HonoursNoColorAndDumbTerminals) {
  TerminalFacts facts = ATerminal();
  facts.no_color = "1";
  EXPECT_FALSE(ChooseStyle({}, facts).color);
  EXPECT_TRUE(ChooseStyle({.color = ColorChoice::kAlways}, facts).color);
  facts = ATerminal();
  facts.term = "dumb";
  EXPECT_FALSE(ChooseStyle({}, facts).color);
}

TEST(ChooseStyle, AsciiUnlessTheLocaleIsUtf8) {
  TerminalFacts facts = ATerminal();
  for (const char* locale : {"", "C", "POSIX", "de_DE.ISO-8859-1"}) {
    facts.locale = locale;
    EXPECT_FALSE(ChooseStyle({}, facts).unicode) << locale;
  }
  facts.locale = "C.utf8";
  EXPECT_TRUE(ChooseStyle({}, facts).unicode);
}

TEST(ChooseStyle, NonsenseWidthsDoNoHarm) {
  TerminalFacts facts = ATerminal();
  facts.columns = 3;
  EXPECT_EQ(ChooseStyle({}, facts).width, kSmallestWidth);
  facts.columns = 0;
  facts.columns_setting = "wide";
  EXPECT_EQ(ChooseStyle({}, facts).width, 80u);
}

}  // namespace
}  // namespace telltale
