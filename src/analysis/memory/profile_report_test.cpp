// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/profile_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class ProfileBuilder {
 public:
  ProfileBuilder() { profile_.devices.push_back({"cuda", 0}); }

  void Act(MemoryAction action, int64_t time, int64_t bytes, uint64_t address = kNoUint,
           std::string_view frame = {}, uint8_t category = kNoMemoryCategory) {
    MemoryActionTable& actions = profile_.actions;
    actions.time_ns.push_back(time);
    actions.device.push_back(0);
    actions.action.push_back(action);
    actions.bytes.push_back(bytes);
    actions.address.push_back(address);
    actions.category.push_back(category);
    actions.frame.push_back(frame.empty() ? kNoString : profile_.strings.Intern(frame));
  }
  void Segment(int64_t total) { profile_.segments.push_back({0, 0, total, 0, 0}); }
  void Block(uint64_t address, int64_t bytes, BlockState state, int64_t requested = kNoInt,
             std::string_view frame = {}) {
    profile_.blocks.push_back({static_cast<uint32_t>(profile_.segments.size() - 1), address, bytes,
                               requested, state,
                               frame.empty() ? kNoString : profile_.strings.Intern(frame)});
  }
  MemoryProfile& profile() { return profile_; }
  [[nodiscard]] MemoryReport Describe() const { return DescribeMemoryProfile(profile_); }

 private:
  MemoryProfile profile_;
};

std::vector<std::string> Names(const std::vector<MemoryShare>& shares) {
  std::vector<std::string> out;
  for (const MemoryShare& share : shares)
    out.push_back(share.name + "=" + std::to_string(share.bytes));
  return out;
}

TEST(MemoryTimelineReport, SumsByCategoryAndFindsThePeak) {
  ProfileBuilder b;
  b.profile().categories = {"parameter", "activation", "gradient"};
  const auto change = [&](int64_t time, int64_t bytes, uint8_t category) {
    b.Act(MemoryAction::kChange, time, bytes, kNoUint, {}, category);
  };
  change(100, 1000, 0);
  change(100, 50, 1);  // the same moment: one point
  change(200, 400, 1);
  change(300, -400, 1);
  change(300, 30, 2);
  const DeviceMemory device = b.Describe().devices[0];
  EXPECT_EQ(device.point_count, 3U);
  EXPECT_EQ(device.peak_allocated_bytes, 1450);
  EXPECT_EQ(device.peak_ns, 200);
  EXPECT_THAT(Names(device.at_peak->by_category), ElementsAre("parameter=1000", "activation=450"));
  ASSERT_THAT(device.categories, SizeIs(3));
  EXPECT_THAT(device.categories[1].bytes, ElementsAre(50, 450, 50));
  EXPECT_THAT(device.categories[2].bytes, ElementsAre(0, 0, 30));
}

TEST(MemoryTimelineReport, CategoriesThatNeverHoldAnythingAreLeftOut) {
  ProfileBuilder b;
  b.profile().categories = {"parameter", "activation"};
  b.Act(MemoryAction::kChange, 1, 5, kNoUint, {}, 1);
  const DeviceMemory device = b.Describe().devices[0];
  ASSERT_THAT(device.categories, SizeIs(1));
  EXPECT_EQ(device.categories[0].name, "activation");
}

TEST(MemorySnapshotReport, TheCurveEndsWithTheStateOfTheSnapshot) {
  ProfileBuilder b;
  b.Segment(4096);
  b.Block(0, 1024, BlockState::kAllocated, 1000, "a.py:1 f");
  b.Block(1024, 512, BlockState::kAwaitingFree);
  b.Block(2048, 2560, BlockState::kFree);
  b.Act(MemoryAction::kAllocate, 10, 300, 5000, "b.py:2 g");
  b.Act(MemoryAction::kReserve, 11, 2048);
  b.Act(MemoryAction::kFreeRequested, 20, 300, 5000);
  b.Act(MemoryAction::kFreeCompleted, 21, 300, 5000);
  b.Act(MemoryAction::kOutOfMemory, 22, 1 << 20);
  const MemoryReport report = b.Describe();
  const DeviceMemory& device = report.devices[0];
  EXPECT_FALSE(device.relative);
  EXPECT_EQ(device.peak_allocated_bytes, 1300);
  EXPECT_EQ(device.peak_ns, 10);
  EXPECT_EQ(device.curve.back().allocated_bytes, 1000);
  EXPECT_EQ(device.curve.front().reserved_bytes, 2048);
  EXPECT_EQ(device.curve.back().reserved_bytes, 4096);
  EXPECT_EQ(device.at_peak->before_bytes, 0);  // the block from before is known by the snapshot
  EXPECT_THAT(Names(device.at_peak->by_frame), ElementsAre("a.py:1 f=1000", "b.py:2 g=300"));
  EXPECT_EQ(device.release_count, 1U);
  EXPECT_EQ(device.segments->reserved_bytes, 4096);
  EXPECT_EQ(device.segments->allocated_bytes, 1024);
  EXPECT_EQ(device.segments->requested_bytes, 1000);
  EXPECT_EQ(device.segments->awaiting_bytes, 512);
  EXPECT_EQ(device.segments->largest_free_bytes, 2560);
  EXPECT_EQ(device.segments->out_of_memory_count, 1U);
}

TEST(MemorySnapshotReport, AReleaseOfABlockFromBeforeIsKnownToHaveBeenThere) {
  ProfileBuilder b;
  b.Segment(4096);
  b.Act(MemoryAction::kAllocate, 10, 100, 1);
  b.Act(MemoryAction::kFreeRequested, 20, 700, 2);
  b.Act(MemoryAction::kFreeRequested, 30, 100, 1);
  const MemoryReport report = b.Describe();
  const DeviceMemory& device = report.devices[0];
  EXPECT_EQ(device.peak_allocated_bytes, 800);
  EXPECT_EQ(device.at_peak->known_bytes, 100);
  EXPECT_EQ(device.at_peak->before_bytes, 700);
  EXPECT_EQ(device.released_from_before_count, 1U);
}

TEST(MemorySnapshotReport, ACompletionWhoseRequestCameBeforeTheHistoryChangesNothing) {
  ProfileBuilder b;
  b.Segment(4096);
  b.Act(MemoryAction::kFreeCompleted, 5, 700, 2);
  b.Act(MemoryAction::kAllocate, 10, 100, 1);
  const DeviceMemory device = b.Describe().devices[0];
  EXPECT_EQ(device.release_count, 0U);
  EXPECT_EQ(device.curve.front().allocated_bytes, -100);  // the snapshot has no such block
}

TEST(MemorySnapshotReport, WithoutSegmentsTheCurveIsRelative) {
  ProfileBuilder b;
  b.Act(MemoryAction::kAllocate, 10, 100, 1);
  const DeviceMemory device = b.Describe().devices[0];
  EXPECT_TRUE(device.relative);
  EXPECT_EQ(device.peak_allocated_bytes, 100);
  EXPECT_EQ(device.peak_reserved_bytes, std::nullopt);
}

TEST(MemorySnapshotReport, WithoutHistoryTheBlocksAreShown) {
  ProfileBuilder b;
  b.Segment(4096);
  b.Block(0, 1024, BlockState::kAllocated, 1000, "a.py:1 f");
  const DeviceMemory device = b.Describe().devices[0];
  EXPECT_EQ(device.peak_ns, std::nullopt);
  EXPECT_EQ(device.peak_allocated_bytes, 1000);
  EXPECT_THAT(Names(device.at_peak->by_frame), ElementsAre("a.py:1 f=1000"));
}

TEST(MemorySnapshotReport, TimesThatRunBackwardsAreSorted) {
  ProfileBuilder b;
  for (int64_t i = 0; i < 10'000; ++i)
    b.Act(MemoryAction::kAllocate, i % 2 == 0 ? i : -i, 1, static_cast<uint64_t>(i));
  const DeviceMemory device = b.Describe().devices[0];
  EXPECT_LE(device.curve.size(), 2000U);
  EXPECT_EQ(device.peak_allocated_bytes, 10'000);
}

}  // namespace
}  // namespace telltale
