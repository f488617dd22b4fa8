// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/reader.h"

#include <cmath>
#include <limits>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/registry.h"
#include "formats/tfevents/event_fixture.h"
#include "formats/tfevents/records.h"

namespace telltale::tfevents {
namespace {

using testing::HasSubstr;

// Read as a whole, in pieces of any size and on several threads: always the same.
SeriesSet ReadAnyhow(std::string_view bytes) {
  Result<SeriesSet> whole = ReadEvents(bytes);
  if (!whole) {
    ADD_FAILURE() << whole.error().message;
    return {};
  }
  const std::string expected = Dump(*whole);
  for (const size_t chunk : {size_t{1}, size_t{13}, SIZE_MAX}) {
    for (const size_t block : {size_t{16}, size_t{100}, size_t{1000}}) {
      for (const unsigned threads : {1U, 3U}) {
        const Result<SeriesSet> other = ReadEvents(bytes, chunk, block, threads);
        EXPECT_EQ(other ? Dump(*other) : other.error().message, expected) << chunk << " " << block;
      }
    }
  }
  return std::move(*whole);
}

std::vector<double> ValuesOf(const SeriesSet& set, std::string_view tag) {
  std::vector<double> values;
  if (const SeriesTag* const found = set.Find(tag, plugin::kScalars)) {
    found->scalars.ForEach(
        [&](size_t, const ScalarPoint& point) { values.push_back(point.value); });
  }
  return values;
}

EventFile Small() {
  EventFile file;
  file.Version();
  for (int i = 0; i < 10; ++i) {
    file.Scalar("loss", i, 1.0F / static_cast<float>(i + 1), 100 + i);
    file.Scalar("acc", i, static_cast<float>(i), 100 + i);
  }
  return file;
}

TEST(Tfevents, ReadsEveryPoint) {
  const SeriesSet set = ReadAnyhow(Small().bytes);
  EXPECT_EQ(set.tags.size(), 2U);
  EXPECT_EQ(set.points(), 20U);
  EXPECT_EQ(set.source.events, 21U);
  EXPECT_EQ(set.first_wall_time, 100);
  EXPECT_EQ(set.last_wall_time, 109);
  EXPECT_TRUE(set.diagnostics.empty());
  const ScalarPoint point = set.Find("acc")->scalars[7];
  EXPECT_EQ(point.step, 7);
  EXPECT_EQ(point.wall_time, 107);
  EXPECT_EQ(point.value, 7);
}

TEST(Tfevents, IsKnownByNameAndByContent) {
  const Format format = TfeventsFormat();
  EXPECT_TRUE(format.matches("", "runs/events.out.tfevents.1790000101.lab.1.0"));
  EXPECT_TRUE(format.matches("<html>", "x.tfevents"));
  EXPECT_FALSE(format.matches("<html>", "tfevents.d/x"));
  EXPECT_TRUE(format.matches(Small().bytes, "renamed"));
  EventFile other;
  other.Record(
      "\x0a\x03"
      "abc");  // training data
  EXPECT_FALSE(format.matches(other.bytes, "data.tfrecord"));
  EXPECT_EQ(FindFormat(Small().bytes, "renamed")->name, "tfevents");
}

TEST(Tfevents, ReadsManyValuesOfOneEventAndTheNewStyle) {
  EventFile file;
  file.Version();
  file.Summary(3, 1,
               {EventFile::ScalarValue("a", 1), EventFile::ScalarValue("b", 2),
                EventFile::TensorValue("c", EventFile::DoubleTensor(0.1), "scalars")});
  // Metadata came with the first one only.
  file.Summary(4, 2, {EventFile::TensorValue("c", EventFile::DoubleTensor(0.2))});
  const SeriesSet set = ReadAnyhow(file.bytes);
  EXPECT_THAT(ValuesOf(set, "a"), testing::ElementsAre(1));
  EXPECT_THAT(ValuesOf(set, "b"), testing::ElementsAre(2));
  EXPECT_THAT(ValuesOf(set, "c"), testing::ElementsAre(0.1, 0.2));
  EXPECT_EQ(set.Find("c")->display_name, "shown");
}

TEST(Tfevents, KeepsTheOrderOfATagWhoseMetadataComesAgain) {
  EventFile file;
  file.Version();
  for (int i = 0; i < 60; ++i) {
    const std::string tensor = EventFile::DoubleTensor(i);
    file.Summary(i, i, {EventFile::TensorValue("c", tensor, i % 20 == 0 ? "scalars" : "")});
  }
  const SeriesSet set = ReadAnyhow(file.bytes);
  const std::vector<double> values = ValuesOf(set, "c");
  ASSERT_EQ(values.size(), 60U);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<double>(i));
}

TEST(Tfevents, KeepsTheOrderOfATagThatIsNotUtf8) {
  EventFile file;
  file.Version();
  for (int i = 0; i < 30; ++i) {
    const std::string tensor = EventFile::DoubleTensor(i);
    file.Summary(i, i, {EventFile::TensorValue("c\xff", tensor, i % 10 == 0 ? "scalars" : "")});
  }
  const std::vector<double> values = ValuesOf(ReadAnyhow(file.bytes), "c\xef\xbf\xbd");
  ASSERT_EQ(values.size(), 30U);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<double>(i));
}

TEST(Tfevents, KeepsTheOrderOfATagThatFirstHadNoValue) {
  EventFile file;
  file.Version();
  protobuf::MessageWriter none;
  none.Bytes(value_field::kTag, "c");
  file.Summary(0, 0, {std::string(none.bytes())});
  for (int i = 0; i < 30; ++i) {
    const std::string tensor = EventFile::DoubleTensor(i);
    file.Summary(i, i, {EventFile::TensorValue("c", tensor, i % 10 == 0 ? "scalars" : "")});
  }
  const std::vector<double> values = ValuesOf(ReadAnyhow(file.bytes), "c");
  ASSERT_EQ(values.size(), 30U);
  for (size_t i = 0; i < values.size(); ++i) EXPECT_EQ(values[i], static_cast<double>(i));
}

TEST(Tfevents, LeavesOtherValuesInTheFile) {
  EventFile file;
  file.Version();
  protobuf::MessageWriter image;
  image.Bytes(value_field::kTag, "img");
  image.Bytes(value_field::kImage, "\x08\x02\x10\x03\x22\x03png");
  const std::string value(image.bytes());
  file.Summary(5, 9, {EventFile::ScalarValue("a", 1), value});
  protobuf::MessageWriter graph;
  graph.Double(event_field::kWallTime, 3);
  graph.Bytes(event_field::kGraphDef, "graph");
  file.Record(graph.bytes());
  const SeriesSet set = ReadAnyhow(file.bytes);
  const SeriesTag* const tag = set.Find("img", plugin::kImages);
  ASSERT_NE(tag, nullptr);
  ASSERT_EQ(tag->values.size(), 1U);
  EXPECT_EQ(tag->values[0].step, 5);
  EXPECT_EQ(file.bytes.substr(tag->values[0].offset, tag->values[0].bytes), value);
  const SeriesTag* const run_graph = set.Find(kGraphTag, plugin::kGraphs);
  ASSERT_NE(run_graph, nullptr);
  EXPECT_EQ(file.bytes.substr(run_graph->values[0].offset, run_graph->values[0].bytes), "graph");
}

TEST(Tfevents, KeepsSeveralKindsUnderOneTag) {
  EventFile file;
  file.Version();
  protobuf::MessageWriter histogram;
  histogram.Bytes(value_field::kTag, "w");
  histogram.Bytes(value_field::kHisto, "");
  file.Summary(1, 1, {EventFile::ScalarValue("w", 4), std::string(histogram.bytes())});
  const SeriesSet set = ReadAnyhow(file.bytes);
  EXPECT_THAT(ValuesOf(set, "w"), testing::ElementsAre(4));
  ASSERT_NE(set.Find("w", plugin::kHistograms), nullptr);
}

TEST(Tfevents, MarksRestartsInEveryTag) {
  EventFile file = Small();
  file.Start(6);
  file.Scalar("loss", 6, 1);
  file.Scalar("new", 6, 1);
  const SeriesSet set = ReadAnyhow(file.bytes);
  ASSERT_EQ(set.restarts.size(), 1U);
  EXPECT_EQ(set.restarts[0].step, 6);
  for (const auto& [tag, index] : {std::pair("loss", 10U), {"acc", 10U}, {"new", 0U}}) {
    ASSERT_EQ(set.Find(tag)->restarts.size(), 1U) << tag;
    EXPECT_EQ(set.Find(tag)->restarts[0].first_index, index);
    EXPECT_EQ(set.Find(tag)->restarts[0].step, 6);
  }
}

TEST(Tfevents, MarksRestartsBetweenTensorsWithoutMetadata) {
  EventFile file;
  file.Version();
  const auto tensor = [&](int i) { return EventFile::DoubleTensor(i); };
  file.Summary(0, 0, {EventFile::TensorValue("c", tensor(0), "scalars")});
  for (int i = 1; i < 20; ++i) file.Summary(i, i, {EventFile::TensorValue("c", tensor(i))});
  for (int i = 0; i < 20; ++i) file.Summary(i, i, {EventFile::TensorValue("bare", tensor(i))});
  file.Start(10);
  file.Summary(10, 30, {EventFile::TensorValue("c", tensor(10))});
  file.Summary(10, 30, {EventFile::TensorValue("bare", tensor(10))});
  const SeriesSet set = ReadAnyhow(file.bytes);
  for (const SeriesTag& tag : set.tags) {
    ASSERT_EQ(tag.restarts.size(), 1U) << tag.tag;
    EXPECT_EQ(tag.restarts[0].first_index, 20U) << tag.tag;
  }
}

TEST(Tfevents, SkipsARecordWithABadChecksum) {
  EventFile file = Small();
  file.bytes[file.offsets[5] + kHeaderBytes + 3] ^= 1;
  const SeriesSet set = ReadAnyhow(file.bytes);
  EXPECT_EQ(set.points(), 19U);
  ASSERT_EQ(set.diagnostics.entries().size(), 1U);
  EXPECT_EQ(set.diagnostics.entries()[0].kind, DiagnosticKind::kBadChecksum);
  EXPECT_EQ(set.diagnostics.entries()[0].first_offset, file.offsets[5]);
}

TEST(Tfevents, GoesOnBehindABadLength) {
  EventFile file = Small();
  file.bytes[file.offsets[5]] ^= 1;
  const SeriesSet set = ReadAnyhow(file.bytes);
  EXPECT_EQ(set.points(), 19U);
  ASSERT_EQ(set.diagnostics.entries().size(), 1U);
  const Diagnostic& entry = set.diagnostics.entries()[0];
  EXPECT_EQ(entry.kind, DiagnosticKind::kLostBytes);
  EXPECT_EQ(entry.first_offset, file.offsets[5]);
  EXPECT_THAT(entry.detail,
              HasSubstr(std::to_string(file.offsets[6] - file.offsets[5]) + " bytes are lost"));
}

TEST(Tfevents, SkipsAnEventThatIsNoMessage) {
  EventFile file = Small();
  file.Record("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff");
  file.Scalar("loss", 99, 5);
  const SeriesSet set = ReadAnyhow(file.bytes);
  EXPECT_EQ(set.points(), 21U);
  EXPECT_EQ(set.diagnostics.Count(DiagnosticKind::kMalformedRecord), 1U);
}

TEST(Tfevents, KeepsWhatIsOdd) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EventFile file;
  file.Scalar("no version", 1, 1);
  file.Scalar(
      "bad\xff"
      "tag",
      2, 1);
  file.Scalar("loss", int64_t{1} << 62, std::numeric_limits<float>::infinity(), nan);
  file.Scalar("loss", -5, std::numeric_limits<float>::quiet_NaN(), -1e300);
  file.Record("");
  const SeriesSet set = ReadAnyhow(file.bytes);
  EXPECT_EQ(set.points(), 4U);
  EXPECT_NE(set.Find("bad\xef\xbf\xbdtag"), nullptr);
  EXPECT_EQ(set.Find("loss")->scalars[0].step, int64_t{1} << 62);
  EXPECT_EQ(set.Find("loss")->scalars[1].step, -5);
  EXPECT_TRUE(std::isnan(set.Find("loss")->scalars[0].wall_time));
  EXPECT_EQ(set.diagnostics.Count(DiagnosticKind::kUnusualVersion), 1U);
  EXPECT_EQ(set.diagnostics.Count(DiagnosticKind::kInvalidUtf8), 1U);
  EXPECT_EQ(set.diagnostics.Count(DiagnosticKind::kNoWallTime), 1U);
}

TEST(Tfevents, PassesOverUnknownFieldsAndGroups) {
  EventFile file;
  file.Version();
  protobuf::MessageWriter event;
  event.Append("\xa3\x06\x08\x01\xa4\x06");  // group 100
  event.Double(event_field::kWallTime, 5);
  event.Bytes(200, "unknown");
  const size_t summary = event.Begin(event_field::kSummary);
  event.Bytes(1, EventFile::ScalarValue("a", 1));
  event.End(summary);
  event.Int(event_field::kStep, 8);  // behind the values
  file.Record(event.bytes());
  const SeriesSet set = ReadAnyhow(file.bytes);
  ASSERT_EQ(set.points(), 1U);
  EXPECT_EQ(set.tags[0].scalars[0].step, 8);
  EXPECT_TRUE(set.diagnostics.empty());
}

TEST(Tfevents, ReadsToAnyCut) {
  const EventFile file = Small();
  for (size_t cut = 0; cut <= file.bytes.size(); ++cut) {
    const Result<SeriesSet> set = ReadEvents(std::string_view(file.bytes).substr(0, cut));
    ASSERT_TRUE(set) << cut;
    size_t whole = 0;
    while (whole < file.offsets.size() &&
           (whole + 1 < file.offsets.size() ? file.offsets[whole + 1] : file.bytes.size()) <= cut) {
      ++whole;
    }
    EXPECT_EQ(set->source.events, whole) << cut;
    const bool at_end = whole == file.offsets.size() || file.offsets[whole] == cut;
    EXPECT_EQ(set->diagnostics.Count(DiagnosticKind::kCutRecord), at_end ? 0U : 1U) << cut;
  }
}

TEST(Tfevents, RefusesWhatHasNoRecord) {
  const Result<SeriesSet> set = ReadEvents("<html><body>404</body></html>");
  ASSERT_FALSE(set);
  EXPECT_EQ(set.error().code, ErrorCode::kUnreadable);
  EXPECT_THAT(set.error().message, HasSubstr("29 bytes"));
}

// Every file in two parts, at any place, read by a tail, is the file read at once.
TEST(EventTail, FollowsGrowthFromAnyPlace) {
  EventFile file = Small();
  file.Start(4);
  for (int i = 4; i < 9; ++i) file.Scalar("loss", i, 2, 300);
  const std::string whole = Dump(*ReadEvents(file.bytes));
  for (size_t cut = 0; cut <= file.bytes.size(); ++cut) {
    EventTail tail;
    const auto first = OpenMemory(std::string_view(file.bytes).substr(0, cut));
    ASSERT_TRUE(tail.Read(*first));
    ASSERT_LE(tail.position(), cut);
    const auto second = OpenMemory(std::string_view(file.bytes).substr(tail.position()));
    ASSERT_TRUE(tail.Read(*second));
    EXPECT_EQ(tail.position(), file.bytes.size());
    const Artifact artifact = tail.Snapshot();
    ASSERT_EQ(Dump(*artifact.As<SeriesSet>()), whole) << cut;
  }
}

TEST(EventTail, ReadsARecordThatWasDamagedWhileItWasWritten) {
  const EventFile file = Small();
  std::string half = file.bytes;
  for (size_t i = file.offsets[20] + 20; i < half.size(); ++i) half[i] = 0;
  EventTail tail;
  const auto first = OpenMemory(half);
  ASSERT_TRUE(tail.Read(*first));
  EXPECT_EQ(tail.series().points(), 19U);
  EXPECT_EQ(tail.rest(), Rest::kBadRecord);
  const auto second = OpenMemory(std::string_view(file.bytes).substr(tail.position()));
  ASSERT_TRUE(tail.Read(*second));
  EXPECT_EQ(Dump(tail.series()), Dump(*ReadEvents(file.bytes)));
}

TEST(EventTail, CountsDamageOnceMoreComes) {
  EventFile file = Small();
  file.bytes.back() ^= 1;
  EventTail tail;
  const auto first = OpenMemory(file.bytes);
  ASSERT_TRUE(tail.Read(*first));
  EXPECT_TRUE(tail.series().diagnostics.empty());
  EXPECT_EQ(tail.rest_diagnostics().Count(DiagnosticKind::kBadChecksum), 1U);
  file.Scalar("loss", 10, 3);
  const auto second = OpenMemory(std::string_view(file.bytes).substr(tail.position()));
  ASSERT_TRUE(tail.Read(*second));
  EXPECT_EQ(tail.series().points(), 20U);
  EXPECT_EQ(tail.series().diagnostics.Count(DiagnosticKind::kBadChecksum), 1U);
  EXPECT_TRUE(tail.rest_diagnostics().empty());
}

TEST(EventTail, FindsRecordsBehindDamageWhenTheyCome) {
  EventFile file = Small();
  file.bytes += "some bytes that are no record";
  EventTail tail;
  const auto first = OpenMemory(file.bytes);
  ASSERT_TRUE(tail.Read(*first));
  EXPECT_EQ(tail.rest(), Rest::kNoRecord);
  file.Scalar("loss", 10, 3);
  const auto second = OpenMemory(std::string_view(file.bytes).substr(tail.position()));
  ASSERT_TRUE(tail.Read(*second));
  EXPECT_EQ(tail.series().points(), 21U);
  EXPECT_EQ(tail.position(), file.bytes.size());
  EXPECT_EQ(tail.series().diagnostics.Count(DiagnosticKind::kLostBytes), 1U);
}

}  // namespace
}  // namespace telltale::tfevents
