// SPDX-License-Identifier: Apache-2.0
#include "base/protobuf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace telltale::protobuf {
namespace {

TEST(Protobuf, KnowsTheLimitsOfANumber) {
  std::string_view bytes = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01rest";
  EXPECT_EQ(TakeVarint(bytes), UINT64_MAX);
  EXPECT_EQ(bytes, "rest");
  std::string_view endless = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01";
  EXPECT_EQ(TakeVarint(endless), std::nullopt);
  std::string_view cut = "\x80";
  EXPECT_EQ(TakeVarint(cut), std::nullopt);
}

TEST(Protobuf, ReadsNumbersOfAFixedSizeAndRefusesGroups) {
  MessageReader fixed(std::string_view("\x09\1\0\0\0\0\0\0\0\x15\2\0\0\0\x0b", 15));
  ASSERT_TRUE(fixed.Next());
  EXPECT_EQ(fixed.field().value, 1U);
  ASSERT_TRUE(fixed.Next());
  EXPECT_EQ(fixed.field().value, 2U);
  EXPECT_FALSE(fixed.Next());
  EXPECT_TRUE(fixed.bad());
}

TEST(Protobuf, BytesHaveNoNumberOfTheFieldBefore) {
  MessageReader reader("\x08\x07\x12\x01x");
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field().value, 7U);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field().bytes, "x");
  EXPECT_EQ(reader.field().value, 0U);
}

TEST(Protobuf, SaysThatAPackedListIsDamaged) {
  MessageWriter out;
  out.Bytes(1, "\x01\x80");
  MessageReader reader(out.bytes());
  ASSERT_TRUE(reader.Next());
  std::vector<uint64_t> numbers;
  EXPECT_FALSE(ForEachNumber(reader.field(), WireType::kVarint,
                             [&](uint64_t number) { numbers.push_back(number); }));
  EXPECT_EQ(numbers, std::vector<uint64_t>{1});
}

TEST(Protobuf, WritesWhatItReads) {
  MessageWriter out;
  const size_t mark = out.Begin(3);
  out.Uint(1, 300);
  out.Bytes(2, std::string(200, 'x'));
  out.End(mark);
  MessageReader reader(out.bytes());
  ASSERT_TRUE(reader.Next());
  MessageReader inner(reader.field().bytes);
  ASSERT_TRUE(inner.Next());
  EXPECT_EQ(inner.field().value, 300U);
  ASSERT_TRUE(inner.Next());
  EXPECT_EQ(inner.field().bytes, std::string(200, 'x'));
  EXPECT_FALSE(inner.Next());
  EXPECT_FALSE(inner.bad());
}

}  // namespace
}  // namespace telltale::protobuf
