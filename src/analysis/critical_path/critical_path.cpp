// SPDX-License-Identifier: Apache-2.0
// The analysis as a whole: graphs, regions, paths, sums, and what the largest causes cost.
#include "analysis/critical_path/critical_path.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "analysis/critical_path/cause_sums.h"
#include "analysis/critical_path/what_if.h"
#include "analysis/critical_path/worlds.h"

namespace telltale {

namespace {

// For so many causes the regions are computed anew.
constexpr size_t kFreedCauses = 10;

// The paths of a world's regions.
struct WorldPaths {
  const RegionWorld* at = nullptr;
  std::vector<PathRegion> rows;
  std::vector<std::vector<PathPiece>> pieces;
  std::vector<std::unique_ptr<CauseSums>> sums;  // of each worker
};

// The causes that cases free, by name.
class FreedCauses : public Relief {
 public:
  FreedCauses(const PathWorld& world, std::span<const PathCauseRow> rows)
      : numbers_(world, kPathCauseCount), cases_(static_cast<uint32_t>(rows.size()) + 1) {
    for (uint32_t g = 0; g < world.graphs.size(); ++g) {
      bool host = false;
      for (uint32_t k = 0; k < rows.size(); ++k) {
        StringId name = kNoString;
        if (!rows[k].name.empty()) {
          name = world.graphs[g].context->trace.strings.Find(rows[k].name);
          if (name == kNoString) continue;
        }
        numbers_.At(g, static_cast<size_t>(rows[k].cause), name) = k + 1;
        host = host || std::ranges::find(kHostCauses, rows[k].cause) != kHostCauses.end();
      }
      frees_host_.push_back(host ? 1 : 0);
    }
  }

  [[nodiscard]] uint32_t cases() const override { return cases_; }
  void Of(const PathEdges& edges, const PathEdge& edge,
          std::vector<Saving>& savings) const override {
    if (edge.kind == EdgeKind::kRun && frees_host_[edge.graph] == 0) return;
    const PathGraph& graph = edges.graph(edge);
    ForEachPiece(edges, edge,
                 [&](int64_t from, int64_t to, PathCause cause, SpanRow span, TrackId) {
                   const uint32_t freed = numbers_.Find(edge.graph, static_cast<size_t>(cause),
                                                        NameOfPiece(graph, cause, span));
                   if (freed != 0) savings.push_back({freed, to - from});
                 });
  }

 private:
  static constexpr std::array<PathCause, 6> kHostCauses = {
      PathCause::kOperator, PathCause::kHostOther,     PathCause::kDataLoading,
      PathCause::kRuntime,  PathCause::kCommunication, PathCause::kSynchronization};

  NameNumbers numbers_;
  uint32_t cases_;
  std::vector<uint8_t> frees_host_;  // by graph: some host time is freed
};

void FindPath(WorldPaths& paths, size_t i, CauseSums& sums, bool keep_pieces) {
  const PathWorld& world = paths.at->world;
  const CriticalRegion& region = paths.at->regions[i];
  const PathEdges edges(world, region.bounds.start_ns);
  const std::vector<PathEdge> path = WalkCriticalPath(edges, region);
  PathRegion& row = paths.rows[i];
  const PathGraph& first = world.graphs[region.launches[0].graph];
  // Joined ranks are on the common clock already.
  const bool joined = world.graphs.size() > 1;
  const int64_t to_absolute = joined ? 0 : first.context->trace.base_time_ns - first.offset_ns;
  row.name = region.name;
  row.start_ns = region.bounds.start_ns + to_absolute;
  row.duration_ns = region.bounds.end_ns - region.bounds.start_ns;
  if (!joined) row.file = world.file[region.launches[0].graph];
  if (path.empty()) return;
  for (const PathEdge& edge : path) {
    const PathGraph& graph = edges.graph(edge);
    ForEachPiece(
        edges, edge, [&](int64_t from, int64_t to, PathCause cause, SpanRow span, TrackId track) {
          row.causes[static_cast<size_t>(cause)] += to - from;
          ++row.pieces;
          sums.Add(edge.graph, cause, NameOfPiece(graph, cause, span), to - from);
          if (!keep_pieces) return;
          paths.pieces[i].push_back({from + to_absolute, to - from, span, track,
                                     world.file[edge.graph], static_cast<uint32_t>(i), cause});
        });
  }
}

WorldPaths FindPaths(const RegionWorld& at, bool keep_pieces) {
  WorldPaths paths;
  paths.at = &at;
  const size_t regions = paths.at->regions.size();
  paths.rows.resize(regions);
  paths.pieces.resize(regions);
  const unsigned workers = paths.at->workers();
  for (unsigned worker = 0; worker < workers; ++worker) {
    paths.sums.push_back(std::make_unique<CauseSums>(paths.at->world));
  }
  ForEachRegion(workers, regions, [&](size_t worker, size_t i) {
    FindPath(paths, i, *paths.sums[worker], keep_pieces);
  });
  return paths;
}

// Sums of all files by cause and text, largest first.
std::vector<PathCauseRow> JoinSums(std::span<const WorldPaths> all) {
  std::map<std::pair<PathCause, std::string_view>, PathCauseRow> rows;
  for (const WorldPaths& paths : all) {
    for (const auto& sums : paths.sums) {
      for (const CauseSum& sum : sums->sums()) {
        const std::string_view name =
            paths.at->world.graphs[sum.graph].context->trace.Text(sum.name);
        PathCauseRow& row = rows[{sum.cause, name}];
        row.cause = sum.cause;
        row.name = name;
        row.pieces += sum.pieces;
        row.total_ns += sum.total_ns;
      }
    }
  }
  std::vector<PathCauseRow> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(), [](const PathCauseRow& a, const PathCauseRow& b) {
    if (a.total_ns != b.total_ns) return a.total_ns > b.total_ns;
    return a.name < b.name;
  });
  return sorted;
}

// Sets average_if_free_ns of the first rows, and what the regions take with nothing freed.
void FreeLargestCauses(std::span<const WorldPaths> all, CriticalPathReport& report) {
  std::vector<uint32_t> rows;
  for (uint32_t i = 0; i < report.causes.size() && rows.size() < kFreedCauses; ++i) {
    // Time that nothing explains cannot be saved by anything.
    if (report.causes[i].cause != PathCause::kIdle) rows.push_back(i);
  }
  if (report.regions.empty()) return;
  std::vector<PathCauseRow> freed_rows;
  for (const uint32_t row : rows) freed_rows.push_back(report.causes[row]);
  std::vector<int64_t> totals(rows.size() + 1, 0);
  auto region_row = report.regions.begin();
  for (const WorldPaths& paths : all) {
    const FreedCauses freed(paths.at->world, freed_rows);
    const unsigned workers = paths.at->workers();
    std::vector<WhatIf> what_if;
    what_if.reserve(workers);
    for (unsigned worker = 0; worker < workers; ++worker) {
      what_if.emplace_back(paths.at->world, freed);
    }
    std::vector<std::vector<int64_t>> durations(paths.at->regions.size());
    ForEachRegion(workers, paths.at->regions.size(), [&](size_t worker, size_t i) {
      durations[i] = what_if[worker].Durations(std::span(paths.at->regions).subspan(i, 1))[0];
    });
    for (const std::vector<int64_t>& region : durations) {
      (region_row++)->recomputed_ns = region[0];
      for (size_t k = 0; k < totals.size(); ++k) totals[k] += region[k];
    }
  }
  const auto count = static_cast<int64_t>(report.regions.size());
  report.recomputed_average_ns = totals[0] / count;
  for (size_t k = 0; k < rows.size(); ++k) {
    report.causes[rows[k]].average_if_free_ns = totals[k + 1] / count;
  }
}

void AddNotes(const PathNotes& from, PathNotes& to) {
  to.device_events += from.device_events;
  to.early_starts += from.early_starts;
  to.overlaps_on_stream += from.overlaps_on_stream;
  to.late_ends += from.late_ends;
  to.known_dependencies += from.known_dependencies;
  to.guessed_dependencies += from.guessed_dependencies;
  to.hand_overs += from.hand_overs;
  to.sync_events = to.sync_events || from.sync_events;
}

}  // namespace

std::string_view NameOf(PathCause cause) {
  static constexpr std::array<std::string_view, kPathCauseCount> kNames = {
      "operator",      "host_other", "data_loading", "runtime",    "launch_delay",    "kernel",
      "communication", "memcpy",     "memset",       "kernel_gap", "synchronization", "idle"};
  return kNames[static_cast<size_t>(cause)];
}

std::string_view NameOf(PathRegionKind kind) {
  switch (kind) {
    case PathRegionKind::kStep:
      return "step";
    case PathRegionKind::kAnnotation:
      return "annotation";
    case PathRegionKind::kWholeTrace:
      return "whole_trace";
  }
  return "";
}

CriticalPathReport DescribeCriticalPath(std::span<const TraceContext> files,
                                        const CriticalPathOptions& options,
                                        const RegionWorlds* known) {
  CriticalPathReport report;
  RegionWorlds own;
  if (known == nullptr || !options.annotation.empty()) {
    own = FindRegionWorlds(files, options.annotation, options.instance);
    known = &own;
  }
  const RegionWorlds& worlds = *known;
  report.kind = worlds.kind;
  report.joined = worlds.joined;
  report.annotation_instances = worlds.annotation_instances;
  std::vector<WorldPaths> all;
  for (const RegionWorld& world : worlds.all) {
    report.notes.meetings += world.world.meetings.size();
    for (const PathGraph& graph : world.world.graphs) AddNotes(graph.notes, report.notes);
    all.push_back(FindPaths(world, options.pieces));
  }
  int64_t duration_ns = 0;
  for (const WorldPaths& paths : all) {
    const auto first = static_cast<uint32_t>(report.regions.size());
    for (const PathRegion& row : paths.rows) {
      duration_ns += row.duration_ns;
      for (size_t c = 0; c < kPathCauseCount; ++c) report.totals[c] += row.causes[c];
      report.regions.push_back(row);
    }
    for (const std::vector<PathPiece>& pieces : paths.pieces) {
      for (PathPiece piece : pieces) {
        piece.region += first;
        report.pieces.push_back(piece);
      }
    }
  }
  report.causes = JoinSums(all);
  for (PathCauseRow& row : report.causes) {
    row.share =
        duration_ns > 0 ? static_cast<double>(row.total_ns) / static_cast<double>(duration_ns) : 0;
  }
  if (!report.regions.empty()) {
    report.average_ns = duration_ns / static_cast<int64_t>(report.regions.size());
  }
  FreeLargestCauses(all, report);
  return report;
}

}  // namespace telltale
