// SPDX-License-Identifier: Apache-2.0
// What decided how long a step took: the critical path, a chain of work and waiting without gaps
// from the step's start to its end, in which every piece had to end before the next could begin.
// Each piece has a cause; the causes of a region sum to its duration exactly. For the largest
// causes the whole region is computed anew as if they took no time. docs/analyses/critical_path.md
// has the exact rules.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "model/trace.h"

namespace telltale {

enum class PathCause : uint8_t {
  kOperator,         // host time in an operator, outside runtime calls
  kHostOther,        // host time in no operator: Python, waiting that the trace does not explain
  kDataLoading,      // host time in a data loader's range
  kRuntime,          // a call of the runtime or driver that does not wait for the device
  kLaunchDelay,      // from the end of the launching call to the start of its device work
  kKernel,           // a compute kernel runs
  kCommunication,    // a communication kernel runs, or host time in a communication range
  kMemcpy,           // a copy runs
  kMemset,           // a set runs
  kKernelGap,        // from the end of the work that was waited for to the start of the next
  kSynchronization,  // a call that waits for the device, after what it waited for has ended
  kIdle,             // nothing in the trace explains the time
};
constexpr size_t kPathCauseCount = 12;
[[nodiscard]] std::string_view NameOf(PathCause cause);

using PathTimes = std::array<int64_t, kPathCauseCount>;  // ns, indexed by PathCause

// One stretch of the path.
struct PathPiece {
  int64_t start_ns = 0;  // since 1970 where the trace knows, else as written
  int64_t duration_ns = 0;
  SpanRow span = kNoRow;  // what it is named after; kNoRow: nothing
  TrackId track{0};       // where it ran
  uint32_t file = 0;
  uint32_t region = 0;  // index into the regions
  PathCause cause = PathCause::kIdle;
};

struct PathRegion {
  std::string name;
  int64_t start_ns = 0;  // since 1970 where the trace knows, else as written
  int64_t duration_ns = 0;
  int64_t recomputed_ns = 0;  // with nothing freed: the same, or the graph is wrong
  uint64_t pieces = 0;
  PathTimes causes = {};         // sum to duration_ns
  std::optional<uint32_t> file;  // none: the path crosses files
};

// Everything of one cause and name, over all regions and files.
struct PathCauseRow {
  PathCause cause = PathCause::kIdle;
  std::string name;  // empty: none
  uint64_t pieces = 0;
  int64_t total_ns = 0;
  double share = 0;  // of all regions' durations
  // The mean duration of a region if these took no time, recomputed; none for the lesser causes.
  std::optional<int64_t> average_if_free_ns;
};

// What was clamped, guessed or missing while the path was found.
struct PathNotes {
  uint64_t device_events = 0;
  uint64_t early_starts = 0;          // device work that starts before its launch: clocks disagree
  uint64_t overlaps_on_stream = 0;    // work that starts before the one ahead of it has ended
  uint64_t late_ends = 0;             // waited-for work that ends after the waiting call
  uint64_t known_dependencies = 0;    // between streams, from cuda_sync events
  uint64_t guessed_dependencies = 0;  // between streams, from the times alone
  uint64_t hand_overs = 0;            // between host threads (forward, backward, collectives)
  uint64_t meetings = 0;              // collectives that join the ranks
  bool sync_events = false;           // the capture holds cuda_sync events
};

enum class PathRegionKind : uint8_t { kStep, kAnnotation, kWholeTrace };
[[nodiscard]] std::string_view NameOf(PathRegionKind kind);

struct CriticalPathReport {
  PathRegionKind kind = PathRegionKind::kStep;
  int64_t average_ns = 0;             // mean duration of the regions, rounded down
  int64_t recomputed_average_ns = 0;  // with nothing freed
  PathTimes totals = {};              // over the regions
  bool joined = false;                // the regions are all ranks' together, on one clock
  std::vector<PathRegion> regions;    // files in their order, then time
  std::vector<PathCauseRow> causes;   // largest first
  std::vector<PathPiece> pieces;      // if asked for: regions in their order, then time
  PathNotes notes;
  uint64_t annotation_instances = 0;  // of the annotation asked for, over all files
};

struct CriticalPathOptions {
  std::string annotation;  // a region is the instance of this annotation; empty: complete steps
  uint64_t instance = 0;   // from 0, in order of time, in each file
  bool pieces = false;     // whether to list them
};

struct RegionWorlds;

// `known`: the worlds of the files' steps, where somebody has built them; nullptr: nobody has.
[[nodiscard]] CriticalPathReport DescribeCriticalPath(std::span<const TraceContext> files,
                                                      const CriticalPathOptions& options,
                                                      const RegionWorlds* known = nullptr);

}  // namespace telltale
