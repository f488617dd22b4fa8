// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/call_arguments.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(CallArguments, ReadsTensorsScalarsAndLists) {
  const CallArguments arguments(
      R"([[8,16],[],[16],[],[[2,3],[4]]])",
      R"(["c10::BFloat16","ScalarList","float","Scalar",["float","c10::Half"]])",
      R"(["","[16, 2]","","True",""])");
  ASSERT_EQ(arguments.size(), 5U);
  ASSERT_NE(arguments.TensorAt(0), nullptr);
  EXPECT_EQ(arguments.TensorAt(0)->shape, (Shape{8, 16}));
  EXPECT_EQ(arguments.TensorAt(0)->bytes().value(), 256);
  EXPECT_EQ(arguments.TensorAt(1), nullptr);
  EXPECT_EQ(arguments.Integers(1), (std::vector<int64_t>{16, 2}));
  EXPECT_EQ(arguments.TensorAt(2)->type, NumberType::kFp32);
  EXPECT_EQ(arguments.Flag(3), true);
  ASSERT_EQ(arguments.ListAt(4).size(), 2U);
  EXPECT_EQ(arguments.ListAt(4)[1].type, NumberType::kFp16);
  EXPECT_EQ(arguments.TensorAt(9), nullptr);
  EXPECT_EQ(arguments.BytesOfTensors(0, 5).value(), 256 + 64);
}

TEST(CallArguments, ATensorWithoutAxesHasOneElement) {
  const CallArguments arguments("[[]]", R"(["double"])", R"([""])");
  EXPECT_EQ(arguments.TensorAt(0)->bytes().value(), 8);
}

TEST(CallArguments, AnUnknownTypeIsNoTensorOfKnownSize) {
  const CallArguments arguments("[[2],[2]]", R"(["Undefined thing","Scalar"])", "");
  EXPECT_EQ(arguments.TensorAt(0), nullptr);
  EXPECT_TRUE(arguments.IsUnknownTensor(0));
  EXPECT_FALSE(arguments.IsUnknownTensor(1));
  EXPECT_FALSE(arguments.HasConcrete());
}

TEST(CallArguments, ReadsFlagsAndNumbers) {
  const CallArguments arguments("[[],[],[]]", R"(["ScalarList","Scalar","Scalar"])",
                                R"(["[True, False]","-1","0.5"])");
  EXPECT_EQ(arguments.Flags(0), (std::vector<bool>{true, false}));
  EXPECT_EQ(arguments.Integer(1), -1);
  EXPECT_EQ(arguments.Integers(1), (std::vector<int64_t>{-1}));
  EXPECT_EQ(arguments.Integer(2), std::nullopt);
  EXPECT_EQ(arguments.Flags(1), std::nullopt);
}

TEST(CallArguments, BrokenTextsLeaveArgumentsOut) {
  for (const std::string_view dims :
       {"", "[", "[[", "[[1,", "x", "[x]", "[[1,x]]", "{\"a\":1}", "[[1]", "[[[[[[1]]]]]]"}) {
    for (const std::string_view types : {"", "[", "[\"float", "[\"float\"", "[[\"float\""}) {
      const CallArguments arguments(dims, types, "[\"");
      EXPECT_LE(arguments.size(), 1U) << dims;
    }
  }
}

TEST(CallArguments, HugeSizesHaveNoCount) {
  const CallArguments arguments("[[4611686018427387904,4]]", R"(["float"])", "");
  EXPECT_EQ(arguments.TensorAt(0)->elements().value(), std::nullopt);
  EXPECT_EQ(Elements({-3}).value(), std::nullopt);
  EXPECT_EQ((Count(INT64_MAX) + 1).value(), std::nullopt);
}

TEST(CallArguments, KnowsTorchsTypes) {
  EXPECT_EQ(NumberTypeOf("c10::Half"), NumberType::kFp16);
  EXPECT_EQ(NumberTypeOf("struct c10::Half"), NumberType::kFp16);
  EXPECT_EQ(NumberTypeOf("c10::Float8_e4m3fn"), NumberType::kFp8);
  EXPECT_EQ(NumberTypeOf("long int"), NumberType::kInt64);
  EXPECT_EQ(NumberTypeOf("Scalar"), std::nullopt);
  EXPECT_EQ(NameOf(NumberType::kBf16), "bf16");
}

}  // namespace
}  // namespace telltale
