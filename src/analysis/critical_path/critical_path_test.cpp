// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path/critical_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

// One line a piece: "cause name start+duration".
struct Path {
  CriticalPathReport report;
  std::vector<std::string> pieces;
};

Path PathOf(TraceBuilder& builder, CriticalPathOptions options = {}) {
  AnalysisOptions analysis;
  analysis.threads = 1;
  std::vector<TraceContext> contexts;
  contexts.push_back(PrepareTrace(builder.trace(), analysis));
  options.pieces = true;
  Path path{DescribeCriticalPath(contexts, options), {}};
  for (const PathPiece& piece : path.report.pieces) {
    std::string line(NameOf(piece.cause));
    if (piece.span != kNoRow) line += " " + std::string(builder.trace().NameOfSpan(piece.span));
    line += " " + std::to_string(piece.start_ns) + "+" + std::to_string(piece.duration_ns);
    path.pieces.push_back(line);
  }
  return path;
}

using Lines = std::vector<std::string>;

int64_t IfFree(const Path& path, PathCause cause, std::string_view name) {
  for (const PathCauseRow& row : path.report.causes) {
    if (row.cause == cause && row.name == name) return row.average_if_free_ns.value_or(-1);
  }
  return -2;
}

// The pieces are the regions without a gap, and the graph gives the captured times.
void ExpectSound(const CriticalPathReport& report) {
  EXPECT_EQ(report.recomputed_average_ns, report.average_ns);
  for (uint32_t i = 0; i < report.regions.size(); ++i) {
    const PathRegion& region = report.regions[i];
    EXPECT_EQ(std::accumulate(region.causes.begin(), region.causes.end(), int64_t{0}),
              region.duration_ns);
    EXPECT_EQ(region.recomputed_ns, region.duration_ns);
    int64_t time = region.start_ns;
    for (const PathPiece& piece : report.pieces) {
      if (piece.region != i) continue;
      EXPECT_EQ(piece.start_ns, time);
      EXPECT_GT(piece.duration_ns, 0);
      time += piece.duration_ns;
    }
    EXPECT_EQ(time, region.start_ns + region.duration_ns);
  }
  for (const PathCauseRow& row : report.causes) {
    if (!row.average_if_free_ns) continue;
    EXPECT_LE(*row.average_if_free_ns, report.average_ns);
    EXPECT_GE(*row.average_if_free_ns, 0);
  }
}

TEST(CriticalPath, FollowsHostTimeThroughOperatorsAndCalls) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#3", 0, 100);
  b.Operator("aten::add", 10, 60);
  b.Runtime("cudaMalloc", 20, 30);
  b.Annotation("optimizer", 70, 90);
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces,
            (Lines{"host_other 0+10", "operator aten::add 10+10", "runtime cudaMalloc 20+10",
                   "operator aten::add 30+30", "host_other 60+10", "host_other optimizer 70+20",
                   "host_other 90+10"}));
  ExpectSound(path.report);
  EXPECT_EQ(path.report.regions[0].name, "3");
  EXPECT_EQ(IfFree(path, PathCause::kOperator, "aten::add"), 60);
}

TEST(CriticalPath, EntersTheDeviceByTheLaunchThatWasWaitedFor) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 30);
  b.Operator("aten::mm", 5, 25);
  b.Runtime("cudaLaunchKernel", 10, 16, 7);
  b.Kernel("gemm", 20, 80, 7);
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces,
            (Lines{"host_other 0+5", "operator aten::mm 5+5", "runtime cudaLaunchKernel 10+6",
                   "launch_delay cudaLaunchKernel 16+4", "kernel gemm 20+60"}));
  ExpectSound(path.report);
  // The host is done at 30 whatever the kernel does.
  EXPECT_EQ(IfFree(path, PathCause::kKernel, "gemm"), 30);
}

TEST(CriticalPath, AKernelThatStartsDuringItsLaunchCutsTheCall) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 30);
  b.Runtime("cudaLaunchKernel", 10, 25, 7);
  b.Kernel("k", 18, 50, 7);
  EXPECT_EQ(PathOf(b).pieces,
            (Lines{"host_other 0+10", "runtime cudaLaunchKernel 10+8", "kernel k 18+32"}));
}

TEST(CriticalPath, QueuedKernelsFollowEachOther) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 40);
  b.Runtime("cudaLaunchKernel", 0, 4, 1);
  b.Runtime("cudaLaunchKernel", 4, 8, 2);
  b.Kernel("a", 10, 50, 1);
  b.Kernel("b", 52, 90, 2);
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces, (Lines{"runtime cudaLaunchKernel 0+4", "launch_delay cudaLaunchKernel 4+6",
                                "kernel a 10+40", "kernel_gap b 50+2", "kernel b 52+38"}));
  ExpectSound(path.report);
  // Without a, b waits for its launch at 4, which usually takes 10.
  EXPECT_EQ(IfFree(path, PathCause::kKernel, "a"), 4 + 10 + 38);
}

TEST(CriticalPath, KernelsOfAGraphShareOneLaunch) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 20);
  b.Runtime("cudaGraphLaunch", 0, 10, 5);
  b.Kernel("a", 15, 25, 5);
  b.Kernel("b", 26, 40, 5);
  b.Kernel("c", 40, 70, 5);
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces,
            (Lines{"runtime cudaGraphLaunch 0+10", "launch_delay cudaGraphLaunch 10+5",
                   "kernel a 15+10", "kernel_gap b 25+1", "kernel b 26+14", "kernel c 40+30"}));
  ExpectSound(path.report);
}

TEST(CriticalPath, AWaitingCallLeadsToTheWorkItWaitedFor) {
  for (const char* call : {"cudaDeviceSynchronize", "cudaStreamSynchronize", "hipEventSynchronize",
                           "cuCtxSynchronize"}) {
    TraceBuilder b;
    b.Annotation("ProfilerStep#1", 0, 100);
    b.Runtime("cudaLaunchKernel", 0, 4, 1);
    b.Kernel("k", 4, 60, 1);
    b.Runtime(call, 10, 65);
    b.Operator("aten::add", 70, 100);
    const Path path = PathOf(b);
    EXPECT_EQ(path.pieces, (Lines{"runtime cudaLaunchKernel 0+4", "kernel k 4+56",
                                  "synchronization " + std::string(call) + " 60+5",
                                  "host_other 65+5", "operator aten::add 70+30"}));
    ExpectSound(path.report);
    // The call begins at 10, and takes no time if it need not wait.
    EXPECT_EQ(IfFree(path, PathCause::kKernel, "k"), 10 + 35);
  }
}

TEST(CriticalPath, AWaitForWorkThatIsDoneIsTheCallsOwnTime) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Runtime("cudaLaunchKernel", 0, 4, 1);
  b.Kernel("k", 4, 8, 1);
  b.Runtime("cudaDeviceSynchronize", 10, 65);
  EXPECT_EQ(PathOf(b).pieces,
            (Lines{"runtime cudaLaunchKernel 0+4", "host_other 4+6",
                   "synchronization cudaDeviceSynchronize 10+55", "host_other 65+35"}));
}

TEST(CriticalPath, CopiesWaitWhereTheyMust) {
  const auto pieces = [](std::string_view call, std::string_view copy) {
    TraceBuilder b;
    b.Annotation("ProfilerStep#1", 0, 50);
    b.Runtime(call, 10, 40, 1);
    b.Memcpy(copy, 15, 35, 1);
    return PathOf(b).pieces;
  };
  const Lines waited = {"host_other 0+10", "runtime cudaMemcpyAsync 10+5",
                        "memcpy Memcpy DtoH (Device -> Pageable) 15+20",
                        "synchronization cudaMemcpyAsync 35+5", "host_other 40+10"};
  EXPECT_EQ(pieces("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pageable)"), waited);
  EXPECT_EQ(pieces("cudaMemcpyAsync", "Memcpy DtoH (Device -> Pinned)"),
            (Lines{"host_other 0+10", "runtime cudaMemcpyAsync 10+30", "host_other 40+10"}));
  EXPECT_EQ(pieces("cudaMemcpy", "Memcpy HtoD (Pinned -> Device)")[2],
            "memcpy Memcpy HtoD (Pinned -> Device) 15+20");
}

// An event is recorded behind "a" on stream 7; stream 8 waits for it before "b".
TraceBuilder TwoStreams(bool calls = true) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 30);
  b.Runtime("cudaLaunchKernel", 0, 4, 1);
  if (calls) b.Runtime("cudaEventRecord", 4, 5, 2);
  b.Runtime("cudaLaunchKernel", 5, 8, 9);
  if (calls) b.Runtime("cudaStreamWaitEvent", 8, 9, 3);
  b.Runtime("cudaLaunchKernel", 10, 14, 4);
  b.Kernel("a", 6, 50, 1, 0, 7);
  b.Kernel("later", 50, 51, 9, 0, 7);
  b.Kernel("b", 53, 90, 4, 0, 8);
  return b;
}

TEST(CriticalPath, StreamsWaitForRecordedEvents) {
  TraceBuilder b = TwoStreams();
  const SpanRow sync = b.Add("cuda_sync", "Stream Wait Event", 9, 10, b.Track(0, 8));
  SyncDetail detail;
  detail.correlation = 3;
  detail.device = 0;
  detail.stream = 8;
  detail.wait_on_stream = 7;
  detail.wait_on_record_correlation = 2;
  b.trace().spans.detail[sync] = static_cast<uint32_t>(b.trace().sync_details.size());
  b.trace().sync_details.push_back(detail);
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces, (Lines{"runtime cudaLaunchKernel 0+4", "launch_delay cudaLaunchKernel 4+2",
                                "kernel a 6+44", "kernel_gap b 50+3", "kernel b 53+37"}));
  EXPECT_EQ(path.report.notes.known_dependencies, 1u);
  EXPECT_EQ(path.report.notes.guessed_dependencies, 0u);
  ExpectSound(path.report);
}

TEST(CriticalPath, WithoutSyncEventsTheCallsSayWhatAStreamWaitedFor) {
  TraceBuilder b = TwoStreams();
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces, (Lines{"runtime cudaLaunchKernel 0+4", "launch_delay cudaLaunchKernel 4+2",
                                "kernel a 6+44", "kernel_gap b 50+3", "kernel b 53+37"}));
  EXPECT_EQ(path.report.notes.guessed_dependencies, 1u);
  ExpectSound(path.report);
}

TEST(CriticalPath, GuessesWhatAStreamWaitedForWithoutEvents) {
  TraceBuilder b = TwoStreams(false);
  const Path path = PathOf(b);
  // The last to end before b began.
  EXPECT_EQ(path.pieces,
            (Lines{"runtime cudaLaunchKernel 0+4", "launch_delay cudaLaunchKernel 4+2",
                   "kernel a 6+44", "kernel later 50+1", "kernel_gap b 51+2", "kernel b 53+37"}));
  EXPECT_EQ(path.report.notes.guessed_dependencies, 1u);
  ExpectSound(path.report);
}

TEST(CriticalPath, HandsOverToTheBackwardThreadAndBack) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Operator("aten::loss", 0, 20);
  b.Operator("autograd::engine::evaluate_function: MulBackward0", 25, 50, 2);
  b.Operator("autograd::engine::evaluate_function: AddBackward0", 55, 70, 2);
  b.Operator("aten::sgd", 80, 100);
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces, (Lines{"operator aten::loss 0+20", "host_other 20+5",
                                "operator autograd::engine::evaluate_function: MulBackward0 25+25",
                                "host_other 50+5",
                                "operator autograd::engine::evaluate_function: AddBackward0 55+15",
                                "host_other 70+10", "operator aten::sgd 80+20"}));
  EXPECT_EQ(path.report.notes.hand_overs, 1u);
  ExpectSound(path.report);
  EXPECT_EQ(IfFree(path, PathCause::kOperator, "autograd::engine::evaluate_function: MulBackward0"),
            75);
}

TEST(CriticalPath, ClockSkewIsClampedAndCounted) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 30);
  b.Runtime("cudaLaunchKernel", 0, 4, 1);
  b.Operator("aten::mm", 5, 30);
  b.Runtime("cudaLaunchKernel", 20, 24, 2);
  b.Kernel("a", 6, 8, 1);
  b.Kernel("early", 17, 60, 2);  // 3 before its launch
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces, (Lines{"runtime cudaLaunchKernel 0+4", "host_other 4+1",
                                "operator aten::mm 5+12", "kernel early 17+43"}));
  EXPECT_EQ(path.report.notes.early_starts, 1u);
  ExpectSound(path.report);
}

TEST(CriticalPath, OverlappingKernelsOfAStreamCountOnce) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 10);
  b.Runtime("cudaLaunchKernel", 0, 2, 1);
  b.Runtime("cudaLaunchKernel", 2, 4, 2);
  b.Kernel("a", 4, 40, 1);
  b.Kernel("b", 38, 60, 2);
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces, (Lines{"runtime cudaLaunchKernel 0+2", "launch_delay cudaLaunchKernel 2+2",
                                "kernel a 4+34", "kernel b 38+22"}));
  EXPECT_EQ(path.report.notes.overlaps_on_stream, 1u);
  ExpectSound(path.report);
}

TEST(CriticalPath, EverythingInADataLoaderIsDataLoading) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 100);
  b.Annotation("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 10, 60);
  b.Operator("aten::stack", 20, 30);
  b.Operator("aten::add", 70, 90);
  const Path path = PathOf(b);
  EXPECT_EQ(path.report.totals[static_cast<size_t>(PathCause::kDataLoading)], 50);
  EXPECT_EQ(path.report.totals[static_cast<size_t>(PathCause::kOperator)], 20);
  ExpectSound(path.report);
}

TEST(CriticalPath, AStepBeginsInTheWorkOfTheOneBefore) {
  TraceBuilder b;
  b.Annotation("ProfilerStep#1", 0, 20);
  b.Runtime("cudaLaunchKernel", 5, 8, 1);
  b.Kernel("a", 10, 60, 1);
  b.Annotation("ProfilerStep#2", 20, 40);
  b.Runtime("cudaLaunchKernel", 25, 28, 2);
  b.Kernel("b", 61, 100, 2);
  const Path path = PathOf(b);
  ASSERT_EQ(path.report.regions.size(), 2u);
  EXPECT_EQ(path.pieces, (Lines{"host_other 0+5", "runtime cudaLaunchKernel 5+3",
                                "launch_delay cudaLaunchKernel 8+2", "kernel a 10+50",
                                "kernel_gap b 60+1", "kernel b 61+39"}));
  ExpectSound(path.report);
}

TEST(CriticalPath, AnAnnotationCountsItsInstancesFromZero) {
  TraceBuilder b;
  b.Annotation("forward", 0, 10);
  b.Annotation("forward", 20, 40);
  b.Runtime("cudaLaunchKernel", 25, 28, 2);
  b.Kernel("k", 30, 90, 2);
  CriticalPathOptions options;
  options.annotation = "forward";
  options.instance = 1;
  const Path path = PathOf(b, options);
  ASSERT_EQ(path.report.regions.size(), 1u);
  EXPECT_EQ(path.report.regions[0].duration_ns, 70);
  EXPECT_EQ(path.report.kind, PathRegionKind::kAnnotation);
  options.instance = 2;
  EXPECT_TRUE(PathOf(b, options).report.regions.empty());
  EXPECT_EQ(PathOf(b, options).report.annotation_instances, 2u);
}

TEST(CriticalPath, WorkThatNothingExplainsIsIdle) {
  TraceBuilder b;
  b.Operator("aten::add", 0, 10);
  b.Kernel("orphan", 50, 90, 77);
  const Path path = PathOf(b);
  EXPECT_EQ(path.pieces, (Lines{"idle 0+50", "kernel orphan 50+40"}));
  EXPECT_EQ(path.report.kind, PathRegionKind::kWholeTrace);
  ExpectSound(path.report);
}

TEST(CriticalPath, AnEmptyTraceHasNoRegion) {
  TraceBuilder b;
  EXPECT_TRUE(PathOf(b).report.regions.empty());
}

// Two ranks whose clocks agree: three steps, each with an all-reduce for which rank 0 waits.
CriticalPathReport TwoRanks(bool on_device) {
  TraceBuilder ranks[2];
  for (int rank = 0; rank < 2; ++rank) {
    TraceBuilder& b = ranks[rank];
    b.trace().distributed.present = true;
    b.trace().distributed.rank = rank;
    b.trace().distributed.world_size = 2;
    for (int64_t step = 0; step < 3; ++step) {
      const int64_t t = step * 100'000;
      const int64_t late = rank == 0 ? 5'000 : 50'000;
      b.Annotation("ProfilerStep#" + std::to_string(step), t, t + 90'000);
      b.Operator(rank == 0 ? "aten::quick" : "aten::slow", t, t + late);
      if (on_device) {
        const auto correlation = static_cast<uint64_t>(step + 1);
        b.Runtime("cudaLaunchKernel", t + late, t + late + 1'000, correlation);
        b.Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", t + late + 1'000, t + 60'000,
                 correlation);
        b.Runtime("cudaDeviceSynchronize", t + late + 1'000, t + 61'000);
      } else {
        b.Annotation("gloo:all_reduce", t + late, t + 60'000, 2);
      }
      b.Operator("aten::rest", t + 61'000, t + 90'000);
    }
  }
  AnalysisOptions analysis;
  analysis.threads = 1;
  std::vector<TraceContext> contexts;
  for (TraceBuilder& b : ranks) contexts.push_back(PrepareTrace(b.trace(), analysis));
  CriticalPathOptions options;
  options.pieces = true;
  CriticalPathReport report = DescribeCriticalPath(contexts, options);
  ExpectSound(report);
  return report;
}

int64_t TotalOf(const CriticalPathReport& report, PathCause cause, std::string_view name) {
  for (const PathCauseRow& row : report.causes) {
    if (row.cause == cause && row.name == name) return row.total_ns;
  }
  return 0;
}

TEST(CriticalPath, CrossesToTheRankThatCameLast) {
  for (const bool on_device : {true, false}) {
    SCOPED_TRACE(on_device);
    const CriticalPathReport report = TwoRanks(on_device);
    EXPECT_TRUE(report.joined);
    EXPECT_EQ(report.notes.meetings, 3u);
    ASSERT_EQ(report.regions.size(), 3u);
    EXPECT_FALSE(report.regions[0].file.has_value());
    // The step of rank 0 is decided by rank 1.
    EXPECT_EQ(TotalOf(report, PathCause::kOperator, "aten::slow"), 3 * 50'000);
    EXPECT_EQ(TotalOf(report, PathCause::kOperator, "aten::quick"), 0);
    EXPECT_EQ(report.pieces.front().file, 1u);
    // Without the slow operator both ranks come at once or after the quick one.
    const auto slow =
        std::find_if(report.causes.begin(), report.causes.end(),
                     [](const PathCauseRow& row) { return row.name == "aten::slow"; });
    ASSERT_NE(slow, report.causes.end());
    EXPECT_EQ(slow->average_if_free_ns, 90'000 - 45'000);
  }
}

// Whatever a file holds, the path fills its regions and the graph gives the captured times.
TEST(CriticalPath, IsSoundOnRandomTraces) {
  static constexpr const char* kCalls[] = {
      "cudaLaunchKernel",      "cudaMemcpyAsync", "cudaDeviceSynchronize",
      "cudaStreamSynchronize", "cudaMemcpy",      "cudaMalloc"};
  for (uint32_t seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const auto upto = [&](int64_t n) {
      return static_cast<int64_t>(random() % static_cast<uint64_t>(n));
    };
    TraceBuilder b;
    for (int64_t i = 0; i < 3; ++i) {
      b.Annotation("ProfilerStep#" + std::to_string(i), i * 100, i * 100 + 80 + upto(20));
    }
    const int64_t events = 3 + upto(60);
    uint64_t correlation = 1;
    for (int64_t i = 0; i < events; ++i) {
      const int64_t start = upto(300);
      const int64_t end = start + upto(40);
      const int64_t tid = 1 + upto(3);
      switch (upto(3)) {
        case 0:
          b.Operator(upto(2) == 0 ? "aten::x" : "XBackward0", start, end, tid);
          break;
        case 1:
          b.Annotation(upto(2) == 0 ? "range" : "enumerate(DataLoader)#x", start, end, tid);
          break;
        default: {
          const auto c = correlation++;
          b.Runtime(kCalls[upto(6)], start, end, c, tid);
          for (int64_t k = upto(3); k > 0; --k) {
            const int64_t at = start - 5 + upto(60);
            b.Device(upto(3) == 0 ? "gpu_memcpy" : "kernel",
                     upto(2) == 0 ? "k (Pageable)" : "nccl_k", at, at + upto(30), c, 0, upto(3));
          }
        }
      }
    }
    SCOPED_TRACE(seed);
    ExpectSound(PathOf(b).report);
  }
}

TEST(CriticalPath, OperatorsNestedTwentyThousandDeepGiveASoundPath) {
  TraceBuilder b;
  constexpr int64_t kDepth = 20'000;
  b.Annotation("ProfilerStep#1", 0, 4 * kDepth);
  for (int64_t i = 0; i < kDepth; ++i) b.Operator("aten::x", i, 4 * kDepth - i);
  for (int64_t i = 0; i < kDepth; ++i) {
    b.Runtime("cudaLaunchKernel", kDepth + i, kDepth + i + 1, static_cast<uint64_t>(i + 1));
    b.Kernel("k", kDepth + i + 1, kDepth + i + 2, static_cast<uint64_t>(i + 1));
  }
  ExpectSound(PathOf(b).report);
}

}  // namespace
}  // namespace telltale
