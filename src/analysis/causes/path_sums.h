// SPDX-License-Identifier: Apache-2.0
// What the critical paths of the regions consist of, by cause: no cause can save more than it has
// there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "analysis/causes/classify.h"
#include "analysis/critical_path/name_numbers.h"
#include "analysis/critical_path/worlds.h"

namespace telltale {

struct PieceSum {
  uint32_t graph = 0;
  CauseKind kind = CauseKind::kWork;
  StringId name = kNoString;
  int64_t path_ns = 0;       // on the path
  int64_t potential_ns = 0;  // no more than this can be saved
  int64_t short_ns = 0;      // in short pieces
  uint64_t calls = 0;
  uint64_t pieces = 0;
  SpanRow last_span = kNoRow;  // of the last region
  size_t last_region = SIZE_MAX;
  CausePiece longest;
};

// Of equal ones the first, whoever found it.
[[nodiscard]] bool Longer(const CausePiece& a, const CausePiece& b);

// What the paths of a world consist of; for one worker.
class PieceSums {
 public:
  explicit PieceSums(const PathWorld& world) : numbers_(world, kCauseKindCount) {}

  // What follows is of this region.
  void Begin(size_t region) { region_ = region; }
  void Add(uint32_t graph, const CausePiece& piece);
  // A call that waited: it may save as much as it took.
  void AddWait(uint32_t graph, const CausePiece& wait);
  [[nodiscard]] std::span<const PieceSum> all() const { return sums_; }

 private:
  PieceSum& At(uint32_t graph, const CausePiece& piece);
  void Count(PieceSum& sum, const CausePiece& piece) const;

  NameNumbers numbers_;
  std::vector<PieceSum> sums_;
  size_t region_ = 0;
};

// A world, and what its paths consist of.
struct CausePaths {
  const RegionWorld* at = nullptr;
  std::unique_ptr<Classifier> classifier;
  std::vector<RegionChain> chains;  // of the regions
  std::vector<std::unique_ptr<PieceSums>> sums;
};

// The durations of all regions of all worlds.
[[nodiscard]] std::vector<int64_t> RegionDurations(std::span<const CausePaths> all);

// Adds the path through a chain of regions.
void SumPath(const CausePaths& paths, const RegionChain& chain, PieceSums& sums);
[[nodiscard]] CausePaths FindCausePaths(const RegionWorld& at);

}  // namespace telltale
