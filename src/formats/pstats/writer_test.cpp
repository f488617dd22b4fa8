// SPDX-License-Identifier: Apache-2.0
#include "formats/pstats/writer.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/pstats/reader.h"

namespace telltale {
namespace {

using testing::HasSubstr;

FunctionProfile Reread(const std::string& bytes) {
  const std::unique_ptr<ByteSource> source = OpenMemory(bytes);
  Result<FunctionProfile> profile = ReadPstats(*source, {});
  EXPECT_TRUE(profile);
  EXPECT_TRUE(profile->diagnostics.empty());
  return std::move(*profile);
}

// "name calls/primitive self total" for each function, then "caller>callee …" for each pair.
std::vector<std::string> Lines(const FunctionProfile& profile) {
  std::vector<std::string> lines;
  const auto values = [](const CallTotals& t) {
    return " " + std::to_string(t.calls) + "/" + std::to_string(t.primitive_calls) + " " +
           std::to_string(std::llround(t.self_s * 1e9)) + " " +
           std::to_string(std::llround(t.total_s * 1e9));
  };
  const auto name = [&](FunctionId f) {
    return std::string(profile.Text(profile.functions[f].name));
  };
  for (FunctionId f = 0; f < profile.functions.size(); ++f) {
    lines.push_back(name(f) + values(profile.totals[f]));
  }
  for (const CallPair& pair : profile.pairs) {
    lines.push_back(name(pair.caller) + ">" + name(pair.callee) + values(pair.totals));
  }
  return lines;
}

TEST(PstatsWriter, ATreeGivesTotalsAndPairsWithRecursionOnce) {
  // main -> f -> g -> f -> g, and main -> g
  FunctionProfile profile;
  CallTreeBuilder builder(profile);
  const FunctionId main = builder.FunctionOf("m.py", 1, "main");
  const FunctionId f = builder.FunctionOf("m.py", 2, "f");
  const FunctionId g = builder.FunctionOf("m.py", 3, "g");
  const auto node = [&](CallNodeId parent, FunctionId function, int64_t self, uint64_t calls) {
    const CallNodeId id = builder.Child(parent, function);
    profile.tree.self[id] = self;
    profile.tree.calls[id] = calls;
    return id;
  };
  const CallNodeId root = node(kNoCallNode, main, 1, 1);
  const CallNodeId outer_f = node(root, f, 10, 2);
  const CallNodeId outer_g = node(outer_f, g, 100, 3);
  const CallNodeId inner_f = node(outer_g, f, 1000, 4);
  node(inner_f, g, 10000, 5);
  node(root, g, 100000, 6);
  const Result<std::string> bytes = WritePstats(profile);
  ASSERT_TRUE(bytes);
  EXPECT_THAT(Lines(Reread(*bytes)),
              testing::ElementsAre("main 1/1 1 111111", "f 6/2 1010 11110", "g 14/9 110100 111100",
                                   "main>f 2/2 10 11110", "g>f 4/4 1000 11000",
                                   // The inner call of g by f is within the outer one.
                                   "f>g 8/3 10100 11100", "main>g 6/6 100000 100000"));
}

TEST(PstatsWriter, PairsComeBackAsTheyWere) {
  FunctionProfile profile;
  profile.shape = FunctionShape::kPairs;
  CallTreeBuilder builder(profile);
  const FunctionId caller = builder.FunctionOf("a b/\xC3\xA4.py", -7, "main");
  const FunctionId callee = builder.FunctionOf("~", 0, "<built-in method math.sin>");
  profile.totals = {{1, 1, 0.1, 0.30000000000000004, true},
                    {int64_t{1} << 40, (int64_t{1} << 40) - 1, 0.2, 0.2, true}};
  profile.pairs.push_back({caller, callee, {int64_t{-1} << 40, 3, 0.2, 0.2}, true});
  const Result<std::string> bytes = WritePstats(profile);
  ASSERT_TRUE(bytes);
  const FunctionProfile again = Reread(*bytes);
  ASSERT_EQ(again.functions.size(), 2U);
  EXPECT_EQ(again.Text(again.functions[0].file), "a b/\xC3\xA4.py");
  EXPECT_EQ(again.functions[0].line, -7);
  EXPECT_EQ(again.totals[0].total_s, 0.30000000000000004);
  EXPECT_EQ(again.totals[1].calls, int64_t{1} << 40);
  ASSERT_EQ(again.pairs.size(), 1U);
  EXPECT_EQ(again.pairs[0].totals.calls, int64_t{-1} << 40);
  EXPECT_EQ(*WritePstats(again), *bytes);
}

TEST(PstatsWriter, CallersWithoutTimesStayCounts) {
  FunctionProfile profile;
  profile.shape = FunctionShape::kPairs;
  CallTreeBuilder builder(profile);
  const FunctionId f = builder.FunctionOf("a.py", 1, "f");
  profile.totals = {{2, 2, 1, 1, true}};
  profile.pairs.push_back({f, f, {2, 2, 0, 0}, false});
  const FunctionProfile again = Reread(*WritePstats(profile));
  ASSERT_EQ(again.pairs.size(), 1U);
  EXPECT_FALSE(again.pairs[0].has_times);
  EXPECT_EQ(again.pairs[0].totals.calls, 2);
}

TEST(PstatsWriter, SamplesAreRefused) {
  FunctionProfile profile;
  profile.unit = ValueUnit::kSamples;
  const Result<std::string> bytes = WritePstats(profile);
  ASSERT_FALSE(bytes);
  EXPECT_THAT(bytes.error().message, HasSubstr("counts samples"));
}

TEST(PstatsWriter, FunctionsWithoutFileAreListedAsBuiltIn) {
  FunctionProfile profile;
  CallTreeBuilder builder(profile);
  const CallNodeId node = builder.Child(kNoCallNode, builder.FunctionOf({}, kNoInt, "native"));
  profile.tree.self[node] = 5;
  profile.tree.calls[node] = kNoUint;
  const FunctionProfile again = Reread(*WritePstats(profile));
  EXPECT_EQ(again.Text(again.functions[0].file), "~");
  EXPECT_EQ(again.functions[0].line, 0);
  EXPECT_EQ(again.totals[0].calls, 0);
}

}  // namespace
}  // namespace telltale
