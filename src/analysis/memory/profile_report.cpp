// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/profile_report.h"

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "analysis/core/key_numbers.h"
#include "analysis/core/sort_runs.h"
#include "analysis/core/sums.h"
#include "analysis/memory/allocations.h"
#include "analysis/memory/curve.h"

namespace telltale {

namespace {

// Points of one moment are one: the last of them counts.
class PointList {
 public:
  // Returns whether the point is a further one.
  bool Add(const MemoryPoint& point) {
    if (!points_.empty() && points_.back().time_ns == point.time_ns) {
      points_.back() = point;
      return false;
    }
    points_.push_back(point);
    return true;
  }
  [[nodiscard]] const std::vector<MemoryPoint>& points() const { return points_; }

 private:
  std::vector<MemoryPoint> points_;
};

void SetPeak(const std::vector<MemoryPoint>& points, size_t peak, DeviceMemory& device) {
  device.point_count = points.size();
  device.peak_allocated_bytes = points[peak].allocated_bytes;
  device.peak_ns = points[peak].time_ns;
  if (points[peak].reserved_bytes) {
    device.fragmentation_at_peak_bytes =
        Difference(*points[peak].reserved_bytes, points[peak].allocated_bytes);
  }
  for (const MemoryPoint& point : points) {
    if (!point.reserved_bytes) continue;
    device.peak_reserved_bytes = std::max(device.peak_reserved_bytes, point.reserved_bytes);
    device.fragmentation_max_bytes =
        std::max(device.fragmentation_max_bytes,
                 std::optional(Difference(*point.reserved_bytes, point.allocated_bytes)));
  }
}

// Sums by category over time.
DeviceMemory DescribeTimeline(const MemoryProfile& profile, const std::vector<uint32_t>& rows) {
  const MemoryActionTable& actions = profile.actions;
  const size_t categories = profile.categories.size();
  DeviceMemory device;
  PointList points;
  std::vector<int64_t> sums(categories, 0);
  std::vector<int64_t> sums_at;  // of each point, one category after the other
  int64_t all = 0;
  for (const uint32_t row : rows) {
    AddTo(sums[actions.category[row]], actions.bytes[row]);
    AddTo(all, actions.bytes[row]);
    if (actions.bytes[row] > 0) ++device.allocation_count;
    if (actions.bytes[row] < 0) ++device.release_count;
    if (!points.Add({actions.time_ns[row], all, std::nullopt}))
      sums_at.resize(sums_at.size() - categories);
    sums_at.insert(sums_at.end(), sums.begin(), sums.end());
  }
  const std::optional<size_t> peak = PeakOf(points.points());
  if (!peak) return device;
  SetPeak(points.points(), *peak, device);
  device.at_peak.emplace();
  device.at_peak->known_bytes = device.peak_allocated_bytes;
  const std::vector<size_t> kept = PointsToKeep(points.points());
  for (const size_t point : kept) device.curve.push_back(points.points()[point]);
  for (size_t c = 0; c < categories; ++c) {
    MemoryCategoryCurve curve{profile.categories[c], {}};
    for (const size_t point : kept) curve.bytes.push_back(sums_at[point * categories + c]);
    const int64_t at_peak = sums_at[*peak * categories + c];
    if (at_peak != 0)
      device.at_peak->by_category.push_back({profile.categories[c], at_peak, std::nullopt});
    const bool used =
        std::any_of(curve.bytes.begin(), curve.bytes.end(), [](int64_t b) { return b != 0; });
    if (used) device.categories.push_back(std::move(curve));
  }
  std::stable_sort(device.at_peak->by_category.begin(), device.at_peak->by_category.end(),
                   [](const MemoryShare& a, const MemoryShare& b) { return a.bytes > b.bytes; });
  return device;
}

MemorySegments SumSegments(const MemoryProfile& profile, uint32_t device) {
  MemorySegments sums;
  for (const SnapshotSegment& segment : profile.segments) {
    if (segment.device != device) continue;
    ++sums.segment_count;
    AddTo(sums.reserved_bytes, segment.total_bytes);
  }
  for (const SnapshotBlock& block : profile.blocks) {
    if (profile.segments[block.segment].device != device) continue;
    if (block.state == BlockState::kAllocated) {
      AddTo(sums.allocated_bytes, block.bytes);
      AddTo(sums.requested_bytes,
            block.requested_bytes == kNoInt ? block.bytes : block.requested_bytes);
    } else if (block.state == BlockState::kAwaitingFree) {
      AddTo(sums.awaiting_bytes, block.bytes);
    } else if (block.state == BlockState::kFree) {
      AddTo(sums.free_bytes, block.bytes);
      sums.largest_free_bytes = std::max(sums.largest_free_bytes, block.bytes);
    }
  }
  return sums;
}

// The history of one device, with the state at its end behind it.
class SnapshotDevice {
 public:
  SnapshotDevice(const MemoryProfile& profile, uint32_t number, std::vector<uint32_t> rows,
                 MemoryReport& report)
      : profile_(profile), number_(number), actions_(std::move(rows)), report_(report) {}

  DeviceMemory Describe() {
    DeviceMemory device;
    device.segments = SumSegments(profile_, number_);
    Pair(device);
    AddBlocksFromBefore();
    MakeCurve(device);
    device.never_released_count = 0;
    device.released_from_before_count = 0;
    for (size_t i = 0; i < blocks_.size(); ++i) {
      if (blocks_[i].released == kNoRow) ++*device.never_released_count;
      if (blocks_[i].allocated == kNoRow && !blocks_[i].always)
        ++*device.released_from_before_count;
      rows_[i].device = static_cast<uint32_t>(report_.devices.size());
      report_.allocations.push_back(rows_[i]);
    }
    return device;
  }

 private:
  MemoryText Text(StringId frame) {
    if (frame == kNoString) return kNoMemoryText;
    const uint32_t number = frames_.Number(static_cast<uint32_t>(frame));
    if (number == texts_.size()) {
      texts_.push_back(static_cast<MemoryText>(report_.texts.size()));
      report_.texts.emplace_back(profile_.Text(frame));
    }
    return texts_[number];
  }

  void AddBlock(MemoryBlock block, int64_t bytes, uint64_t address, StringId frame) {
    AllocationRow row;
    row.bytes = bytes;
    if (address != kNoUint) row.address = address;
    row.frame = Text(frame);
    blocks_.push_back(block);
    rows_.push_back(row);
  }

  std::optional<int64_t> TimeOf(uint32_t position) const {
    const int64_t time_ns = profile_.actions.time_ns[actions_[position]];
    return time_ns == kNoInt ? std::nullopt : std::optional(time_ns);
  }

  // A block is gone when it is given back; the later completion of that is no second release.
  void Pair(DeviceMemory& device) {
    const MemoryActionTable& actions = profile_.actions;
    changes_.assign(actions_.size(), 0);
    for (uint32_t position = 0; position < actions_.size(); ++position) {
      const uint32_t row = actions_[position];
      const uint64_t address = actions.address[row];
      const int64_t bytes = actions.bytes[row];
      const MemoryAction action = actions.action[row];
      if (action == MemoryAction::kOutOfMemory) ++device.segments->out_of_memory_count;
      const bool allocate = action == MemoryAction::kAllocate;
      const bool requested = action == MemoryAction::kFreeRequested;
      if (!allocate && !requested && action != MemoryAction::kFreeCompleted) continue;
      uint32_t& open = OpenAt(address);
      if (allocate) {
        changes_[position] = bytes;
        ++device.allocation_count;
        open = static_cast<uint32_t>(blocks_.size());
        AddBlock({position, kNoRow, false}, bytes, address, actions.frame[row]);
        rows_.back().allocated_ns = TimeOf(position);
      } else if (open != kNoRow) {
        changes_[position] = Difference(0, rows_[open].bytes);
        ++device.release_count;
        blocks_[open].released = position;
        rows_[open].released_ns = TimeOf(position);
        open = kNoRow;
      } else if (requested) {
        changes_[position] = Difference(0, bytes);
        ++device.release_count;
        AddBlock({kNoRow, position, false}, bytes, address, kNoString);
        rows_.back().released_ns = TimeOf(position);
      }
    }
  }

  uint32_t& OpenAt(uint64_t address) {
    const uint32_t number = addresses_.Number(address);
    if (number == open_.size()) open_.push_back(kNoRow);
    return open_[number];
  }

  // What is allocated at the end without having been allocated in the history was always there.
  void AddBlocksFromBefore() {
    for (const SnapshotBlock& block : profile_.blocks) {
      if (block.state != BlockState::kAllocated) continue;
      if (profile_.segments[block.segment].device != number_) continue;
      if (OpenAt(block.address) != kNoRow) continue;
      AddBlock({kNoRow, kNoRow, true},
               block.requested_bytes == kNoInt ? block.bytes : block.requested_bytes, block.address,
               block.frame);
    }
  }

  void MakeCurve(DeviceMemory& device) {
    const MemoryActionTable& actions = profile_.actions;
    int64_t allocated = device.segments->requested_bytes;
    int64_t reserved = device.segments->reserved_bytes;
    const auto reserved_change = [&](uint32_t row) {
      switch (actions.action[row]) {
        case MemoryAction::kReserve:
          return actions.bytes[row];
        case MemoryAction::kUnreserve:
          return Difference(0, actions.bytes[row]);
        default:
          return int64_t{0};
      }
    };
    // Back from the state at the end; without one the curve starts at 0.
    device.relative = device.segments->segment_count == 0;
    for (size_t i = actions_.size(); i-- > 0;) {
      SubtractFrom(allocated, changes_[i]);
      SubtractFrom(reserved, reserved_change(actions_[i]));
    }
    if (device.relative) allocated = reserved = 0;
    PointList points;
    std::vector<uint32_t> positions;
    for (uint32_t i = 0; i < actions_.size(); ++i) {
      AddTo(allocated, changes_[i]);
      AddTo(reserved, reserved_change(actions_[i]));
      const int64_t time_ns = actions.time_ns[actions_[i]];
      if (time_ns == kNoInt) continue;
      if (!points.Add(
              {time_ns, allocated, device.relative ? std::nullopt : std::optional(reserved)}))
        positions.pop_back();
      positions.push_back(i);
    }
    const std::optional<size_t> peak = PeakOf(points.points());
    if (peak) {
      SetPeak(points.points(), *peak, device);
      device.curve = ReduceCurve(points.points());
    } else {
      device.peak_allocated_bytes = device.segments->requested_bytes;
      device.peak_reserved_bytes = device.segments->reserved_bytes;
    }
    device.at_peak = DescribeAlive(blocks_, rows_, report_.texts, peak ? positions[*peak] : 0);
    for (AllocationRow& row : device.at_peak->blocks)
      row.device = static_cast<uint32_t>(report_.devices.size());
    if (!device.relative) {
      device.at_peak->before_bytes =
          Difference(device.peak_allocated_bytes, device.at_peak->known_bytes);
    }
  }

  const MemoryProfile& profile_;
  uint32_t number_;
  std::vector<uint32_t> actions_;  // rows of this device
  MemoryReport& report_;
  std::vector<int64_t> changes_;  // of the allocated bytes, by position in actions_
  std::vector<MemoryBlock> blocks_;
  std::vector<AllocationRow> rows_;
  KeyNumbers addresses_;
  std::vector<uint32_t> open_;  // by address number: index of its block
  KeyNumbers frames_;
  std::vector<MemoryText> texts_;  // by frame number
};

}  // namespace

MemoryReport DescribeMemoryProfile(const MemoryProfile& profile) {
  MemoryReport report;
  std::vector<std::vector<uint32_t>> rows(profile.devices.size());
  for (uint32_t row = 0; row < profile.actions.size(); ++row)
    rows[profile.actions.device[row]].push_back(row);
  for (uint32_t i = 0; i < profile.devices.size(); ++i) {
    SortRuns(std::span(rows[i]), [&](uint32_t a, uint32_t b) {
      return profile.actions.time_ns[a] < profile.actions.time_ns[b];
    });
    DeviceMemory device = profile.categories.empty()
                              ? SnapshotDevice(profile, i, std::move(rows[i]), report).Describe()
                              : DescribeTimeline(profile, rows[i]);
    device.type = profile.devices[i].type;
    if (profile.devices[i].id != kNoInt) device.id = profile.devices[i].id;
    report.devices.push_back(std::move(device));
  }
  return report;
}

}  // namespace telltale
