// SPDX-License-Identifier: Apache-2.0
#include "runs/run_list.h"

#include <algorithm>
#include <utility>

namespace telltale {

const MetricSummary* ListedRun::Metric(std::string_view tag) const {
  const auto at = std::ranges::lower_bound(
      metrics, tag, {}, [](const MetricSummary& m) { return std::string_view(m.tag); });
  return at != metrics.end() && at->tag == tag ? &*at : nullptr;
}

const ListedRun* RunList::Find(std::string_view id) const {
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : runs[at->second].get();
}

void RunList::SetRuns(std::vector<std::shared_ptr<const ListedRun>> list) {
  runs = std::move(list);
  by_id_.clear();
  by_id_.reserve(runs.size());
  for (size_t i = 0; i < runs.size(); ++i) by_id_.emplace(runs[i]->info.id, i);
}

uint64_t TagSeries::points() const {
  uint64_t points = 0;
  for (const Piece& piece : pieces) points += piece.tag->size();
  return points;
}

const std::string& TagSeries::display_name() const {
  for (const Piece& piece : pieces) {
    if (!piece.tag->display_name.empty()) return piece.tag->display_name;
  }
  return pieces[0].tag->display_name;
}

const std::string& TagSeries::description() const {
  for (const Piece& piece : pieces) {
    if (!piece.tag->description.empty()) return piece.tag->description;
  }
  return pieces[0].tag->description;
}

const TagSeries* RunSeries::Find(std::string_view tag, std::string_view plugin) const {
  auto at = std::ranges::lower_bound(tags, tag, {},
                                     [](const TagSeries& t) { return std::string_view(t.tag); });
  for (; at != tags.end() && at->tag == tag; ++at) {
    if (plugin.empty() || at->plugin == plugin) return &*at;
  }
  return nullptr;
}

}  // namespace telltale
