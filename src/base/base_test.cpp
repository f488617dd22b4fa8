// SPDX-License-Identifier: Apache-2.0
// Columns, the string pool, diagnostics and the JSON writer.
#include <array>
#include <string>

#include <gtest/gtest.h>

#include "base/column.h"
#include "base/diagnostics.h"
#include "base/hash_index.h"
#include "base/json_writer.h"
#include "base/large_pages.h"
#include "base/string_pool.h"

namespace telltale {
namespace {

TEST(Column, KeepsItsValuesWhileItGrowsPastItsOwnPages) {
  Column<uint64_t> column;
  for (uint64_t i = 0; i < 1'000'000; ++i) column.push_back(i * 3);
  ASSERT_EQ(column.size(), 1'000'000U);
  for (uint64_t i = 0; i < column.size(); i += 997) ASSERT_EQ(column[i], i * 3);
  Column<uint64_t> moved = std::move(column);
  EXPECT_EQ(moved[999'999], 2'999'997U);
  moved.resize(1'000'002);
  EXPECT_EQ(moved[1'000'001], 0U);
}

TEST(Column, GrowsAfterRoomInLargePagesWasReserved) {
  struct Odd {
    std::array<char, 24> bytes;
  };
  Column<Odd> column;
  const size_t reserved = (size_t{5} << 20) / sizeof(Odd) + 1;  // not a whole number of pages
  ReserveLarge(column, reserved);
  for (size_t i = 0; i < reserved * 2; ++i) column.push_back({{static_cast<char>(i)}});
  EXPECT_EQ(column[reserved * 2 - 1].bytes[0], static_cast<char>(reserved * 2 - 1));
}

TEST(HashIndex, FindsEntriesThoughTheirHashesAreEqual) {
  std::vector<int> entries;
  HashIndex index;
  EXPECT_EQ(index.Find(0, [](uint32_t) { return true; }), HashIndex::kNone);
  const auto number_of = [&](int value) {
    return index.FindOrAdd(
        static_cast<uint64_t>(value) % 7, [&](uint32_t entry) { return entries[entry] == value; },
        [&] { entries.push_back(value); });
  };
  for (int round = 0; round < 2; ++round) {
    for (int value = 0; value < 1000; ++value) {
      ASSERT_EQ(number_of(value), static_cast<uint32_t>(value));
    }
  }
  EXPECT_EQ(index.size(), 1000U);
  index.Reserve(100'000);
  EXPECT_EQ(number_of(999), 999U);
  EXPECT_EQ(index.Find(3, [&](uint32_t entry) { return entries[entry] == 10; }), 10U);
  EXPECT_EQ(index.Find(3, [](uint32_t) { return false; }), HashIndex::kNone);
}

TEST(StringPool, GivesEqualTextsEqualIds) {
  StringPool pool;
  EXPECT_EQ(pool.Intern(""), kEmptyString);
  const StringId a = pool.Intern("aten::mm");
  EXPECT_EQ(pool.Intern("aten::mm"), a);
  EXPECT_EQ(pool.Find("aten::mm"), a);
  EXPECT_EQ(pool.Find("aten::bmm"), kNoString);
  for (int i = 0; i < 50'000; ++i) pool.Intern("name " + std::to_string(i));
  EXPECT_EQ(pool.Get(a), "aten::mm");
  EXPECT_EQ(pool.size(), 50'002U);
  EXPECT_EQ(pool.Get(kNoString), "");
  const std::string large(1 << 20, 'x');
  EXPECT_EQ(pool.Get(pool.Intern(large)), large);
}

TEST(Diagnostics, CountsByKindAndKeepsTheFirstPlace) {
  Diagnostics all;
  all.Add(DiagnosticKind::kTrailingComma, 50);
  all.Add(DiagnosticKind::kTruncated, 90);
  Diagnostics other;
  other.Add(DiagnosticKind::kTrailingComma, 10, 2);
  all.Merge(other);
  ASSERT_EQ(all.entries().size(), 2U);
  EXPECT_EQ(all.entries()[0].kind, DiagnosticKind::kTruncated);
  EXPECT_EQ(all.Count(DiagnosticKind::kTrailingComma), 3U);
  EXPECT_EQ(all.entries()[1].first_offset, 10U);
}

TEST(Diagnostics, EveryKindHasANameAndASentence) {
  for (size_t i = 0; i < static_cast<size_t>(DiagnosticKind::kCount); ++i) {
    const DiagnosticInfo& info = InfoOf(static_cast<DiagnosticKind>(i));
    EXPECT_FALSE(info.name.empty()) << i;
    EXPECT_FALSE(info.message.empty()) << i;
  }
}

TEST(JsonWriter, WritesNestedValuesAndEscapes) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("a", "q\"\\\n\x01");
  json.Field("share", 1.0);
  json.Field("n", UINT64_MAX);
  json.Field("none", std::optional<int64_t>());
  json.Key("list");
  json.BeginArray();
  json.Int(-1);
  json.Bool(true);
  json.EndArray();
  json.EndObject();
  EXPECT_EQ(json.Take(),
            "{\"a\":\"q\\\"\\\\\\n\\u0001\",\"share\":1.0,\"n\":18446744073709551615,\"none\":null,"
            "\"list\":[-1,true]}\n");
}

}  // namespace
}  // namespace telltale
