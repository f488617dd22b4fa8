// SPDX-License-Identifier: Apache-2.0
// The rules of single views: at their threshold and beyond it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "health/advise.h"
#include "health/fixture.h"

namespace telltale::health {
namespace {

using testing::HasSubstr;
using testing::Not;

// What the rule says about reports made by hand.
template <typename... Reports>
std::optional<Recommendation> Says(std::string_view rule, Reports... reports) {
  Facts facts({});
  (facts.Give(std::move(reports)), ...);
  for (Recommendation& found : AdviseView(facts, {}, "")) {
    if (found.rule == rule) return std::move(found);
  }
  return std::nullopt;
}

std::vector<LaunchReport> Launches(uint64_t launches, uint64_t short_ones, int64_t full_ns = 0) {
  LaunchReport report;
  report.summary.launches = launches;
  report.summary.short_launches = short_ones;
  QueueRow queue;
  queue.window_ns = 1000;
  queue.full_ns = full_ns;
  report.queues = {queue};
  return {report};
}

TEST(FullQueueRule, SpeaksWhereAQueueIsEverFull) {
  EXPECT_FALSE(Says("full_queue", Launches(10, 0, 0)));
  const auto made = Says("full_queue", Launches(10, 0, 1));
  ASSERT_TRUE(made);
  EXPECT_EQ(IntEvidence(*made, "full_ns"), 1);
}

DistributedReport Ranks(int64_t communication_ns) {
  DistributedReport report;
  for (uint32_t i = 0; i < 2; ++i) {
    RankRow rank;
    rank.file = i;
    rank.rank = 4 + i;
    rank.average.duration_ns = 1000;
    rank.average.communication_ns = communication_ns;
    rank.clock.source = i == 0 ? AlignmentSource::kReference : AlignmentSource::kCollectives;
    report.ranks.push_back(rank);
  }
  return report;
}

TEST(MissingRanksRule, SpeaksWhereOneIsMissing) {
  DistributedReport report = Ranks(0);
  EXPECT_FALSE(Says("missing_ranks", report));
  report.missing_rank_count = 1;
  report.missing_ranks = {7};
  const auto one = Says("missing_ranks", report);
  ASSERT_TRUE(one);
  EXPECT_THAT(one->text, HasSubstr("1 rank is missing (7)"));
  report.missing_rank_count = 9;
  report.missing_ranks = {0, 1, 2, 3, 6, 7, 8, 9, 10};
  const auto many = Says("missing_ranks", report);
  ASSERT_TRUE(many);
  EXPECT_THAT(many->text, HasSubstr("9 ranks are missing (0, 1, 2, 3, 6, 7, 8, 9, …)"));
}

TEST(StragglerRule, SpeaksAboutTheRankThatIsLastMoreThanHalfOfTheTime) {
  DistributedReport report = Ranks(0);
  StragglerRow late;
  late.file = 1;
  late.last = 50;
  late.waited_ns = 3 * kMs;
  late.meanwhile = {
      {.name = "load", .kind = ActivityKind::kOperator, .time_ns = 1, .others_ns = 0}};
  report.stragglers.decided = 60;
  report.stragglers.undecided = 40;
  report.stragglers.rows = {late};
  EXPECT_FALSE(Says("straggler", report));
  report.stragglers.rows[0].last = 51;
  const auto made = Says("straggler", report);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  EXPECT_THAT(made->text, HasSubstr("Rank 5 comes last in 51.0 % of the collectives (51 of 100)"));
  EXPECT_THAT(made->text, HasSubstr("most of it spent in load"));
}

TEST(ExposedCommunicationRule, SpeaksAboveFifteenPercent) {
  EXPECT_FALSE(Says("exposed_communication", Ranks(150)));
  const auto made = Says("exposed_communication", Ranks(151));
  ASSERT_TRUE(made);
  EXPECT_EQ(IntEvidence(*made, "communication_ns"), 151);
}

TEST(UnalignedClocksRule, SpeaksWhereARankHasNothingInCommon) {
  DistributedReport report = Ranks(0);
  EXPECT_FALSE(Says("unaligned_clocks", report));
  report.ranks[1].clock.source = AlignmentSource::kWallClock;
  const auto made = Says("unaligned_clocks", report);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->text, HasSubstr("1 rank shares no collective with the first"));
}

RooflineReport Roofline(RooflineBound bound, int64_t lost_ns) {
  RooflineRow row;
  row.bound = bound;
  row.family = WorkFamily::kMatmul;
  row.peak_kind = PeakKind::kFp32;
  row.time_ns = lost_ns;
  row.lost_ns = lost_ns;
  RooflineReport report;
  report.total_ns = 1000;
  report.rows = {row};
  return report;
}

TEST(RooflineRules, SpeakFromFivePercentOfTheTime) {
  EXPECT_FALSE(Says("memory_bound", Roofline(RooflineBound::kMemory, 49)));
  EXPECT_TRUE(Says("memory_bound", Roofline(RooflineBound::kMemory, 50)));
  EXPECT_FALSE(Says("memory_bound", Roofline(RooflineBound::kCompute, 900)));
  EXPECT_FALSE(Says("compute_bound", Roofline(RooflineBound::kCompute, 49)));
  EXPECT_TRUE(Says("compute_bound", Roofline(RooflineBound::kCompute, 50)));
}

TEST(Fp32MatmulRule, SpeaksAboutMatrixWorkBoundByThePlainPeak) {
  EXPECT_FALSE(Says("fp32_matmul", Roofline(RooflineBound::kCompute, 49)));
  EXPECT_TRUE(Says("fp32_matmul", Roofline(RooflineBound::kCompute, 50)));
  EXPECT_FALSE(Says("fp32_matmul", Roofline(RooflineBound::kMemory, 500)));
  RooflineReport tf32 = Roofline(RooflineBound::kCompute, 500);
  tf32.rows[0].peak_kind = PeakKind::kTf32;
  EXPECT_FALSE(Says("fp32_matmul", tf32));
}

constexpr int64_t kMiB = 1 << 20;

std::vector<MemoryReport> Memory() {
  DeviceMemory device;
  device.type = "cuda";
  device.id = 1;
  device.peak_allocated_bytes = 1000 * kMiB;
  device.peak_reserved_bytes = 1000 * kMiB;
  device.fragmentation_at_peak_bytes = 200 * kMiB;
  device.at_peak.emplace();
  device.at_peak->by_operator = {{.name = "", .bytes = 800 * kMiB, .count = 1},
                                 {.name = "aten::mm", .bytes = 99 * kMiB, .count = 1}};
  MemoryReport report;
  report.devices = {device};
  return {report};
}

TEST(FragmentationRule, SpeaksAboveTwentyPercentAtThePeak) {
  std::vector<MemoryReport> memory = Memory();
  EXPECT_FALSE(Says("fragmentation", memory));
  memory[0].devices[0].fragmentation_at_peak_bytes = 201 * kMiB;
  const auto made = Says("fragmentation", memory);
  ASSERT_TRUE(made);
  EXPECT_EQ(IntEvidence(*made, "device"), 1);
  EXPECT_THAT(made->text, HasSubstr("20.1 %"));
}

TEST(PeakHolderRule, SpeaksFromATenthOfThePeakAndOnlyOfWhatHasAName) {
  std::vector<MemoryReport> memory = Memory();
  EXPECT_FALSE(Says("peak_holder", memory));
  memory[0].devices[0].at_peak->by_operator[1].bytes = 100 * kMiB;
  const auto made = Says("peak_holder", memory);
  ASSERT_TRUE(made);
  EXPECT_EQ(TextEvidence(*made, "operator"), "aten::mm");
}

TEST(PeakHolderRule, IsSilentAboutBytes) {
  std::vector<MemoryReport> memory = Memory();
  memory[0].devices[0].peak_allocated_bytes = 80;
  memory[0].devices[0].at_peak->by_operator[1].bytes = 8;
  EXPECT_FALSE(Says("peak_holder", memory));
}

TEST(PeakHolderRule, PrefersADeviceToTheHost) {
  std::vector<MemoryReport> memory = Memory();
  memory[0].devices[0].at_peak->by_operator[1].bytes = 100 * kMiB;
  DeviceMemory host = memory[0].devices[0];
  host.type = "cpu";
  host.at_peak->by_operator[1] = {.name = "aten::ones", .bytes = 900 * kMiB, .count = 1};
  memory[0].devices.insert(memory[0].devices.begin(), host);
  const auto made = Says("peak_holder", memory);
  ASSERT_TRUE(made);
  EXPECT_EQ(TextEvidence(*made, "operator"), "aten::mm");
}

TEST(MemoryGrowthRule, SpeaksWhereEveryStepLeavesSomethingBehind) {
  std::vector<MemoryReport> memory = Memory();
  memory[0].leak_steps = 3;
  EXPECT_FALSE(Says("memory_growth", memory));
  LeakRow leak;
  leak.op = "aten::clone";
  leak.bytes = 3072;
  memory[0].leaks = {leak};
  const auto made = Says("memory_growth", memory);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kMedium);
  EXPECT_THAT(made->text, HasSubstr("3.00 KiB in 3 steps are never released, most of it by "
                                    "aten::clone"));
}

TEST(OutOfMemoryRule, SpeaksWhereAnAllocationFailed) {
  std::vector<MemoryReport> memory = Memory();
  memory[0].devices[0].segments.emplace();
  EXPECT_FALSE(Says("out_of_memory", memory));
  memory[0].devices[0].segments->out_of_memory_count = 1;
  const auto made = Says("out_of_memory", memory);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->severity, AdviceSeverity::kHigh);
  EXPECT_THAT(made->text, HasSubstr("1 allocation failed"));
}

ModuleReport Modules(int64_t outside_ns) {
  ModuleRow inside;
  inside.class_name = "Linear";
  inside.device_self_ns = 1000 - outside_ns;
  ModuleRow outside;
  outside.device_self_ns = outside_ns;
  ModuleReport report;
  report.rows = {inside, outside};
  report.device_ns = 1000;
  return report;
}

TEST(OutsideModulesRule, SpeaksAboveTwentyPercent) {
  EXPECT_FALSE(Says("outside_modules", Modules(200)));
  const auto made = Says("outside_modules", Modules(201));
  ASSERT_TRUE(made);
  EXPECT_THAT(made->text, HasSubstr("20.1 % of the device time"));
}

TEST(OutsideModulesRule, GoesByTheHostWhereThereIsNoDevice) {
  ModuleReport report = Modules(201);
  report.device_ns = 0;
  report.host_ns = 1000;
  report.rows[1].host_self_ns = 300;
  const auto made = Says("outside_modules", report);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->text, HasSubstr("30.0 % of the host time"));
}

TEST(RecomputationRule, SpeaksWhereAModuleIsCalledInTheBackwardPass) {
  ModuleReport report = Modules(0);
  EXPECT_FALSE(Says("recomputation", report));
  report.rows[0].recomputed_calls = 2;
  const auto made = Says("recomputation", report);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->text, HasSubstr("2 calls of modules are recomputed"));
}

CriticalPathReport Path(int64_t if_free_ns) {
  PathCauseRow small;
  small.cause = PathCause::kIdle;
  PathCauseRow first;
  first.cause = PathCause::kHostOther;
  first.average_if_free_ns = if_free_ns;
  CriticalPathReport report;
  report.average_ns = 1000;
  report.causes = {small, first};
  return report;
}

TEST(GuessedDependenciesRule, SpeaksWhereOneIsGuessed) {
  CriticalPathReport report = Path(1000);
  EXPECT_FALSE(Says("guessed_dependencies", report));
  report.notes.guessed_dependencies = 1;
  const auto made = Says("guessed_dependencies", report);
  ASSERT_TRUE(made);
  EXPECT_THAT(made->text, HasSubstr("1 dependency between streams is guessed"));
}

TEST(PairsOnlyRule, SpeaksOfProfilesWithoutCallPaths) {
  const auto says = [](FunctionShape shape) {
    FunctionProfile profile;
    profile.shape = shape;
    Subject subject;
    subject.Add(Artifact(std::move(profile)));
    const std::vector<Recommendation> all = AdviseView(Facts({}, subject), {}, "functions");
    return std::ranges::any_of(all, [](const auto& row) { return row.rule == "pairs_only"; });
  };
  EXPECT_FALSE(says(FunctionShape::kTree));
  EXPECT_TRUE(says(FunctionShape::kPairs));
}

}  // namespace
}  // namespace telltale::health
