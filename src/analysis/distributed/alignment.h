// SPDX-License-Identifier: Apache-2.0
// One clock for the traces of several ranks. Each file's times, made absolute where the file says
// how, get an offset such that the collectives it shares with others end together: nobody leaves an
// all-reduce before everybody has come, so the ends agree up to the network, whatever the ranks did
// before. The offset is the median over the matched collectives; how far they scatter around it is
// the error of the clock, and is stated.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/distributed/collectives.h"
#include "analysis/distributed/match_collectives.h"

namespace telltale {

enum class AlignmentSource : uint8_t {
  kReference,    // the rank that the others are aligned to: the first file's
  kCollectives,  // by matched collectives
  kWallClock,    // nothing in common with the reference: the clocks as they were
};
[[nodiscard]] std::string_view NameOf(AlignmentSource source);

struct FileAlignment {
  AlignmentSource source = AlignmentSource::kWallClock;
  int64_t offset_ns = 0;  // to add to start_ns + Trace::base_time_ns
  // At least 9 of 10 collectives end within this of the reference's end; none: not known.
  std::optional<int64_t> error_ns;
  uint64_t collectives = 0;  // that the offset rests on
  // Collectives that were matched but would end on one rank before they begin on another: no match
  // after all. The offset does not rest on them.
  uint64_t contradicted = 0;
};

struct Alignment {
  std::vector<FileAlignment> files;    // as many as contexts
  std::vector<uint32_t> contradicted;  // the matches that cannot be, ascending

  // A file's time on the common clock.
  [[nodiscard]] int64_t CommonTime(const Trace& trace, size_t file, int64_t time_ns) const {
    return static_cast<int64_t>(static_cast<uint64_t>(time_ns) +
                                static_cast<uint64_t>(trace.base_time_ns) +
                                static_cast<uint64_t>(files[file].offset_ns));
  }
};

// To the first file, and further captures of its rank. Files that share no collective with it are
// aligned through others that do; their errors add up.
[[nodiscard]] Alignment AlignRanks(std::span<const TraceContext> contexts);

// The same with the collectives found and matched already.
[[nodiscard]] Alignment AlignRanks(std::span<const TraceContext> contexts,
                                   std::span<const std::vector<CollectiveCall>> calls,
                                   const CollectiveMatches& matches);

}  // namespace telltale
