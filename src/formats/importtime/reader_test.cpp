// SPDX-License-Identifier: Apache-2.0
#include "formats/importtime/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/function_dump.h"

namespace telltale {
namespace {

using testing::HasSubstr;

const std::string kLog =
    "import time: self [us] | cumulative | imported package\n"
    "import time:       166 |        166 |   _io\n"
    "import time:        24 |         24 |   marshal\n"
    "import time:       309 |        499 | _frozen_importlib_external\n"
    "import time:       329 |        329 |     _json\n"
    "import time:      4708 |       5037 |   json.scanner\n"
    "import time:       419 |       5456 | json\n";

FunctionProfile Read(std::string_view text) {
  Result<FunctionProfile> profile = ReadFunctions(ImportTimeFormat(), text);
  EXPECT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile ? CheckFunctions(*profile) : "", "");
  return profile ? std::move(*profile) : FunctionProfile();
}

TEST(ImportTime, ModulesStandUnderWhoImportedThem) {
  const FunctionProfile profile = Read(kLog);
  EXPECT_EQ(PathsOf(profile),
            "json 419000\njson;json.scanner 4708000\njson;json.scanner;_json 329000\n"
            "_frozen_importlib_external 309000\n"
            "_frozen_importlib_external;marshal 24000\n_frozen_importlib_external;_io 166000\n");
  EXPECT_EQ(profile.unit, ValueUnit::kNanoseconds);
  EXPECT_EQ(profile.tree.calls[0], 1U);
  EXPECT_EQ(profile.source.events, 6U);
  EXPECT_TRUE(profile.diagnostics.empty());
}

TEST(ImportTime, OtherOutputIsSkippedAndCounted) {
  const FunctionProfile profile = Read(
      "warning: x\nno line endimport time:   5 |   5 |   a\n\nTraceback\nimport time: 7 | 12 | b\n"
      "import time: what\n");
  EXPECT_EQ(PathsOf(profile), "b 7000\nb;a 5000\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kForeignLine), 3U);
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kMalformedRecord), 1U);
}

TEST(ImportTime, NegativeTimesOfThreadsAreZero) {
  const FunctionProfile profile = Read(
      "import time: self [us] | cumulative | imported package\n"
      "import time:     49072 |      49072 |   _sqlite3\n"
      "import time:   -256026 |      20910 |   _socket\n"
      "import time:       309 |        309 | socket\n");
  EXPECT_EQ(PathsOf(profile), "socket 309000\nsocket;_sqlite3 49072000\n");
  EXPECT_EQ(profile.diagnostics.Count(DiagnosticKind::kNegativeDuration), 1U);
}

TEST(ImportTime, CachedModulesCostNothing) {
  EXPECT_EQ(DumpFunctions(Read("import time: cached    | cached     |   sys\n"
                               "import time:        9 |          9 | a\n")),
            "tree of ns, 2 events, 83 bytes, start -\n"
            "function a line -\nfunction sys line -\nnode - 0 9000 1\nnode 0 1 0 1\n");
}

TEST(ImportTime, AnotherProcessBeginsAnew) {
  // The first one was killed while it imported `a`.
  const std::string header = "import time: self [us] | cumulative | imported package\n";
  EXPECT_EQ(
      PathsOf(Read(header + "import time: 5 | 5 |   a.b\n" + header + "import time: 7 | 7 | c\n")),
      "a.b 5000\nc 7000\n");
}

TEST(ImportTime, EveryCutGivesTheLinesBeforeIt) {
  for (size_t size = 0; size < kLog.size(); ++size) {
    const auto profile = ReadFunctions(ImportTimeFormat(), std::string_view(kLog).substr(0, size));
    if (!profile) {
      EXPECT_LT(size, 100U);
      EXPECT_THAT(profile.error().message, HasSubstr("importtime"));
      continue;
    }
    EXPECT_EQ(CheckFunctions(*profile), "");
  }
}

TEST(ImportTime, OneByteAtATimeIsTheSame) {
  ReadOptions tiny;
  tiny.block_bytes = 1;
  EXPECT_EQ(DumpFunctions(*ReadFunctions(ImportTimeFormat(), kLog, 1, tiny)),
            DumpFunctions(*ReadFunctions(ImportTimeFormat(), kLog)));
}

}  // namespace
}  // namespace telltale
