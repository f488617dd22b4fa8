// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/timeline/timeline_fixture.h"

namespace telltale {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> KindsAndNames(const TimelineIndex& index) {
  std::vector<std::string> names;
  for (const TimelineTrack& track : index.tracks()) {
    names.push_back(std::string(NameOf(track.kind)) + ": " + track.name);
  }
  return names;
}

TEST(TimelineIndex, OrdersTracks) {
  TraceBuilder builder;
  builder.Kernel("k", 500, 600, 1, 1, 20);
  builder.Kernel("k", 500, 600, 2, 0, 9);
  builder.Kernel("k", 500, 600, 3, 0, 7);
  builder.Operator("other", 100, 120, 5);
  builder.Operator("autograd::engine::evaluate_function: AddBackward0", 300, 400, 3);
  builder.Python("train.py(3): main", 0, 1000, 2);
  builder.Operator("aten::add", 100, 250, 2);
  builder.Runtime("cudaLaunchKernel", 200, 210, 3, 2);
  builder.Annotation("ProfilerStep#5", 0, 1000, 2);
  builder.Memory(50, 1024, 2, 1);
  const TrackId main = builder.Track(TraceBuilder::kHostPid, 2);
  builder.trace().tracks[static_cast<size_t>(main)].thread_name = builder.Text("MainThread");
  TimelineFixture timeline(builder.trace());
  const std::vector<std::string> names = KindsAndNames(timeline.index());
  ASSERT_GE(names.size(), 10U);
  EXPECT_THAT(std::vector<std::string>(names.begin(), names.begin() + 10),
              ElementsAre("steps: Steps", "critical_path: Critical path", "thread: MainThread",
                          "python: MainThread, Python", "thread: thread 3", "thread: thread 5",
                          "stream: GPU 0 stream 7", "stream: GPU 0 stream 9",
                          "stream: GPU 1 stream 20", "memory: cuda allocated (change)"));
  EXPECT_EQ(timeline.index().tracks()[3].belongs_to, 2U);
  uint64_t spans = 0;
  for (const uint32_t track : timeline.EventTracks()) {
    spans += timeline.index().tracks()[track].spans.value_or(0);
  }
  EXPECT_EQ(spans, builder.trace().spans.size());
}

TEST(TimelineIndex, PutsFilesOnOneClock) {
  TraceBuilder first;
  first.Operator("a", 1000, 2000);
  first.trace().base_time_ns = 5000;
  TraceBuilder second;
  second.Operator("b", 100, 200);
  second.trace().base_time_ns = 6000;
  second.trace().source.rank = 1;
  TimelineFixture timeline({&first.trace(), &second.trace()});
  EXPECT_EQ(timeline.index().origin_ns(), 6000);
  EXPECT_EQ(timeline.index().duration_ns(), 1000);
  EXPECT_EQ(timeline.index().files()[1].name, "rank 1");
  const std::vector<DecodedBox> boxes = timeline.WholeView(1000);
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0].start_ns, 0.0);
  EXPECT_EQ(boxes[1].start_ns, 100.0);
}

TEST(TimelineIndex, ComputesTheCriticalPathWhenAskedFor) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 1000);
  builder.Operator("aten::add", 100, 300);
  builder.Runtime("cudaLaunchKernel", 150, 200, 7);
  builder.Kernel("add_kernel", 300, 700, 7);
  TimelineFixture timeline(builder.trace());
  const uint32_t path = timeline.Track(TrackKind::kCriticalPath);
  EXPECT_FALSE(timeline.index().tracks()[path].spans.has_value());
  const std::vector<DecodedBox> boxes = timeline.View(0, 1000, 1000, {path});
  ASSERT_FALSE(boxes.empty());
  double sum = 0;
  for (const DecodedBox& box : boxes) sum += box.duration_ns;
  EXPECT_EQ(sum, 1000.0);  // the path has no gaps
}

TEST(TimelineIndex, CurvesKeepExtremes) {
  TraceBuilder builder;
  builder.Operator("o", 0, 100000);
  for (int64_t i = 0; i < 10000; ++i)
    builder.Memory(i * 10, i == 5000 ? 1000 : i == 5001 ? -1000 : 1);
  TimelineFixture timeline(builder.trace());
  const uint32_t track = timeline.Track(TrackKind::kMemory);
  ASSERT_LT(track, timeline.index().tracks().size());
  const FileTimeline& file = timeline.index().files()[0];
  const Series& series = file.series[timeline.index().tracks()[track].series];
  const std::vector<DecodedPoint> points =
      DecodeSeries(EncodeSeries(file, ViewSeries(series, 0, 100000, 100)));
  ASSERT_EQ(points.size(), 100U);
  EXPECT_EQ(points[50].greatest, 6000.0);
  EXPECT_EQ(points[50].least, 5000.0 + 0);
  EXPECT_EQ(points[99].last, 9998.0);
  // Inside: the value in force at the start comes first.
  const std::vector<SeriesBin> inside = ViewSeries(series, 1005, 1015, 10);
  ASSERT_EQ(inside.size(), 2U);
  EXPECT_EQ(inside[0].time_ns, 1000);
  EXPECT_EQ(inside[1].time_ns, 1010);
}

}  // namespace
}  // namespace telltale
