// SPDX-License-Identifier: Apache-2.0
#include "formats/kineto_json/raw_event.h"

#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "formats/kineto_json/reader.h"

namespace telltale {
namespace {

class RawEvent : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / "raw_event_test";
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // An event behind more text than one read brings.
  static std::string Text() {
    std::string text = R"({"pad": ")" + std::string(300'000, 'x') + R"(", "traceEvents": [)";
    for (int i = 0; i < 3; ++i) {
      if (i > 0) text += ",\n";
      text += R"({"ph":"X","name":"n","ts":1,"dur":1,"pid":1,"tid":1,"args":{"odd } \" one":[)" +
              std::to_string(i) + "]}}";
    }
    return text + "]}";
  }

  // As LoadTraces describes it.
  static ProfileSource Source(const std::string& path) {
    ProfileSource source;
    source.path = path;
    source.stamp = StampOf(path).value_or(FileStamp());
    return source;
  }

  std::filesystem::path folder_;
};

TEST_F(RawEvent, ComesBackWholeFromPlainAndCompressedFiles) {
  const std::string text = Text();
  const std::string plain = folder_ / "t.json";
  std::ofstream(plain) << text;
  const std::string zipped = folder_ / "t.json.gz";
  gzFile gz = gzopen(zipped.c_str(), "wb");
  gzwrite(gz, text.data(), static_cast<unsigned>(text.size()));
  gzclose(gz);
  for (const std::string& path : {plain, zipped}) {
    const auto source = OpenSource(path, {});
    const Result<Trace> trace = ReadKinetoJson(**source);
    ASSERT_TRUE(trace.has_value());
    ASSERT_EQ(trace->spans.size(), 3U);
    const Result<std::string> raw = ReadRawEvent(Source(path), trace->spans.offset[1], {});
    ASSERT_TRUE(raw.has_value()) << raw.error().message;
    EXPECT_EQ(
        *raw,
        R"({"ph":"X","name":"n","ts":1,"dur":1,"pid":1,"tid":1,"args":{"odd } \" one":[1]}})");
  }
}

TEST_F(RawEvent, SaysThatTheFileChanged) {
  const std::string plain = folder_ / "t.json";
  std::ofstream(plain) << "[1]";
  EXPECT_FALSE(ReadRawEvent(Source(plain), 1, {}).has_value());
  EXPECT_FALSE(ReadRawEvent(Source(plain), 100, {}).has_value());
  EXPECT_FALSE(ReadRawEvent(Source("-"), 0, {}).has_value());
  // Another event of the same shape at the same place is not the one that was read.
  std::ofstream(plain) << R"([{"ph": "X"}])";
  const ProfileSource before = Source(plain);
  EXPECT_TRUE(ReadRawEvent(before, 1, {}).has_value());
  const std::string other = folder_ / "other.json";
  std::ofstream(other) << R"([{"ph": "Y"}])";
  std::filesystem::rename(other, plain);
  EXPECT_THAT(ReadRawEvent(before, 1, {}).error().message, testing::HasSubstr("the file changed"));
}

}  // namespace
}  // namespace telltale
