// SPDX-License-Identifier: Apache-2.0
#include "views/render/display.h"

#include <gtest/gtest.h>

#include "base/utf8.h"

namespace telltale {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth(""), 0u);
  EXPECT_EQ(DisplayWidth("aten::mm"), 8u);
  EXPECT_EQ(DisplayWidth("12.3 µs"), 7u);
  EXPECT_EQ(DisplayWidth("训练步骤"), 8u);
  EXPECT_EQ(DisplayWidth("ｆｕｌｌ"), 8u);
  EXPECT_EQ(DisplayWidth("한국"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);  // combining acute
  EXPECT_EQ(DisplayWidth("a\u200Db"), 2u);
  EXPECT_EQ(DisplayWidth("🚀"), 2u);
  EXPECT_EQ(DisplayWidth("\xFF\xFE"), 2u);
}

TEST(CodePoints, CountLikePython) {
  EXPECT_EQ(CodePoints("训练"), 2u);
  EXPECT_EQ(FirstCodePoints("训练abc", 3), "训练a");
  EXPECT_EQ(LastCodePoints("训练abc", 4), "练abc");
  EXPECT_EQ(LastCodePoints("ab", 4), "ab");
}

TEST(KernelName, LeavesOutWhatASentenceDoesNotNeed) {
  const auto shown = [](std::string_view name) { return KernelName(name, true); };
  EXPECT_EQ(shown("volta_sgemm_64x64_nt"), "volta_sgemm_64x64_nt");
  EXPECT_EQ(shown("ncclDevKernel_Generic(ncclDevKernelArgsStorage<4096ul>)"),
            "ncclDevKernel_Generic");
  EXPECT_EQ(shown("void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, c10::BFloat16, "
                  "float, at::native::(anonymous namespace)::Epilogue>(float*, "
                  "(anonymous namespace)::Params<int (*)(int)>)"),
            "at::native::cunn_SoftMaxForward<…>");
  EXPECT_EQ(shown("void softmax<float, 4>(float*)"), "softmax<float, 4>");
  EXPECT_EQ(KernelName("void f<aaaaaaaa, bbbbbbbb, cc>(int)", false), "f<...>");
  EXPECT_EQ(shown("Memcpy HtoD (Pageable -> Device)"), "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(shown("Memset (Device)"), "Memset (Device)");
  for (const std::string_view same : {"(x)", "f)", "<aaaaaaaaaaaaaaaaaaaaaa>", ">", ")", ""}) {
    EXPECT_EQ(shown(same), same);
  }
}

TEST(Printable, DefusesWhatATerminalWouldObey) {
  EXPECT_EQ(Printable("\x1b[31mred\x07", true), "\uFFFD[31mred\uFFFD");
  EXPECT_EQ(Printable("a\tb\nc", true), "a b c");
  EXPECT_EQ(Printable("\xC2\x9B"
                      "2J",
                      true),
            "\uFFFD2J");                                   // C1 control sequence introducer
  EXPECT_EQ(Printable("x\u202Etxt", true), "x\uFFFDtxt");  // right-to-left override
  EXPECT_EQ(Printable("\xC3\x28", true), "\uFFFD(");       // not UTF-8
  EXPECT_EQ(Printable("训练 µ", true), "训练 µ");
}

TEST(Printable, KeepsToAsciiWhereAsked) {
  EXPECT_EQ(Printable("训练 µs", false), "?? ?s");
  EXPECT_EQ(Printable("plain", false), "plain");
}

TEST(ShortenMiddle, KeepsBothEnds) {
  EXPECT_EQ(ShortenMiddle("abcdefghij", 10, true), "abcdefghij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 7, true), "abc…hij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 6, true), "abc…ij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 7, false), "abc..ij");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 1, true), "a");
  EXPECT_EQ(ShortenMiddle("abcdefghij", 0, true), "");
}

TEST(ShortenMiddle, NeverCutsAWideCharacterInHalf) {
  for (size_t width = 0; width <= 12; ++width) {
    const std::string shortened = ShortenMiddle("训练步骤训练步骤", width, true);
    EXPECT_LE(DisplayWidth(shortened), width);
    EXPECT_EQ(RepairUtf8(shortened), shortened);
  }
  EXPECT_EQ(ShortenMiddle("训练步骤训练", 7, true), "训…训练");
}

TEST(ShortenMiddle, KeepsCombiningMarksWithTheirLetter) {
  EXPECT_EQ(ShortenMiddle("e\u0301bcdefgu\u0308", 5, true), "e\u0301b…gu\u0308");
}

TEST(Pad, FillsToColumns) {
  EXPECT_EQ(PadRight("训", 4), "训  ");
  EXPECT_EQ(PadLeft("训", 4), "  训");
  EXPECT_EQ(PadLeft("long", 2), "long");
}

TEST(Wrap, BreaksAtSpaces) {
  EXPECT_EQ(Wrap("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(Wrap("one  two", 20), (std::vector<std::string>{"one two"}));
  EXPECT_EQ(Wrap("", 10), (std::vector<std::string>{""}));
}

TEST(Wrap, KeepsNumbersWithTheirUnits) {
  EXPECT_EQ(Wrap("the GPU computes 92 % of it", 19),
            (std::vector<std::string>{"the GPU computes", "92 % of it"}));
  EXPECT_EQ(Wrap("for the loader (7.74 ms).", 20),
            (std::vector<std::string>{"for the loader", "(7.74 ms)."}));
  EXPECT_EQ(Wrap("step 12 was slow", 7), (std::vector<std::string>{"step 12", "was", "slow"}));
}

TEST(Wrap, CutsAWordLongerThanALine) {
  EXPECT_EQ(Wrap("a abcdefgh b", 3), (std::vector<std::string>{"a", "abc", "def", "gh", "b"}));
  EXPECT_EQ(Wrap("训训", 1), (std::vector<std::string>{"训", "训"}));
}

}  // namespace
}  // namespace telltale
