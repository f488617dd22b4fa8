// SPDX-License-Identifier: Apache-2.0
#include "formats/collapsed/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>
#include <string>

#include "formats/collapsed/writer.h"
#include "formats/function_dump.h"

namespace telltale {
namespace {

using testing::HasSubstr;

const std::string kPySpy =
    "thread (32054): MainThread;<module> (job.py:52);main (job.py:44) 1\n"
    "thread (32054): MainThread;<module> (job.py:52);main (job.py:43);burn (job.py:10) 6\n"
    "thread (32054): MainThread 1\n";

FunctionProfile Read(std::string_view text) {
  Result<FunctionProfile> profile = ReadFunctions(CollapsedFormat(), text);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile ? CheckFunctions(*profile) : "", "");
  return profile ? std::move(*profile) : FunctionProfile();
}

TEST(Collapsed, ReadsPySpysSamples) {
  const FunctionProfile profile = Read(kPySpy);
  EXPECT_EQ(profile.unit, ValueUnit::kSamples);
  EXPECT_EQ(profile.source.events, 3U);
  EXPECT_EQ(
      PathsOf(profile),
      "thread (32054): MainThread 1\n"
      "thread (32054): MainThread;<module> (job.py:52);main (job.py:44) 1\n"
      "thread (32054): MainThread;<module> (job.py:52);main (job.py:43);burn (job.py:10) 6\n");
  const Function& burn = profile.functions.back();
  EXPECT_EQ(profile.Text(burn.name), "burn");
  EXPECT_EQ(profile.Text(burn.file), "job.py");
  EXPECT_EQ(burn.line, 10);
  EXPECT_EQ(profile.tree.calls[0], kNoUint);
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Collapsed, LeavesOutSamplesOfNoFunction) {
  // py-spy writes them for a thread that was sampled before its first frame.
  const FunctionProfile profile = Read("<module> (job.py:1);f (job.py:5) 1\n 19\n" + kPySpy);
  EXPECT_EQ(profile.source.events, 4U);
  EXPECT_THAT(PathsOf(profile), HasSubstr("<module> (job.py:1);f (job.py:5) 1\n"));
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(Collapsed, ReadsTorchsMicroseconds) {
  const FunctionProfile profile = Read(
      "t.py(3):_<module> 2\nt.py(3):_<module>;torch/_ops.py(9):___call__;<built-in_function_x> "
      "5\n");
  EXPECT_EQ(profile.unit, ValueUnit::kNanoseconds);
  EXPECT_EQ(PathsOf(profile),
            "<module> (t.py:3) 2000\n"
            "<module> (t.py:3);__call__ (torch/_ops.py:9);<built-in_function_x> 5000\n");
}

TEST(Collapsed, ReadsWhatFlameGraphToolsWrite) {
  const FunctionProfile profile = Read(
      "# a comment\n\nswapper;start_kernel;rest init 3\r\nswapper;start_kernel 1.4\n"
      "swapper;start_kernel 1.4\n;;odd;; 2\n");
  EXPECT_EQ(profile.unit, ValueUnit::kCount);
  EXPECT_EQ(PathsOf(profile), "swapper;start_kernel 3\nswapper;start_kernel;rest init 3\nodd 2\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kRoundedValues), 1U);
}

TEST(Collapsed, CountsLinesThatAreNone) {
  const FunctionProfile profile =
      Read("a;b 1\nno value here\na;b x12\na;c 99999999999999999999\na;d");
  EXPECT_EQ(PathsOf(profile), "a;b 1\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 2U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kNumberOutOfRange), 1U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kTruncated), 1U);
}

TEST(Collapsed, EveryCutGivesTheLinesBeforeIt) {
  const std::string whole = PathsOf(Read(kPySpy));
  for (size_t size = 0; size < kPySpy.size(); ++size) {
    const auto profile = ReadFunctions(CollapsedFormat(), std::string_view(kPySpy).substr(0, size));
    if (!profile) {
      EXPECT_LT(size, kPySpy.find('\n'));
      EXPECT_THAT(profile.error().message, HasSubstr("collapsed stacks"));
      continue;
    }
    EXPECT_EQ(CheckFunctions(*profile), "");
    EXPECT_LE(profile->source.events, 3U);
  }
}

TEST(Collapsed, OneByteAtATimeIsTheSame) {
  const auto whole = ReadFunctions(CollapsedFormat(), kPySpy);
  ReadOptions tiny;
  tiny.block_bytes = 1;
  const auto bytes = ReadFunctions(CollapsedFormat(), kPySpy, 1, tiny);
  ASSERT_TRUE(whole && bytes);
  EXPECT_EQ(DumpFunctions(*whole), DumpFunctions(*bytes));
}

TEST(Collapsed, SumsDoNotOverflow) {
  const FunctionProfile profile = Read("a;b 9223372036854775\na;b 9223372036854775\n");
  EXPECT_GT(profile.tree.self[1], 0);
}

TEST(Collapsed, ALongPathNeedsNoStack) {
  std::string path;
  for (int i = 0; i < 100'000; ++i) path += "f;";
  const FunctionProfile profile = Read(path + "g 1\n");
  EXPECT_EQ(profile.tree.size(), 100'001U);
}

TEST(Collapsed, KnowsAFileThatBeginsWithALongPath) {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "frame" + std::to_string(i) + ";";
  text += "leaf 3\nmain;leaf 4\n";
  const std::string_view head = std::string_view(text).substr(0, kHeadBytes);
  ASSERT_EQ(head.find('\n'), std::string_view::npos);
  EXPECT_TRUE(CollapsedFormat().matches(head, ""));
  EXPECT_EQ(Read(text).source.events, 2U);
  for (const std::string_view other : {"var a=function(b){return c;};", "{\"a;b\":1},", "word "}) {
    std::string long_line;
    while (long_line.size() < kHeadBytes) long_line += other;
    EXPECT_FALSE(CollapsedFormat().matches(std::string_view(long_line).substr(0, kHeadBytes), ""))
        << other;
  }
}

TEST(Collapsed, ACommentMaySayWhatTheValuesAre) {
  EXPECT_EQ(Read("# unit: bytes\na;b 5\n").unit, ValueUnit::kBytes);
  EXPECT_EQ(Read("# unit: ns\n" + kPySpy).unit, ValueUnit::kNanoseconds);
  EXPECT_EQ(Read("# unit: apples\n" + kPySpy).unit, ValueUnit::kSamples);
}

TEST(WriteCollapsed, IsReadBack) {
  for (const std::string& text :
       {kPySpy, std::string("t.py(3):_f;t.py(4):_g 7\n"), std::string("x;y 3\nx 1\n"),
        std::string("# unit: bytes\na;b 5\n")}) {
    const FunctionProfile profile = Read(text);
    const Result<std::string> written = WriteCollapsed(profile);
    ASSERT_TRUE(written);
    EXPECT_EQ(PathsOf(Read(*written)), PathsOf(profile));
  }
}

TEST(WriteCollapsed, WritesNothingButStacks) {
  // As flamegraph.pl, inferno and speedscope read a line.
  const std::regex stack(R"(^\S.* \d+$)");
  const Result<std::string> written = WriteCollapsed(Read(kPySpy));
  ASSERT_TRUE(written);
  std::istringstream lines(*written);
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    EXPECT_TRUE(std::regex_match(line, stack)) << line;
  }
  EXPECT_EQ(count, 3U);
}

TEST(WriteCollapsed, NamesCannotBreakLines) {
  FunctionProfile profile;
  CallTreeBuilder builder(profile);
  const CallNodeId node = builder.Child(kNoCallNode, builder.FunctionOf({}, kNoInt, "a;b\nc"));
  profile.tree.self[node] = 4;
  EXPECT_EQ(PathsOf(profile), "a:b c 4\n");
}

TEST(WriteCollapsed, PairsHaveNoPaths) {
  FunctionProfile profile;
  profile.shape = FunctionShape::kPairs;
  const Result<std::string> written = WriteCollapsed(profile);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, ErrorCode::kUsage);
  EXPECT_THAT(written.error().message, HasSubstr("no call paths"));
}

}  // namespace
}  // namespace telltale
