// SPDX-License-Identifier: Apache-2.0
#include "views/render/table.h"

#include <sstream>

#include <gtest/gtest.h>

#include "views/render/display.h"

namespace telltale {
namespace {

using enum ColumnKind;

Table Operators() {
  Table table({{"operator", kName, TableColumn::kAlways, 12},
               {"calls", kNumber, 20},
               {"self ms", kNumber},
               {"share", kNumber, 90},
               {"", kBar, 15},
               {"total ms", kNumber, 10}});
  table.AddRow({{"aten::cudnn_convolution_backward"},
                {"318"},
                {"118.4"},
                {"62.1 %"},
                TableCell::Bar(1, Ink::kKernel),
                {"120.0"}});
  table.AddRow({{"aten::add_"},
                {"1,908"},
                {"19.0"},
                {"10.0 %"},
                TableCell::Bar(0.16, Ink::kKernel),
                {"19.0"}});
  return table;
}

TEST(Table, FitsFortyColumns) {
  EXPECT_EQ(Operators().Render({.width = 40}),
            "  operator        calls  self ms   share\n"
            "  aten::c…ckward    318    118.4  62.1 %\n"
            "  aten::add_      1,908     19.0  10.0 %\n");
}

TEST(Table, FitsEightyColumns) {
  EXPECT_EQ(Operators().Render({.width = 80}),
            "  operator                          calls  self ms   share              total ms\n"
            "  aten::cudnn_convolution_backward    318    118.4  62.1 %  ██████████     120.0\n"
            "  aten::add_                        1,908     19.0  10.0 %  █▋              19.0\n");
}

TEST(Table, FitsOneHundredAndTwentyColumns) {
  EXPECT_EQ(Operators().Render({.width = 120}),
            "  operator                          calls  self ms   share                            "
            "total ms\n"
            "  aten::cudnn_convolution_backward    318    118.4  62.1 %  ████████████████████████  "
            "   120.0\n"
            "  aten::add_                        1,908     19.0  10.0 %  ███▉                      "
            "    19.0\n");
}

TEST(Table, NoLineIsEverTooWide) {
  for (size_t width = 1; width <= 140; ++width) {
    std::istringstream lines(Operators().Render({.width = width}));
    for (std::string line; std::getline(lines, line);) {
      EXPECT_LE(DisplayWidth(line), width) << line;
    }
  }
}

TEST(Table, AlignsWideAndCombiningCharacters) {
  Table table({{"name", kName, TableColumn::kAlways, 6}, {"calls", kNumber}});
  table.AddRow({{"训练步骤训练步骤"}, {"1"}});
  table.AddRow({{"pre\u0301fill"}, {"20"}});
  EXPECT_EQ(table.Render({.width = 40}),
            "  name              calls\n"
            "  训练步骤训练步骤      1\n"
            "  pre\u0301fill              20\n");
  EXPECT_EQ(table.Render({.width = 18}),
            "  name       calls\n"
            "  训练…步骤      1\n"
            "  pre\u0301fill       20\n");
}

TEST(Table, WrapsProse) {
  Table table({{"kind", kText}, {"what it means", kProse, TableColumn::kAlways, 10}});
  table.AddRow({{"truncated", Ink::kWarning}, {"the file ends in the middle of the document"}});
  EXPECT_EQ(table.Render({.width = 40}),
            "  kind       what it means\n"
            "  truncated  the file ends in the middle\n"
            "             of the document\n");
}

TEST(Table, ColoursCellsButNotTheirPaddingAtTheEnd) {
  Table table({{"a", kText}, {"b", kText}});
  table.AddRow({{"x", Ink::kKernel}, {"y"}});
  EXPECT_EQ(table.Render({.width = 40, .color = true}, 0),
            "\x1b[2ma\x1b[0m  \x1b[2mb\x1b[0m\n"
            "\x1b[38;5;36mx\x1b[0m  y\n");
}

TEST(Table, AsciiWhereUnicodeIsNotWanted) {
  const std::string text = Operators().Render({.width = 60, .color = false, .unicode = false});
  for (const char c : text) EXPECT_LT(static_cast<unsigned char>(c), 0x80) << text;
}

TEST(RenderBar, HasEighths) {
  EXPECT_EQ(RenderBar(1, 4, true), "████");
  EXPECT_EQ(RenderBar(0.5, 3, true), "█▌ ");
  EXPECT_EQ(RenderBar(0.0001, 3, true), "▏  ");
  EXPECT_EQ(RenderBar(0, 3, true), "   ");
  EXPECT_EQ(RenderBar(7, 2, true), "██");
  EXPECT_EQ(RenderBar(0.5, 4, false), "##  ");
}

}  // namespace
}  // namespace telltale
