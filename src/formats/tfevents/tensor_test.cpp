// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/tensor.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/protobuf.h"

namespace telltale::tfevents {
namespace {

using protobuf::MessageWriter;
using testing::ElementsAre;

MessageWriter OfType(DataType type, const std::vector<int64_t>& shape) {
  MessageWriter out;
  out.Uint(tensor_field::kDtype, static_cast<uint64_t>(type));
  const size_t mark = out.Begin(tensor_field::kShape);
  for (const int64_t size : shape) {
    const size_t dim = out.Begin(2);
    out.Int(1, size);
    out.End(dim);
  }
  out.End(mark);
  return out;
}

template <typename T>
std::string Content(DataType type, std::vector<T> values) {
  MessageWriter out = OfType(type, {static_cast<int64_t>(values.size())});
  out.Bytes(tensor_field::kContent,
            {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  return std::string(out.bytes());
}

std::vector<double> Numbers(const std::string& tensor) {
  const Result<Tensor> decoded = DecodeTensor(tensor);
  if (!decoded) {
    ADD_FAILURE() << decoded.error().message;
    return {};
  }
  return decoded->numbers;
}

TEST(Tensor, ReadsRawBytesOfEveryType) {
  EXPECT_THAT(Numbers(Content<float>(DataType::kFloat, {1.5F, -2})), ElementsAre(1.5, -2));
  EXPECT_THAT(Numbers(Content<double>(DataType::kDouble, {0.1})), ElementsAre(0.1));
  EXPECT_THAT(Numbers(Content<int8_t>(DataType::kInt8, {-1, 7})), ElementsAre(-1, 7));
  EXPECT_THAT(Numbers(Content<uint8_t>(DataType::kUint8, {255})), ElementsAre(255));
  EXPECT_THAT(Numbers(Content<int16_t>(DataType::kInt16, {-300})), ElementsAre(-300));
  EXPECT_THAT(Numbers(Content<uint16_t>(DataType::kUint16, {60000})), ElementsAre(60000));
  EXPECT_THAT(Numbers(Content<int32_t>(DataType::kInt32, {-70000})), ElementsAre(-70000));
  EXPECT_THAT(Numbers(Content<uint32_t>(DataType::kUint32, {4000000000U})), ElementsAre(4e9));
  EXPECT_THAT(Numbers(Content<int64_t>(DataType::kInt64, {-5})), ElementsAre(-5));
  EXPECT_THAT(Numbers(Content<uint64_t>(DataType::kUint64, {uint64_t{1} << 63})),
              ElementsAre(std::ldexp(1, 63)));
  EXPECT_THAT(Numbers(Content<uint16_t>(DataType::kHalf, {0x3c00, 0xc000, 0x0001, 0x7c00})),
              ElementsAre(1, -2, std::ldexp(1, -24), HUGE_VAL));
  EXPECT_THAT(Numbers(Content<uint16_t>(DataType::kBfloat16, {0x3f80})), ElementsAre(1));
  EXPECT_THAT(Numbers(Content<uint8_t>(DataType::kBool, {0, 1})), ElementsAre(0, 1));
}

TEST(Tensor, ReadsTypedListsPackedOrNot) {
  MessageWriter floats = OfType(DataType::kFloat, {3});
  floats.Float(tensor_field::kFloat, 1);
  floats.Bytes(tensor_field::kFloat, std::string("\0\0\0\x40\0\0\x40\x40", 8));
  EXPECT_THAT(Numbers(std::string(floats.bytes())), ElementsAre(1, 2, 3));
  MessageWriter ints = OfType(DataType::kInt32, {2});
  ints.Int(tensor_field::kInt, -3);
  ints.Int(tensor_field::kInt, 4);
  EXPECT_THAT(Numbers(std::string(ints.bytes())), ElementsAre(-3, 4));
  MessageWriter half = OfType(DataType::kHalf, {2});
  half.Uint(tensor_field::kHalf, 0x3c00);
  half.Uint(tensor_field::kHalf, 0x3f800000);  // as torch writes it
  EXPECT_THAT(Numbers(std::string(half.bytes())), ElementsAre(1, 1));
}

TEST(Tensor, RepeatsTheLastNumberOfAShortList) {
  MessageWriter out = OfType(DataType::kDouble, {2, 2});
  out.Double(tensor_field::kDouble, 7);
  EXPECT_THAT(Numbers(std::string(out.bytes())), ElementsAre(7, 7, 7, 7));
}

TEST(Tensor, RefusesWhatDoesNotFitItsShape) {
  MessageWriter many = OfType(DataType::kDouble, {1});
  many.Double(tensor_field::kDouble, 1);
  many.Double(tensor_field::kDouble, 2);
  EXPECT_FALSE(DecodeTensor(many.bytes()));
  EXPECT_FALSE(DecodeTensor(OfType(DataType::kFloat, {int64_t{1} << 40}).bytes()));
  EXPECT_FALSE(DecodeTensor(OfType(DataType::kFloat, {int64_t{1} << 22}).bytes()));
  EXPECT_FALSE(
      DecodeTensor(OfType(DataType::kFloat, {int64_t{1} << 40, int64_t{1} << 40}).bytes()));
  EXPECT_FALSE(DecodeTensor(OfType(DataType::kFloat, {-1}).bytes()));
  EXPECT_FALSE(DecodeTensor(OfType(static_cast<DataType>(99), {1}).bytes()));
  EXPECT_FALSE(DecodeTensor("\xff"));
  MessageWriter bytes = OfType(DataType::kFloat, {1});
  bytes.Bytes(tensor_field::kContent, "abc");
  EXPECT_FALSE(DecodeTensor(bytes.bytes()));
}

TEST(Tensor, TellsSingleNumbers) {
  MessageWriter scalar = OfType(DataType::kDouble, {});
  scalar.Double(tensor_field::kDouble, 0.1);
  EXPECT_EQ(SingleNumber(scalar.bytes()), 0.1);
  MessageWriter one = OfType(DataType::kInt64, {1, 1});
  one.Int(tensor_field::kInt64, -9);
  EXPECT_EQ(SingleNumber(one.bytes()), -9);
  EXPECT_EQ(SingleNumber(Content<float>(DataType::kFloat, {2})), 2);
  EXPECT_EQ(SingleNumber(Content<float>(DataType::kFloat, {2, 3})), std::nullopt);
  EXPECT_EQ(SingleNumber(OfType(DataType::kFloat, {0}).bytes()), std::nullopt);
  MessageWriter text = OfType(DataType::kString, {});
  text.Bytes(tensor_field::kString, "x");
  EXPECT_EQ(SingleNumber(text.bytes()), std::nullopt);
}

TEST(Tensor, ReadsTexts) {
  MessageWriter text = OfType(DataType::kString, {2});
  text.Bytes(tensor_field::kString, "a");
  text.Bytes(tensor_field::kString, "b");
  const Result<Tensor> decoded = DecodeTensor(text.bytes());
  ASSERT_TRUE(decoded);
  EXPECT_THAT(decoded->strings, ElementsAre("a", "b"));
}

}  // namespace
}  // namespace telltale::tfevents
