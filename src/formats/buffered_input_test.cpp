// SPDX-License-Identifier: Apache-2.0
#include "formats/buffered_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Lines(std::string_view text, size_t chunk, FunctionProfile& profile,
                               const ReadOptions& options = {}) {
  const std::unique_ptr<ByteSource> source = OpenMemory(text, chunk);
  LineReader reader(*source, options);
  std::vector<std::string> lines;
  while (const auto line = reader.Next()) {
    lines.push_back(std::to_string(reader.offset()) + ":" + std::string(*line) +
                    (reader.unfinished() ? " (cut)" : ""));
  }
  reader.Describe(*source, profile);
  return lines;
}

TEST(LineReader, CutsTextIntoLines) {
  for (const size_t chunk : {size_t{1}, size_t{3}, SIZE_MAX}) {
    FunctionProfile profile;
    EXPECT_THAT(Lines("a\nbb\r\n\nlast", chunk, profile),
                ElementsAre("0:a", "2:bb", "6:", "7:last (cut)"));
    EXPECT_EQ(profile.source.decoded_bytes, 11U);
    EXPECT_THAT(Lines("", chunk, profile), IsEmpty());
    EXPECT_THAT(Lines("\n", chunk, profile), ElementsAre("0:"));
  }
}

TEST(LineReader, RepairsTextAndPassesOverTheByteOrderMark) {
  FunctionProfile profile;
  EXPECT_THAT(Lines("\xef\xbb\xbf"
                    "a\nb\xff\n",
                    2, profile),
              ElementsAre("0:a", "5:b\xef\xbf\xbd"));
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kInvalidUtf8), 1U);
}

TEST(LineReader, PassesOverLinesThatAreTooLong) {
  ReadOptions small;
  small.max_value_bytes = 10;
  FunctionProfile profile;
  EXPECT_THAT(Lines("short\n" + std::string(95, 'x') + "\nnext\n" + std::string(30, 'y'), 4,
                    profile, small),
              ElementsAre("0:short", "102:next"));
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kOversizedValue), 2U);
}

TEST(BufferedInput, StopsWhenAsked) {
  const std::atomic<bool> canceled = true;
  ReadOptions options;
  options.canceled = &canceled;
  const std::unique_ptr<ByteSource> source = OpenMemory("text");
  BufferedInput input(*source, options);
  EXPECT_FALSE(input.More());
  ASSERT_TRUE(input.error());
  EXPECT_EQ(input.error()->code, ErrorCode::kCanceled);
}

TEST(AddSaturated, StopsAtTheEnds) {
  EXPECT_EQ(AddSaturated(1, 2), 3);
  EXPECT_EQ(AddSaturated(INT64_MAX, 1), INT64_MAX);
  EXPECT_EQ(AddSaturated(INT64_MIN, -1), INT64_MIN);
}

}  // namespace
}  // namespace telltale
