// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/join.h"

#include <algorithm>
#include <utility>

#include "formats/tfevents/fields.h"

namespace telltale::tfevents {

namespace {

// The plugin that was named first for the tag; empty: none was.
std::string PluginOf(const SeriesSet& series, std::string_view tag) {
  const SeriesTag* known = series.Find(tag);
  while (known != nullptr && known->plugin.empty()) {
    known = known->next_of_tag == HashIndex::kNone ? nullptr : &series.tags[known->next_of_tag];
  }
  return known == nullptr ? std::string() : known->plugin;
}

// In the order in which they lie in the file: a fragment may have those of one tag in two lists.
void AppendValues(const std::vector<StoredValue>& from, size_t before, SeriesTag& to) {
  const bool in_two = to.values.size() > before;
  to.values.insert(to.values.end(), from.begin(), from.end());
  if (!in_two) return;
  std::ranges::sort(to.values.begin() + static_cast<std::ptrdiff_t>(before), to.values.end(), {},
                    &StoredValue::offset);
}

class Joiner {
 public:
  Joiner(SeriesSet& from, SeriesSet& to) : from_(from), to_(to), before_(to.tags.size()) {
    for (size_t i = 0; i < before_.size(); ++i) before_[i].size = to.tags[i].size();
  }

  void Add(SeriesTag& tag) {
    std::string plugin = tag.plugin;
    if (plugin == kOpenNumber || plugin == kOpenValue) {
      plugin = PluginOf(to_, tag.tag);
      if (plugin == plugin::kScalars && tag.plugin == kOpenValue) {
        to_.diagnostics.Add(DiagnosticKind::kNotAScalar, tag.values.front().offset,
                            tag.values.size());
        plugin = plugin::kTensors;
      }
    }
    const uint32_t at = to_.FindOrAdd(tag.tag, plugin);
    if (at >= before_.size()) before_.resize(at + size_t{1});
    SeriesTag& to = to_.tags[at];
    if (to.size() == 0) {
      to.plugin_content = std::move(tag.plugin_content);
      to.display_name = std::move(tag.display_name);
      to.description = std::move(tag.description);
      to.data_class = tag.data_class;
    }
    MarkRestarts(tag, before_[at], to);
    if (plugin != plugin::kScalars) {
      AppendValues(tag.values, before_[at].size, to);
    } else if (to.scalars.empty()) {
      to.scalars = std::move(tag.scalars);
    } else {
      to.scalars.Append(tag.scalars);
    }
  }

  // Those of tags that the fragment does not have.
  void MarkOthers() {
    for (const Restart& restart : from_.restarts) {
      for (size_t i = 0; i < before_.size(); ++i) {
        if (!before_[i].marked) to_.tags[i].restarts.push_back({before_[i].size, restart.step});
      }
      to_.restarts.push_back(restart);
    }
  }

 private:
  // Of a tag, before this fragment.
  struct Before {
    size_t size = 0;
    bool marked = false;
  };

  // A tag of a fragment has a mark for each of its restarts. Numbers whose plugin is open are there
  // twice.
  void MarkRestarts(const SeriesTag& tag, Before& before, SeriesTag& to) const {
    if (!before.marked) {
      for (const Restart& restart : from_.restarts) {
        to.restarts.push_back({before.size, restart.step});
      }
      before.marked = true;
    }
    const size_t times = tag.plugin == kOpenNumber ? 2 : 1;
    const size_t first = to.restarts.size() - from_.restarts.size();
    for (size_t i = 0; i < from_.restarts.size(); ++i) {
      to.restarts[first + i].first_index += tag.restarts[i].first_index / times;
    }
  }

  SeriesSet& from_;
  SeriesSet& to_;
  std::vector<Before> before_;
};

}  // namespace

void Join(Fragment fragment, SeriesSet& series) {
  SeriesSet& from = fragment.series;
  Joiner joiner(from, series);
  for (SeriesTag& tag : from.tags) joiner.Add(tag);
  joiner.MarkOthers();
  if (from.first_wall_time) {
    series.SeeWallTime(*from.first_wall_time);
    series.SeeWallTime(from.last_wall_time);
  }
  if (series.writer.empty()) series.writer = std::move(from.writer);
  series.source.events += fragment.records;
  series.diagnostics.Merge(from.diagnostics);
}

}  // namespace telltale::tfevents
