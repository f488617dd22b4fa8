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

TEST(Protobuf, ReadsNumbersOfAFixedSizeAndRefusesAGroupWithoutEnd) {
  MessageReader fixed(std::string_view("\x09\1\0\0\0\0\0\0\0\x15\2\0\0\0\x0b", 15));
  ASSERT_TRUE(fixed.Next());
  EXPECT_EQ(fixed.field().value, 1U);
  ASSERT_TRUE(fixed.Next());
  EXPECT_EQ(fixed.field().value, 2U);
  EXPECT_FALSE(fixed.Next());
  EXPECT_TRUE(fixed.bad());
}

TEST(Protobuf, PassesOverGroups) {
  // 1: 7, group 2 { 3: 1, group 4 { 5: "x" } }, 6: 9
  const std::string_view message("\x08\x07\x13\x18\x01\x23\x2a\x01x\x24\x14\x30\x09", 13);
  MessageReader reader(message);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field().number, 1U);
  ASSERT_TRUE(reader.Next());
  EXPECT_EQ(reader.field().number, 6U);
  EXPECT_EQ(reader.field().value, 9U);
  EXPECT_FALSE(reader.Next());
  EXPECT_FALSE(reader.bad());
  for (size_t cut = 3; cut < 11; ++cut) {
    MessageReader short_reader(message.substr(0, cut));
    ASSERT_TRUE(short_reader.Next());
    EXPECT_FALSE(short_reader.Next()) << cut;
    EXPECT_TRUE(short_reader.bad()) << cut;
  }
}

TEST(Protobuf, RefusesGroupsThatEndOthersOrNestWithoutEnd) {
  MessageReader other("\x13\x1c");
  EXPECT_FALSE(other.Next());
  EXPECT_TRUE(other.bad());
  MessageReader end("\x14");
  EXPECT_FALSE(end.Next());
  EXPECT_TRUE(end.bad());
  const std::string deep(100'000, '\x13');
  MessageReader reader(deep);
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.bad());
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
