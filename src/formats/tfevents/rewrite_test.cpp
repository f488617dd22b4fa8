// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/rewrite.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/tfevents/event_fixture.h"
#include "formats/tfevents/records.h"

namespace telltale::tfevents {
namespace {

struct Rewritten {
  std::string bytes;
  RewriteReport report;
};

Rewritten Rewrite(const std::vector<std::string>& files, const RewriteOptions& options = {}) {
  Rewritten out;
  const auto sink = MakeStringSink(out.bytes);
  Rewriter rewriter(*sink, options);
  for (const std::string& file : files) {
    const auto source = OpenMemory(file);
    EXPECT_TRUE(rewriter.Add(*source));
  }
  EXPECT_TRUE(sink->Close());
  out.report = rewriter.report();
  return out;
}

EventFile Steps(int begin, int end) {
  EventFile file;
  file.Version();
  for (int i = begin; i < end; ++i) {
    const std::string tensor = EventFile::DoubleTensor(i * 0.1);
    file.Summary(i, 100 + i,
                 {EventFile::ScalarValue("loss", static_cast<float>(i)),
                  EventFile::TensorValue("new", tensor, i == begin ? "scalars" : "")});
  }
  return file;
}

TEST(Rewrite, KeepsASoundFileAsItIs) {
  const EventFile file = Steps(0, 5);
  const Rewritten out = Rewrite({file.bytes});
  EXPECT_EQ(out.bytes, file.bytes);
  EXPECT_EQ(out.report.damaged, 0U);
}

TEST(Rewrite, LeavesOutDamage) {
  EventFile file = Steps(0, 6);
  file.bytes[file.offsets[2] + kHeaderBytes + 2] ^= 1;
  file.bytes[file.offsets[4]] ^= 1;
  const Rewritten out = Rewrite({file.bytes + "tail"});
  const Result<SeriesSet> set = ReadEvents(out.bytes);
  ASSERT_TRUE(set);
  EXPECT_TRUE(set->diagnostics.empty());
  EXPECT_EQ(set->Find("loss")->scalars.size(), 4U);
  EXPECT_EQ(out.report.damaged, 1U);
  EXPECT_EQ(out.report.lost_bytes, file.offsets[5] - file.offsets[4] + 4);
}

TEST(Rewrite, CutsStepsAndKeepsWhatATagIs) {
  const Rewritten out = Rewrite({Steps(0, 10).bytes}, {3, 5});
  const Result<SeriesSet> set = ReadEvents(out.bytes);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->Find("loss")->scalars.size(), 3U);
  ASSERT_NE(set->Find("new", "scalars"), nullptr);
  EXPECT_EQ(set->Find("new")->scalars.size(), 3U);
  EXPECT_EQ(set->Find("new")->display_name, "shown");
  EXPECT_TRUE(set->diagnostics.empty());
}

TEST(Rewrite, MergesFilesUnderOneVersion) {
  const Rewritten out = Rewrite({Steps(0, 3).bytes, Steps(3, 5).bytes});
  const Result<SeriesSet> set = ReadEvents(out.bytes);
  ASSERT_TRUE(set);
  EXPECT_EQ(set->source.events, 6U);
  EXPECT_EQ(set->Find("new")->scalars.size(), 5U);
}

TEST(Rewrite, GivesAFileAVersion) {
  EventFile file;
  file.Scalar("loss", 1, 2);
  const Result<SeriesSet> set = ReadEvents(Rewrite({file.bytes}).bytes);
  ASSERT_TRUE(set);
  EXPECT_TRUE(set->diagnostics.empty());
  EXPECT_EQ(set->points(), 1U);
}

TEST(EventWriter, WritesWhatIsReadAgain) {
  SeriesTag tag;
  tag.tag = "x";
  tag.plugin = "scalars";
  std::string bytes;
  const auto sink = MakeStringSink(bytes);
  EventWriter writer(*sink);
  writer.Scalar(tag, {1, 5, 0.5}, true);
  writer.SessionStart(1, 6);
  writer.Scalar(tag, {2, 7, 0.1}, false);
  ASSERT_TRUE(sink->Close());
  const Result<SeriesSet> set = ReadEvents(bytes);
  ASSERT_TRUE(set);
  ASSERT_EQ(set->points(), 2U);
  EXPECT_EQ(set->Find("x")->scalars[1].value, 0.1);
  EXPECT_EQ(set->restarts.size(), 1U);
  EXPECT_TRUE(set->diagnostics.empty());
}

}  // namespace
}  // namespace telltale::tfevents
