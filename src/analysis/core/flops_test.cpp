// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/flops.h"

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

constexpr const char* kConcrete = R"(["","","","[2, 2]","[3, 3]","[1, 1]","1"])";

TEST(Flops, MatrixProducts) {
  EXPECT_EQ(Flops("aten::mm", "[[3,4],[4,5]]", "", ""), 2 * 3 * 4 * 5);
  EXPECT_EQ(Flops("aten::addmm", "[[5],[3,4],[4,5],[],[]]", "", ""), 2 * 3 * 4 * 5);
  EXPECT_EQ(Flops("aten::bmm", "[[2,3,4],[2,4,5]]", "", ""), 2 * 2 * 3 * 4 * 5);
  EXPECT_EQ(Flops("aten::baddbmm", "[[2,3,5],[2,3,4],[2,4,5]]", "", ""), 2 * 2 * 3 * 4 * 5);
  EXPECT_EQ(Flops("aten::mm", "[[3,4],[4]]", "", ""), 0);
}

TEST(Flops, ElementwiseCountsTheFirstTensor) {
  EXPECT_EQ(Flops("aten::add", "[[6,7],[6,7],[]]", R"(["float","float","Scalar"])", ""), 42);
  EXPECT_EQ(Flops("aten::mul", "[[],[5]]", R"(["float","float"])", ""), 1);
  EXPECT_EQ(Flops("aten::mul", "[[],[5]]", R"(["Scalar","float"])", ""), 0);
  EXPECT_EQ(Flops("aten::mul", "[[],[5]]", R"(["","float"])", ""), 0);
  EXPECT_EQ(Flops("aten::add", "[[6,7]]", "", ""), std::nullopt);
}

TEST(Flops, Conv2dFollowsStridePaddingDilationAndGroups) {
  // resnet18's first layer: 224 -> 112
  EXPECT_EQ(Flops("aten::conv2d", "[[1,3,224,224],[64,3,7,7],[],[],[],[],[]]", "", kConcrete),
            2LL * 112 * 112 * 7 * 7 * 3 * 64);
  EXPECT_EQ(Flops("aten::conv2d", "[[2,8,10,10],[8,1,3,3],[]]", "",
                  R"(["","","","[1]","[0]","[1]","8"])"),
            2LL * 2 * 8 * 8 * 3 * 3 * 8 * 8 / 8);
  EXPECT_EQ(Flops("aten::conv2d", "[[2,8,10,10],[8,8,3,3]]", "", ""), std::nullopt);
  EXPECT_EQ(Flops("aten::conv2d", "[[2,8,10,10],[8,8,3,3]]", "",
                  R"(["","","","[0, 0]","[0, 0]","[1, 1]","1"])"),
            std::nullopt);
}

TEST(Flops, OverloadSuffixIsIgnoredAndOtherNamesHaveNone) {
  EXPECT_EQ(Flops("aten::mm.out", "[[3,4],[4,5]]", "", ""), 120);
  EXPECT_EQ(Flops("aten::relu", "[[3,4]]", "", ""), std::nullopt);
  EXPECT_TRUE(HasFlopsFormula("aten::add.Tensor"));
  EXPECT_FALSE(HasFlopsFormula("aten::add_"));
}

TEST(Flops, DamagedOrHostileTextsGiveNone) {
  for (const char* dims : {"", "[]", "[", "[[", "[[3,4]", "[[3,4],", "[[3,4],[4,5", "[[3,x],[4,5]]",
                           "[3,4]", "{}", "[[99999999999999999999,1],[1,1]]",
                           "[[4611686018427387904,4],[4,4]]", "[\"a\\", "[[[2,3]],[[3,4]]]"}) {
    EXPECT_EQ(Flops("aten::mm", dims, "", ""), std::nullopt) << dims;
  }
  EXPECT_EQ(Flops("aten::conv2d", "[[1,1,9223372036854775807,2],[1,1,9223372036854775807,2]]", "",
                  kConcrete),
            std::nullopt);
}

TEST(Flops, TableKeepsCombinationsApart) {
  TraceBuilder b;
  FlopsTable table(b.trace());
  OperatorDetail detail;
  detail.input_dims = b.Text("[[6,7],[6,7]]");
  detail.input_types = b.Text(R"(["float","float"])");
  EXPECT_EQ(table.Of(b.Text("aten::add"), detail), 42);
  EXPECT_EQ(table.Of(b.Text("aten::mm"), detail), 2 * 6 * 7 * 7);
  detail.input_types = b.Text(R"(["Scalar","float"])");
  EXPECT_EQ(table.Of(b.Text("aten::add"), detail), 0);
  EXPECT_EQ(table.Of(b.Text("aten::relu"), detail), std::nullopt);
}

}  // namespace
}  // namespace telltale
