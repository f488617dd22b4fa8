// SPDX-License-Identifier: Apache-2.0
#include "analysis/distributed/distributed.h"

#include <list>

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"

namespace telltale {
namespace {

class Ranks {
 public:
  TraceBuilder& Add(int64_t rank, int64_t world_size) {
    TraceBuilder& b = builders_.emplace_back();
    b.trace().distributed = {true, "gloo", rank, world_size};
    return b;
  }
  DistributedReport Describe(const AnalysisOptions& options = {}) {
    std::vector<TraceContext> contexts;
    for (TraceBuilder& b : builders_) contexts.push_back(PrepareTrace(b.trace(), options));
    return DescribeDistributed(contexts);
  }

 private:
  std::list<TraceBuilder> builders_;
};

void Gloo(TraceBuilder& b, int64_t start, int64_t end, std::string_view dims = "[[250]]",
          std::string_view name = "gloo:all_reduce") {
  const SpanRow row = b.Annotation(name, start, end, 2);
  b.OperatorDetailOf(row).input_dims = b.Text(dims);
  b.OperatorDetailOf(row).input_types = b.Text(R"(["float"])");
}

TEST(Distributed, StepsDivideIntoComputationOverlapCommunicationAndOther) {
  Ranks ranks;
  TraceBuilder& b = ranks.Add(0, 2);
  b.Annotation("ProfilerStep#5", 0, 1000);
  b.Kernel("gemm", 100, 300);
  b.Kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", 250, 600, kNoUint, 0, 8);
  b.Memcpy("Memcpy DtoH", 600, 700);
  const DistributedReport report = ranks.Describe();
  ASSERT_EQ(report.steps.size(), 1u);
  const RankTimes& times = report.steps[0].times;
  EXPECT_EQ(report.steps[0].name, "5");
  EXPECT_EQ(times.duration_ns, 1000);
  EXPECT_EQ(times.computation_ns, 150);
  EXPECT_EQ(times.overlap_ns, 50);
  EXPECT_EQ(times.communication_ns, 300);
  EXPECT_EQ(times.other_ns, 500);
  EXPECT_EQ(times.transfer_ns, std::nullopt);
  EXPECT_EQ(report.ranks[0].average.communication_ns, 300);
  EXPECT_EQ(report.missing_ranks, std::vector<int64_t>{1});
}

TEST(Distributed, WithoutKernelsOperatorsComputeAndGlooRangesCommunicate) {
  Ranks ranks;
  TraceBuilder& b = ranks.Add(0, 1);
  b.Annotation("ProfilerStep#1", 0, 1000);
  b.Annotation("backward", 0, 900);
  b.Operator("aten::mm", 100, 300);
  b.Operator("c10d::allreduce_", 300, 320);
  Gloo(b, 200, 500);
  const RankTimes times = ranks.Describe().steps[0].times;
  EXPECT_EQ(times.computation_ns, 100);
  EXPECT_EQ(times.overlap_ns, 100);
  EXPECT_EQ(times.communication_ns, 200);
  EXPECT_EQ(times.other_ns, 600);
}

TEST(Distributed, AveragesAreOverCompleteStepsAndAddUp) {
  Ranks ranks;
  TraceBuilder& b = ranks.Add(0, 1);
  for (int64_t step = 0; step < 3; ++step) {
    b.Annotation("ProfilerStep#" + std::to_string(step), 100 * step, 100 * step + 100);
    b.Operator("aten::mm", 100 * step + 1, 100 * step + 2 + 3 * step);
  }
  const RankRow row = ranks.Describe().ranks[0];
  EXPECT_EQ(row.steps, 3u);
  EXPECT_EQ(row.average.duration_ns, 100);
  EXPECT_EQ(row.average.computation_ns, 4);
  EXPECT_EQ(row.average.other_ns, 96);
}

TEST(Distributed, TransferIsTheShortestRanksTimeAndTheRestIsWaiting) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add(0, 2);
  TraceBuilder& b = ranks.Add(1, 2);
  a.Annotation("ProfilerStep#1", 0, 1000);
  b.Annotation("ProfilerStep#1", 0, 1000);
  Gloo(a, 100, 600);
  Gloo(b, 400, 600);
  const DistributedReport report = ranks.Describe();
  ASSERT_EQ(report.matches.size(), 1u);
  const MatchRow& match = report.matches[0];
  EXPECT_EQ(match.name, "all_reduce");
  EXPECT_EQ(match.step, "1");
  EXPECT_EQ(match.transfer_ns, 200);
  EXPECT_EQ(match.start_skew_ns, 300);
  EXPECT_EQ(match.bytes, 1000);
  EXPECT_DOUBLE_EQ(*match.algorithm_bandwidth_gb_per_s, 5);
  EXPECT_DOUBLE_EQ(*match.bus_bandwidth_gb_per_s, 5);  // 2 (n - 1) / n of two ranks
  EXPECT_EQ(match.last_file, 1u);
  ASSERT_EQ(match.members.size(), 2u);
  EXPECT_EQ(match.members[0].waiting_ns, 300);
  EXPECT_EQ(match.members[1].waiting_ns, 0);
  EXPECT_EQ(report.steps[0].times.transfer_ns, 200);
  EXPECT_EQ(report.steps[0].times.waiting_ns, 300);
  ASSERT_EQ(report.collectives.size(), 1u);
  const CollectiveRow& row = report.collectives[0];
  EXPECT_EQ(row.calls, 2u);
  EXPECT_EQ(row.matched, 1u);
  EXPECT_EQ(row.bytes, 2000);
  EXPECT_EQ(row.total_ns, 700);
  EXPECT_EQ(row.mean_ns, 350);
  EXPECT_EQ(row.transfer_ns, 200);
  EXPECT_EQ(row.waiting_ns, 300);
  EXPECT_TRUE(report.missing_ranks.empty());
}

TEST(Distributed, RowsAreByGroupTypeAndSizeClass) {
  Ranks ranks;
  TraceBuilder& b = ranks.Add(0, 2);
  Gloo(b, 0, 10, "[[256]]");   // 1024 bytes
  Gloo(b, 20, 30, "[[300]]");  // 1200: the same class
  Gloo(b, 40, 50, "[[512]]");  // 2048
  Gloo(b, 60, 70, "[[512]]", "gloo:broadcast");
  const DistributedReport report = ranks.Describe();
  ASSERT_EQ(report.collectives.size(), 3u);
  EXPECT_EQ(report.collectives[0].calls, 2u);
  EXPECT_EQ(report.collectives[0].bytes_min, 1024);
  EXPECT_EQ(report.collectives[0].bytes_max, 1200);
  EXPECT_EQ(report.collectives[0].transfer_ns, std::nullopt);
}

TEST(Distributed, TheLateRankIsNamedWithWhatItDidMore) {
  Ranks ranks;
  for (int64_t rank = 0; rank < 3; ++rank) {
    TraceBuilder& b = ranks.Add(rank, 3);
    for (int64_t step = 0; step < 2; ++step) {
      const int64_t start = 1000 * step;
      b.Annotation("ProfilerStep#" + std::to_string(step), start, start + 1000);
      b.Operator("aten::mm", start + 50, start + 150);
      if (rank == 1) b.Annotation("slow input", start + 160, start + 660);
      const int64_t late = rank == 1 ? 500 : 10 * rank;
      Gloo(b, start + 200 + late, start + 900);
    }
  }
  const Stragglers stragglers = ranks.Describe().stragglers;
  EXPECT_EQ(stragglers.decided, 2u);
  EXPECT_EQ(stragglers.steps, 2u);
  ASSERT_EQ(stragglers.rows.size(), 1u);
  const StragglerRow& row = stragglers.rows[0];
  EXPECT_EQ(row.file, 1u);
  EXPECT_EQ(row.last, 2u);
  EXPECT_EQ(row.steps_last, 2u);
  EXPECT_EQ(row.waited_ns, 2 * (500 + 480));
  ASSERT_EQ(row.meanwhile.size(), 1u);  // all ranks do the same mm
  EXPECT_EQ(row.meanwhile[0].name, "slow input");
  EXPECT_EQ(row.meanwhile[0].kind, ActivityKind::kAnnotation);
  EXPECT_EQ(row.meanwhile[0].time_ns, 1000);
  EXPECT_EQ(row.meanwhile[0].others_ns, 0);
}

TEST(Distributed, WaitingInTwoCollectivesAtOnceCountsOnce) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add(0, 2);
  TraceBuilder& b = ranks.Add(1, 2);
  Gloo(a, 0, 1000, "[[8]]");
  a.Annotation("gloo:all_gather", 100, 1000, 3);
  Gloo(b, 800, 1000, "[[8]]");
  b.Annotation("gloo:all_gather", 900, 1000, 3);
  EXPECT_EQ(ranks.Describe().stragglers.rows[0].waited_ns, 900);
}

TEST(Distributed, NobodyIsLateWithinTheErrorOfTheClocks) {
  Ranks ranks;
  TraceBuilder& a = ranks.Add(0, 2);
  TraceBuilder& b = ranks.Add(1, 2);
  for (int64_t i = 0; i < 4; ++i) {
    Gloo(a, 1000 * i, 1000 * i + 500);
    Gloo(b, 1000 * i + 90, 1000 * i + 500 + (i % 2 == 0 ? 0 : 200));
  }
  const Stragglers stragglers = ranks.Describe().stragglers;
  EXPECT_EQ(stragglers.decided, 0u);
  EXPECT_EQ(stragglers.undecided, 4u);
  EXPECT_TRUE(stragglers.rows.empty());
}

TEST(Distributed, SaysThatKernelsOfNcclAreMissing) {
  Ranks ranks;
  TraceBuilder& b = ranks.Add(0, 2);
  b.Annotation("nccl:all_reduce", 0, 10);
  const DistributedReport report = ranks.Describe();
  EXPECT_TRUE(report.device_calls_without_kernels);
  ASSERT_EQ(report.collectives.size(), 1u);
  EXPECT_EQ(report.collectives[0].calls, 1u);
  EXPECT_EQ(report.collectives[0].total_ns, std::nullopt);
}

TEST(Distributed, CountsOnlySelectedSteps) {
  Ranks ranks;
  for (int64_t rank = 0; rank < 2; ++rank) {
    TraceBuilder& b = ranks.Add(rank, 2);
    for (int64_t step = 1; step <= 3; ++step) {
      b.Annotation("ProfilerStep#" + std::to_string(step), 100 * step, 100 * step + 100);
      Gloo(b, 100 * step + 10, 100 * step + 50);
    }
  }
  AnalysisOptions options;
  options.first_step = 2;
  options.last_step = 2;
  const DistributedReport report = ranks.Describe(options);
  EXPECT_EQ(report.steps.size(), 2u);
  EXPECT_EQ(report.matches.size(), 1u);
  EXPECT_EQ(report.ranks[0].collectives, 1u);
  EXPECT_EQ(report.ranks[0].matched, 1u);
}

}  // namespace
}  // namespace telltale
