// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/board.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include "formats/tfevents/reader.h"

namespace telltale {

namespace {

// Declares void what lies before it in the series.
struct Purge {
  size_t part = 0;
  size_t first_index = 0;  // within the part
  int64_t step = 0;
};

// All but the first START of the run, which is no restart.
std::vector<Purge> PurgesOf(std::span<const BoardSeries::Part> parts) {
  std::vector<Purge> purges;
  bool seen_start = false;
  for (size_t part = 0; part < parts.size(); ++part) {
    const std::vector<Restart>& restarts = parts[part].set->restarts;
    for (size_t i = 0; i < restarts.size(); ++i) {
      const SeriesTag* const tag = parts[part].tag;
      const size_t index =
          tag != nullptr && i < tag->restarts.size() ? tag->restarts[i].first_index : 0;
      if (seen_start) purges.push_back({part, index, restarts[i].step});
      seen_start = true;
    }
  }
  return purges;
}

// Whether a later purge drops it.
class Purged {
 public:
  explicit Purged(std::span<const BoardSeries::Part> parts) : purges_(PurgesOf(parts)) {}

  [[nodiscard]] bool operator()(size_t part, size_t index, int64_t step) const {
    return std::ranges::any_of(purges_, [&](const Purge& purge) {
      return std::tie(part, index) < std::tie(purge.part, purge.first_index) && step >= purge.step;
    });
  }

 private:
  std::vector<Purge> purges_;
};

}  // namespace

void BoardSeries::ForEachPoint(bool purge,
                               const std::function<void(const ScalarPoint&)>& use) const {
  const Purged purged(purge ? std::span<const Part>(parts_) : std::span<const Part>());
  for (size_t part = 0; part < parts_.size(); ++part) {
    if (parts_[part].tag == nullptr) continue;
    parts_[part].tag->scalars.ForEach([&](size_t index, const ScalarPoint& point) {
      if (!purged(part, index, point.step)) use(point);
    });
  }
}

std::vector<BoardValue> BoardSeries::Values(bool purge) const {
  const Purged purged(purge ? std::span<const Part>(parts_) : std::span<const Part>());
  std::vector<BoardValue> values;
  for (size_t part = 0; part < parts_.size(); ++part) {
    const auto& [path, set, tag] = parts_[part];
    if (tag == nullptr) continue;
    for (size_t index = 0; index < tag->values.size(); ++index) {
      if (!purged(part, index, tag->values[index].step)) {
        values.push_back({path, tag->values[index]});
      }
    }
  }
  return values;
}

std::optional<ScalarPoint> BoardSeries::LastPoint(bool purge) const {
  const Purged purged(purge ? std::span<const Part>(parts_) : std::span<const Part>());
  for (size_t part = parts_.size(); part-- > 0;) {
    if (parts_[part].tag == nullptr) continue;
    const ScalarColumn& column = parts_[part].tag->scalars;
    for (size_t index = column.size(); index-- > 0;) {
      const ScalarPoint point = column[index];
      if (!purged(part, index, point.step)) return point;
    }
  }
  return std::nullopt;
}

BoardRun::BoardRun(std::string name, std::string folder, const RunSeries& series)
    : name_(std::move(name)), folder_(std::move(folder)), first_wall_time_(series.first_wall_time) {
  std::map<std::string_view, const SeriesSet*> files;
  for (const TagSeries& tag : series.tags) {
    for (const TagSeries::Piece& piece : tag.pieces) {
      const std::string_view path = piece.path;
      if (IsEventFileName(path)) files[path] = piece.set;
    }
  }
  for (const auto& [path, set] : files) files_.push_back({std::string(path), set});
}

std::optional<double> BoardRun::start() const {
  for (const File& file : files_) {
    if (file.set->first_wall_time) return file.set->first_wall_time;
  }
  return first_wall_time_;
}

std::vector<BoardSeries> BoardRun::Series(std::string_view plugin) const {
  std::vector<BoardSeries> all;
  std::set<std::string_view> seen;
  for (const File& file : files_) {
    for (const SeriesTag& tag : file.set->tags) {
      // Of a tag that came with several plugins, the first one counts.
      if (!seen.insert(tag.tag).second) continue;
      if (!plugin.empty() && tag.plugin != plugin) continue;
      if (std::optional<BoardSeries> series = Find(tag.tag, tag.plugin)) {
        all.push_back(std::move(*series));
      }
    }
  }
  return all;
}

std::optional<BoardSeries> BoardRun::Find(std::string_view tag, std::string_view plugin) const {
  BoardSeries series;
  for (const File& file : files_) {
    const SeriesTag* const found = file.set->Find(tag, plugin);
    if (found != nullptr && series.first_ == nullptr) series.first_ = found;
    if (found != nullptr || !file.set->restarts.empty()) {
      series.parts_.push_back({file.path, file.set, found});
    }
  }
  return series.first_ == nullptr ? std::nullopt : std::optional(std::move(series));
}

std::vector<Board::Run> Board::Runs() const {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  std::vector<std::pair<double, Run>> found;
  for (const std::shared_ptr<const ListedRun>& listed : workspace_.runs(true)->runs) {
    const RunInfo& info = listed->info;
    // One of another tool's files is none of TensorBoard's.
    if (std::ranges::none_of(info.files, IsEventFileName)) continue;
    const Run run = {info.id, info.name, info.path};
    static_cast<void>(With(run, [&](const BoardRun& shown) {
      found.emplace_back(shown.start().value_or(kNever), run);
    }));
  }
  std::ranges::sort(found, [](const auto& left, const auto& right) {
    return std::tie(left.first, left.second.name) < std::tie(right.first, right.second.name);
  });
  std::vector<Run> runs;
  for (auto& [start, run] : found) runs.push_back(std::move(run));
  return runs;
}

void Board::ForEachRun(const std::function<void(const BoardRun&)>& use) const {
  for (const Run& run : Runs()) static_cast<void>(With(run, use));
}

bool Board::WithRun(std::string_view name, const std::function<void(const BoardRun&)>& use) const {
  for (const std::shared_ptr<const ListedRun>& listed : workspace_.runs(true)->runs) {
    const RunInfo& info = listed->info;
    if (info.name == name) return With({info.id, info.name, info.path}, use);
  }
  return false;
}

bool Board::With(const Run& run, const std::function<void(const BoardRun&)>& use) const {
  return workspace_.WithSeries(
      run.id, [&](const RunSeries& series) { use(BoardRun(run.name, run.folder, series)); }, true);
}

}  // namespace telltale
