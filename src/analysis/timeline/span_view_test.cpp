// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/span_view.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/timeline/timeline_fixture.h"

namespace telltale {
namespace {

using Place = std::pair<uint32_t, uint32_t>;  // track, depth

// What holds for every view, whatever the trace: boxes of a row in order and apart, no more than a
// screen has, single spans exact, and every span of the range in exactly one box.
void CheckView(const TimelineFixture& timeline, int64_t start, int64_t end, uint32_t width) {
  const std::vector<DecodedBox> boxes = timeline.View(start, end, width, timeline.EventTracks());
  const int64_t quantum = QuantumOf({start, end, width});
  std::map<Place, std::vector<DecodedBox>> rows;
  for (const DecodedBox& box : boxes) rows[{box.track, box.depth}].push_back(box);

  std::map<Place, uint64_t> expected;
  std::map<Place, uint64_t> wide;
  for (uint32_t f = 0; f < timeline.contexts().size(); ++f) {
    const Trace& trace = timeline.contexts()[f].trace;
    const FileTimeline& file = timeline.index().files()[f];
    for (SpanRow row = 0; row < trace.spans.size(); ++row) {
      const int64_t from = file.FromOrigin(trace.spans.start_ns[row]);
      const int64_t to = file.FromOrigin(trace.spans.end_ns(row));
      if (from >= end || (to <= start && from < start)) continue;
      const Place place{timeline.index().TrackOf(timeline.contexts(), f, row),
                        file.rows.depth[row]};
      ++expected[place];
      if (to - from >= quantum) ++wide[place];
    }
  }
  std::set<Place> places;
  for (const auto& [place, count] : expected) places.insert(place);
  for (const auto& [place, row] : rows) places.insert(place);
  for (const Place& place : places) {
    const std::vector<DecodedBox>& row = rows[place];
    uint64_t count = 0;
    uint64_t wide_boxes = 0;
    const uint64_t cells = static_cast<uint64_t>((end - start) / quantum) + 3;
    EXPECT_LE(row.size(), 2 * cells);
    for (size_t i = 0; i < row.size(); ++i) {
      count += row[i].count;
      if (i > 0) {
        EXPECT_GE(row[i].start_ns, row[i - 1].start_ns + row[i - 1].duration_ns);
      }
      const TimelineTrack& track = timeline.index().tracks()[row[i].track];
      const Trace& trace = timeline.contexts()[track.file].trace;
      const FileTimeline& file = timeline.index().files()[track.file];
      const SpanRow event = row[i].event;
      EXPECT_EQ(row[i].name, trace.NameOfSpan(event));
      if (row[i].count == 1) {
        EXPECT_EQ(row[i].start_ns,
                  static_cast<double>(file.FromOrigin(trace.spans.start_ns[event])));
        EXPECT_EQ(row[i].duration_ns, static_cast<double>(trace.spans.duration_ns[event]));
        if (trace.spans.duration_ns[event] >= quantum) ++wide_boxes;
      } else {
        EXPECT_LT(trace.spans.duration_ns[event], quantum);
        EXPECT_LT(row[i].duration_ns, 2.0 * static_cast<double>(quantum));
      }
    }
    // A node that touches the edge may bring neighbours from outside; none from inside is missing.
    EXPECT_GE(count, expected[place]) << "track " << place.first << " depth " << place.second;
    EXPECT_EQ(wide_boxes, wide[place]);
  }
}

TEST(SpanView, NestsHostEventsAndStacksKernels) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 1000);
  builder.Operator("aten::add", 100, 300);
  builder.Runtime("cudaLaunchKernel", 150, 200, 7);
  builder.Operator("aten::mul", 400, 500);
  builder.Kernel("add_kernel", 300, 700, 7);
  builder.Kernel("mul_kernel", 500, 900, 8);
  TimelineFixture timeline(builder.trace());
  const std::vector<DecodedBox> boxes = timeline.WholeView(2000);
  std::map<std::string, uint32_t> depth;
  for (const DecodedBox& box : boxes) depth[box.name] = box.depth;
  EXPECT_EQ(depth, (std::map<std::string, uint32_t>{{"ProfilerStep#1", 0},
                                                    {"aten::add", 1},
                                                    {"cudaLaunchKernel", 2},
                                                    {"aten::mul", 1},
                                                    {"add_kernel", 0},
                                                    {"mul_kernel", 1}}));
  const uint32_t steps = timeline.Track(TrackKind::kSteps);
  ASSERT_LT(steps, timeline.index().tracks().size());
  const std::vector<DecodedBox> step = timeline.View(0, 2000, 100, {steps});
  ASSERT_EQ(step.size(), 1U);
  EXPECT_EQ(step[0].name, "Step 1");
  EXPECT_EQ(step[0].event, 0U);
}

TEST(SpanView, PutsPartialOverlapOnTheNextFreeRow) {
  TraceBuilder builder;
  builder.Operator("outer", 0, 1000);
  builder.Operator("first", 100, 300);
  builder.Operator("late", 200, 400);    // overlaps first: below it
  builder.Operator("inside", 310, 390);  // in late
  builder.Operator("after", 400, 500);   // the first row below outer is free again
  TimelineFixture timeline(builder.trace());
  const Column<uint16_t>& depth = timeline.index().files()[0].rows.depth;
  EXPECT_EQ(std::vector<uint16_t>(depth.begin(), depth.end()),
            (std::vector<uint16_t>{0, 1, 2, 3, 1}));
  CheckView(timeline, 0, 1000, 100);
}

TEST(SpanView, MergesNarrowNeighboursAndKeepsTheLongestName) {
  TraceBuilder builder;
  for (int64_t i = 0; i < 100; ++i) {
    builder.Operator(i == 42 ? "long" : "short", 1000 + i * 10, 1000 + i * 10 + (i == 42 ? 9 : 5));
  }
  builder.Operator("wide", 2000, 11000);
  TimelineFixture timeline(builder.trace());
  // A pixel is 9000 ns; the quantum 8192, the next one would be 10240.
  const std::vector<DecodedBox> boxes = timeline.View(0, 9000, 1, timeline.EventTracks());
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0].count, 100U);
  EXPECT_EQ(boxes[0].name, "long");
  EXPECT_EQ(boxes[0].duration_ns, 995.0);
  EXPECT_EQ(boxes[1].name, "wide");
  EXPECT_EQ(boxes[1].duration_ns, 9000.0);
}

TEST(SpanView, HoldsForRandomTracesAtEveryZoom) {
  for (uint64_t seed = 1; seed <= 12; ++seed) {
    TestRandom random(seed);
    TraceBuilder builder;
    const uint64_t range = seed % 3 == 0 ? 2000 : 2'000'000;
    for (int i = 0; i < 3000; ++i) {
      const auto start = static_cast<int64_t>(random.Below(range));
      const uint64_t longest = random.Below(4) == 0 ? range / 10 : range / 1000 + 2;
      const auto end = start + static_cast<int64_t>(random.Below(longest));
      switch (random.Below(4)) {
        case 0:
          builder.Kernel("k" + std::to_string(random.Below(9)), start, end, kNoUint, 0,
                         static_cast<int64_t>(random.Below(2)));
          break;
        case 1:
          builder.Python("p" + std::to_string(random.Below(9)), start, end);
          break;
        default:
          builder.Operator("o" + std::to_string(random.Below(9)), start, end,
                           static_cast<int64_t>(random.Below(2)));
      }
    }
    TimelineFixture timeline(builder.trace());
    EXPECT_EQ(SumOfCounts(timeline.WholeView(100)), builder.trace().spans.size());
    for (int view = 0; view < 30; ++view) {
      const auto start = static_cast<int64_t>(random.Below(range));
      const auto length = static_cast<int64_t>(1 + random.Below(1 + (range >> random.Below(12))));
      CheckView(timeline, start, start + length, static_cast<uint32_t>(1 + random.Below(400)));
    }
  }
}

TEST(SpanView, StandsStillWhenMoved) {
  TestRandom random(5);
  TraceBuilder builder;
  int64_t time = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto length = static_cast<int64_t>(1 + random.Below(50));
    builder.Operator("o", time, time + length);
    time += length + static_cast<int64_t>(random.Below(30));
  }
  TimelineFixture timeline(builder.trace());
  const auto starts_between = [&](int64_t view_start, int64_t from, int64_t to) {
    std::vector<double> starts;
    for (const DecodedBox& box :
         timeline.View(view_start, view_start + 300000, 300, timeline.EventTracks())) {
      if (box.start_ns >= static_cast<double>(from) && box.start_ns < static_cast<double>(to)) {
        starts.push_back(box.start_ns);
      }
    }
    return starts;
  };
  EXPECT_EQ(starts_between(0, 100000, 250000), starts_between(77777, 100000, 250000));
}

TEST(SpanView, AllSpansAtOneInstant) {
  TraceBuilder builder;
  for (int i = 0; i < 100000; ++i) builder.Operator("zero", 500, 500);
  TimelineFixture timeline(builder.trace());
  const std::vector<DecodedBox> boxes = timeline.View(0, 1000, 1000, timeline.EventTracks());
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_EQ(boxes[0].count, 100000U);
  EXPECT_EQ(timeline.View(-500, 0, 10, timeline.EventTracks()).size(), 0U);  // 500 is the origin
}

TEST(SpanView, PilesUpWhatIsTooDeep) {
  TraceBuilder builder;
  const TrackId track = builder.Track(TraceBuilder::kHostPid, 1);
  for (int i = 0; i < 10000; ++i) builder.Add("cpu_op", "deep", 0, 1000, track);
  TimelineFixture timeline(builder.trace());
  const std::vector<DecodedBox> boxes = timeline.WholeView(100);
  EXPECT_EQ(boxes.size(), 4096U);
  EXPECT_EQ(SumOfCounts(boxes), 10000U);
}

// Overlaps that never nest: a row each, as long as there are rows.
TEST(SpanView, StairsOfOverlaps) {
  TraceBuilder builder;
  const TrackId track = builder.Track(TraceBuilder::kHostPid, 1);
  for (int i = 0; i < 6000; ++i) builder.Add("cpu_op", "stair", i, i + 5000, track);
  TimelineFixture timeline(builder.trace());
  const std::vector<DecodedBox> boxes = timeline.WholeView(100);
  EXPECT_EQ(SumOfCounts(boxes), 6000U);
}

TEST(SpanView, SpanFarOutsideDoesNotStretchTheWindow) {
  TraceBuilder builder;
  constexpr int64_t kNow = 1'700'000'000'000'000'000;
  for (int64_t i = 0; i < 1000; ++i) builder.Operator("o", kNow + i * 100, kNow + i * 100 + 50);
  builder.Operator("astray", 5, 10);
  builder.Operator("future", (int64_t{1} << 62) - 10, (int64_t{1} << 62) - 5);
  builder.Operator("past", -(int64_t{1} << 62) + 1, -(int64_t{1} << 62) + 5);
  TimelineFixture timeline(builder.trace());
  EXPECT_EQ(timeline.index().origin_ns(), kNow);
  EXPECT_EQ(timeline.index().duration_ns(), 99950);
  EXPECT_EQ(timeline.index().spans_outside(), 3U);
  EXPECT_EQ(timeline.View(0, 99951, 2000, timeline.EventTracks()).size(), 1000U);
  EXPECT_EQ(SumOfCounts(timeline.View(INT64_MIN, INT64_MAX, 1000, timeline.EventTracks())), 1003U);
}

TEST(SpanView, OneSpanCoversAll) {
  TraceBuilder builder;
  for (int64_t i = 0; i < 1000; ++i) builder.Operator("o", i * 100, i * 100 + 50);
  builder.Operator("all", -1000, 1'000'000);
  TimelineFixture timeline(builder.trace());
  const std::vector<DecodedBox> boxes = timeline.View(2000, 2300, 300, timeline.EventTracks());
  ASSERT_FALSE(boxes.empty());
  EXPECT_EQ(boxes[0].name, "all");
  EXPECT_EQ(boxes[0].depth, 0U);
  CheckView(timeline, 2000, 2300, 300);
  CheckView(timeline, 0, 1'001'000, 10);
}

TEST(SpanView, ShowsEveryCategoryOnce) {
  TraceBuilder builder;
  const TrackId thread = builder.Track(TraceBuilder::kHostPid, 1);
  for (const char* category : {"cpu_op", "user_annotation", "cuda_runtime", "overhead", "Trace",
                               "something else", "python_function"}) {
    builder.Add(category, category, 0, 100, thread);
  }
  const TrackId stream = builder.Track(0, 7);
  for (const char* category :
       {"kernel", "gpu_memcpy", "gpu_memset", "gpu_user_annotation", "cuda_sync", "odd"}) {
    builder.Add(category, category, 0, 100, stream);
  }
  builder.Add("cpu_op", "unmatched", 50, 50, thread);
  builder.trace().spans.category[builder.trace().spans.size() - 1] = Category::kUnmatched;
  TimelineFixture timeline(builder.trace());
  const std::vector<DecodedBox> boxes = timeline.WholeView(1000);
  EXPECT_EQ(SumOfCounts(boxes), builder.trace().spans.size());
  for (const DecodedBox& box : boxes) {
    const auto category = NameOf(static_cast<TimelineCategory>(box.category));
    const TrackKind kind = timeline.index().tracks()[box.track].kind;
    if (box.name == "unmatched") {
      EXPECT_EQ(category, "unmatched");
    }
    if (box.name == "odd" || box.name == "cuda_sync") {
      EXPECT_EQ(kind, TrackKind::kStream);
      EXPECT_GE(box.depth, 3U) << box.name << ": below kernels";
    }
    if (box.name == "gpu_user_annotation") {
      EXPECT_EQ(kind, TrackKind::kAnnotations);
    }
    if (box.name == "python_function") {
      EXPECT_EQ(kind, TrackKind::kPython);
    }
  }
}

TEST(SpanView, PartsAreTogetherTheWholeView) {
  TraceBuilder builder;
  // Names that grow in JSON, some on several rows, some long.
  for (int64_t i = 0; i < 300; ++i) {
    const std::string name = std::string(static_cast<size_t>(i % 40), '"') + std::to_string(i % 50);
    builder.Operator(name, i * 100, i * 100 + 90);
    builder.Operator("inner", i * 100 + 10, i * 100 + 60);
    if (i % 3 == 0) builder.Operator(std::string(300, '\x01'), i * 100 + 20, i * 100 + 30);
  }
  TimelineFixture timeline(builder.trace());
  const std::vector<uint32_t> tracks = timeline.EventTracks();
  const ViewRange range{0, 30'000, 30'000};
  const std::vector<DecodedBox> whole =
      timeline.View(range.start_ns, range.end_ns, range.width, tracks);
  ASSERT_EQ(whole.size(), 700U);
  for (const size_t most_bytes : {size_t{1}, size_t{3000}, size_t{20'000}, SIZE_MAX}) {
    std::vector<DecodedBox> joined;
    size_t parts = 0;
    for (DecodedPart part; parts == 0 || joined.size() < part.total; ++parts) {
      const SpanPart asked{joined.size(), most_bytes};
      const std::string bytes =
          EncodeSpans(ViewSpans(timeline.contexts(), timeline.index(), range, tracks, asked));
      const std::vector<DecodedBox> boxes = DecodeSpans(bytes, &part);
      ASSERT_FALSE(boxes.empty());
      EXPECT_EQ(part.skipped, joined.size());
      EXPECT_EQ(part.total, whole.size());
      if (boxes.size() > 1) {
        EXPECT_LE(bytes.size(), most_bytes);
      }
      joined.insert(joined.end(), boxes.begin(), boxes.end());
    }
    EXPECT_EQ(joined, whole) << most_bytes;
    EXPECT_EQ(parts == 1, most_bytes == SIZE_MAX);
  }
  DecodedPart behind;
  const SpanPart all_skipped{whole.size() + 5, SIZE_MAX};
  EXPECT_TRUE(DecodeSpans(EncodeSpans(ViewSpans(timeline.contexts(), timeline.index(), range,
                                                tracks, all_skipped)),
                          &behind)
                  .empty());
  EXPECT_EQ(behind.total, whole.size());
}

TEST(SpanView, ShortensLongNamesBetweenCharacters) {
  TraceBuilder builder;
  std::string name = "begin_";
  for (int i = 0; i < 200; ++i) name += "\xc3\xa4";  // ä
  name += "_end";
  builder.Operator(name, 0, 10);
  TimelineFixture timeline(builder.trace());
  const std::vector<DecodedBox> boxes = timeline.WholeView(10);
  ASSERT_EQ(boxes.size(), 1U);
  EXPECT_LE(boxes[0].name.size(), 160U);
  EXPECT_TRUE(boxes[0].name.starts_with("begin_"));
  EXPECT_TRUE(boxes[0].name.ends_with("_end"));
  EXPECT_NE(boxes[0].name.find("\xe2\x80\xa6"), std::string::npos);
}

TEST(SpanView, EmptyTrace) {
  TraceBuilder builder;
  TimelineFixture timeline(builder.trace());
  EXPECT_TRUE(timeline.index().tracks().empty());
  EXPECT_EQ(timeline.View(0, 1000, 100, {}).size(), 0U);
}

}  // namespace
}  // namespace telltale
