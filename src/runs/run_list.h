// SPDX-License-Identifier: Apache-2.0
// What a workspace shows of runs: a list with the numbers that a table needs, and the series of one
// run, joined over its files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/logged_values.h"
#include "model/run.h"
#include "model/series.h"

namespace telltale {

// A scalar tag of a run in a few numbers, over every point in the order of the files.
struct MetricSummary {
  std::string tag;
  uint64_t points = 0;
  int64_t first_step = 0;
  int64_t last_step = 0;
  double last = 0;
  std::optional<double> min, max;  // NaN left out; none: always NaN
  int64_t min_step = 0, max_step = 0;
  friend bool operator==(const MetricSummary&, const MetricSummary&) = default;
};

struct ListedRun {
  RunInfo info;
  std::vector<MetricSummary> metrics;  // by tag
  std::optional<int64_t> duration_ns;  // to its end, else to its last point
  uint64_t revision = 0;               // of its last change
  // What its run.json calls it, as long as nobody renamed it. Other runs may be called the same.
  std::optional<std::string> title;

  [[nodiscard]] const MetricSummary* Metric(std::string_view tag) const;
};

struct RunList {
  uint64_t revision = 0;
  // In the natural order of names: version_2 before version_10. Set by SetRuns alone.
  std::vector<std::shared_ptr<const ListedRun>> runs;

  [[nodiscard]] const ListedRun* Find(std::string_view id) const;
  void SetRuns(std::vector<std::shared_ptr<const ListedRun>> list);

 private:
  std::unordered_map<std::string_view, size_t> by_id_;  // of texts in `runs`
};

// A tag of a run: one piece for each file that has it, in order.
struct TagSeries {
  struct Piece {
    const SeriesTag* tag = nullptr;
    const SeriesSet* set = nullptr;
    std::string path;  // the file: where stored values lie
    // Of other trackers, whose values have no place in an event file: one for each of the tag's
    // values, with files below `media`. nullptr: an event file.
    const std::vector<LoggedValue>* logged = nullptr;
    std::string media;
  };
  std::string tag;  // as the run calls it
  std::string plugin;
  std::vector<Piece> pieces;
  // For JoinedScalars(*files, own_tag): all files of the folder it comes from, those without the
  // tag included, and what they call it.
  std::shared_ptr<const std::vector<const SeriesSet*>> files;
  std::string own_tag;

  [[nodiscard]] uint64_t points() const;
  [[nodiscard]] const std::string& display_name() const;
  [[nodiscard]] const std::string& description() const;
};

struct RunSeries {
  std::vector<TagSeries> tags;  // by tag, then plugin
  std::optional<double> first_wall_time, last_wall_time;

  // Of any plugin where none is named.
  [[nodiscard]] const TagSeries* Find(std::string_view tag, std::string_view plugin = {}) const;
};

}  // namespace telltale
