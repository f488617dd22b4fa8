// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/selection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "analysis/core/intervals.h"
#include "analysis/timeline/timeline_fixture.h"

namespace telltale {
namespace {

BoxSums SumsOf(const SelectionStatistics& statistics, std::string_view name) {
  for (const SelectedName& row : statistics.names) {
    if (row.name == name) return row.sums;
  }
  return {};
}

TEST(TimelineSelection, CutsEventsAtTheEdges) {
  TraceBuilder builder;
  builder.Operator("outer", 0, 1000);
  builder.Operator("inner", 100, 400);
  builder.Operator("inner", 500, 700);
  builder.Kernel("k", 300, 600);
  builder.Kernel("k", 500, 800);  // overlaps: busy counts once
  TimelineFixture timeline(builder.trace());
  const SelectionStatistics statistics =
      DescribeSelection(timeline.contexts(), timeline.index(), 200, 600, timeline.EventTracks());
  EXPECT_EQ(SumsOf(statistics, "outer").total_ns, 400);
  EXPECT_EQ(SumsOf(statistics, "outer").self_ns, 100);
  EXPECT_EQ(SumsOf(statistics, "inner").count, 2U);
  EXPECT_EQ(SumsOf(statistics, "inner").total_ns, 300);
  EXPECT_EQ(SumsOf(statistics, "inner").self_ns, 300);
  EXPECT_EQ(SumsOf(statistics, "k").total_ns, 400);
  ASSERT_EQ(statistics.tracks.size(), 2U);
  EXPECT_EQ(statistics.tracks[0].busy_ns, 400);
  EXPECT_EQ(statistics.tracks[1].busy_ns, 300);
  EXPECT_EQ(statistics.tracks[1].idle_ns, 100);
  EXPECT_EQ(statistics.categories[static_cast<size_t>(TimelineCategory::kOperator)].count, 3U);
  EXPECT_EQ(statistics.categories[static_cast<size_t>(TimelineCategory::kKernel)].total_ns, 400);
}

TEST(TimelineSelection, PutsTheProfilersOwnSpansLast) {
  TraceBuilder builder;
  builder.Add("Trace", "PyTorch Profiler (0)", 0, 5000, builder.Track(8888, 9));
  builder.Add("user_annotation", "ProfilerStep#3", 0, 4000,
              builder.Track(TraceBuilder::kHostPid, 1));
  builder.Operator("aten::mm", 100, 200);
  builder.Kernel("gemm", 150, 400);
  TimelineFixture timeline(builder.trace());
  const SelectionStatistics statistics =
      DescribeSelection(timeline.contexts(), timeline.index(), 0, 5000, timeline.EventTracks());
  std::vector<std::string_view> names;
  for (const SelectedName& name : statistics.names) names.push_back(name.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"gemm", "aten::mm", "PyTorch Profiler (0)",
                                                  "ProfilerStep#3"}));
}

// Against sums over all spans one by one, in traces long enough for whole stretches and many marks.
TEST(TimelineSelection, EqualsSumsOverAllSpans) {
  TestRandom random(11);
  TraceBuilder builder;
  const TrackId thread = builder.Track(TraceBuilder::kHostPid, 1);
  const TrackId stream = builder.Track(0, 7);
  int64_t time = 0;
  for (int i = 0; i < 15000; ++i) {
    const auto length = static_cast<int64_t>(10 + random.Below(50));
    builder.Add("cpu_op", "outer" + std::to_string(random.Below(5)), time, time + length, thread);
    builder.Add("cpu_op", "inner" + std::to_string(random.Below(5)), time + 2, time + length - 3,
                thread);
    const auto start = time + static_cast<int64_t>(random.Below(40));
    builder.Add("kernel", "kernel" + std::to_string(random.Below(5)), start,
                start + static_cast<int64_t>(random.Below(60)), stream);
    time += length + static_cast<int64_t>(random.Below(20));
  }
  TimelineFixture timeline(builder.trace());
  const Trace& trace = builder.trace();
  for (int round = 0; round < 12; ++round) {
    auto from = static_cast<int64_t>(random.Below(static_cast<uint64_t>(time)));
    auto to = static_cast<int64_t>(random.Below(static_cast<uint64_t>(time)));
    if (from > to) std::swap(from, to);
    if (round == 0) {
      from = -10;
      to = time + 100;
    }
    if (from == to) ++to;
    std::map<std::string, BoxSums> expected;
    std::map<TrackId, std::vector<Interval>> covered;
    std::map<TrackId, uint64_t> counts;
    for (SpanRow row = 0; row < trace.spans.size(); ++row) {
      const int64_t start = trace.spans.start_ns[row];
      const int64_t end = trace.spans.end_ns(row);
      if (start >= to || (end <= from && start < from)) continue;
      const int64_t cut_start = std::max(start, from);
      const int64_t cut_end = std::max(cut_start, std::min(end, to));
      BoxSums& sums = expected[std::string(trace.NameOfSpan(row))];
      int64_t self = cut_end - cut_start;
      if (trace.NameOfSpan(row).starts_with("outer")) {  // its inner one is the next row
        const int64_t inner_start = std::max(cut_start, start + 2);
        const int64_t inner_end = std::min(cut_end, end - 3);
        self -= std::max<int64_t>(0, inner_end - inner_start);
      }
      sums.Add({1, cut_end - cut_start, self});
      covered[trace.spans.track[row]].push_back({cut_start, cut_end});
      ++counts[trace.spans.track[row]];
    }
    const SelectionStatistics statistics =
        DescribeSelection(timeline.contexts(), timeline.index(), from, to, timeline.EventTracks());
    ASSERT_EQ(statistics.names.size(), expected.size());
    for (const auto& [name, sums] : expected) {
      const BoxSums got = SumsOf(statistics, name);
      EXPECT_EQ(got.count, sums.count) << name << " " << from << " " << to;
      EXPECT_EQ(got.total_ns, sums.total_ns) << name;
      EXPECT_EQ(got.self_ns, sums.self_ns) << name;
    }
    ASSERT_EQ(statistics.tracks.size(), 2U);
    const TrackId of[] = {thread, stream};
    for (size_t i = 0; i < 2; ++i) {
      const int64_t busy = TotalLength(Union(covered[of[i]]));
      EXPECT_EQ(statistics.tracks[i].busy_ns, busy) << from << " " << to;
      EXPECT_EQ(statistics.tracks[i].idle_ns, to - from - busy);
      EXPECT_EQ(statistics.tracks[i].count, counts[of[i]]);
    }
  }
}

TEST(TimelineSelection, SumsStretchesWithTooManyNamesOneByOne) {
  TraceBuilder builder;
  const TrackId thread = builder.Track(TraceBuilder::kHostPid, 1);
  for (int i = 0; i < 9000; ++i) {
    builder.Add("cpu_op", "name" + std::to_string(i), i * 10, i * 10 + 5, thread);
  }
  TimelineFixture timeline(builder.trace());
  const SelectionStatistics statistics =
      DescribeSelection(timeline.contexts(), timeline.index(), 0, 90000, timeline.EventTracks());
  EXPECT_EQ(statistics.names.size(), 9000U);
  EXPECT_EQ(statistics.tracks[0].count, 9000U);
  EXPECT_EQ(statistics.tracks[0].busy_ns, 45000);
}

TEST(TimelineSelection, StepsOnlyIfNamed) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 1000);
  builder.Annotation("ProfilerStep#2", 1000, 2000);
  TimelineFixture timeline(builder.trace());
  const std::vector<uint32_t> steps = {timeline.Track(TrackKind::kSteps)};
  const SelectionStatistics statistics =
      DescribeSelection(timeline.contexts(), timeline.index(), 500, 1500, steps);
  EXPECT_EQ(SumsOf(statistics, "Step 1").total_ns, 500);
  EXPECT_EQ(SumsOf(statistics, "Step 2").total_ns, 500);
  EXPECT_EQ(statistics.tracks[0].busy_ns, 1000);
}

}  // namespace
}  // namespace telltale
