// SPDX-License-Identifier: Apache-2.0
#include "analysis/memory/leaks.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "analysis/core/sums.h"

namespace telltale {

namespace {

// Where a block comes from.
auto PlaceOf(const AllocationRow& row, const std::vector<std::string>& texts) {
  const bool room = row.op != kNoMemoryText && texts[row.op].starts_with("aten::empty");
  return std::tuple(row.device, row.module, row.op, room ? row.parent_op : kNoMemoryText);
}

}  // namespace

std::vector<uint32_t> LeakSteps(const Steps& steps) {
  std::vector<uint32_t> checked;
  if (steps.source == StepSource::kWholeTrace) return checked;
  for (uint32_t i = 1; i + 1 < steps.rows.size(); ++i) {
    if (steps.rows[i].selected && steps.rows[i].complete) checked.push_back(i);
  }
  if (checked.size() < kLeastLeakSteps) checked.clear();
  return checked;
}

std::vector<LeakRow> FindLeaks(const std::vector<Survivor>& survivors,
                               const std::vector<uint32_t>& checked,
                               const std::vector<std::string>& texts) {
  std::vector<Survivor> sorted;
  for (const Survivor& survivor : survivors) {
    if (std::binary_search(checked.begin(), checked.end(), survivor.step))
      sorted.push_back(survivor);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Survivor& a, const Survivor& b) {
    const auto place_a = PlaceOf(*a.row, texts);
    const auto place_b = PlaceOf(*b.row, texts);
    return place_a != place_b ? place_a < place_b : a.step < b.step;
  });

  std::vector<LeakRow> leaks;
  for (size_t first = 0; first < sorted.size();) {
    const AllocationRow& row = *sorted[first].row;
    LeakRow leak;
    size_t at = first;
    for (; at < sorted.size() && PlaceOf(*sorted[at].row, texts) == PlaceOf(row, texts); ++at) {
      if (at == first || sorted[at].step != sorted[at - 1].step) {
        const MemoryText step = sorted[at].row->step;
        leak.steps.push_back({step == kNoMemoryText ? std::string() : texts[step], 0, 0});
      }
      AddTo(leak.steps.back().bytes, sorted[at].row->bytes);
      ++leak.steps.back().count;
      AddTo(leak.bytes, sorted[at].row->bytes);
      ++leak.count;
    }
    first = at;
    if (leak.steps.size() < checked.size()) continue;
    leak.device = row.device;
    if (row.op != kNoMemoryText) {
      const bool parent = row.parent_op != kNoMemoryText;
      leak.op = ShownOperator(texts[row.op], parent ? &texts[row.parent_op] : nullptr);
    }
    if (row.module != kNoMemoryText) leak.module = texts[row.module];
    leaks.push_back(std::move(leak));
  }
  std::stable_sort(leaks.begin(), leaks.end(), [](const LeakRow& a, const LeakRow& b) {
    return a.bytes != b.bytes ? a.bytes > b.bytes : a.op < b.op;
  });
  return leaks;
}

}  // namespace telltale
