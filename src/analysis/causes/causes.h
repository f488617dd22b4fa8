// SPDX-License-Identifier: Apache-2.0
// Why a step takes as long as it does: what it would be shorter without. The saving of a cause is
// found by replaying the graph of what waited for what (critical_path/) with the cause gone; all
// causes in one walk, side by side. Work that the training exists to do is no cause.
// docs/analyses/causes.md has the exact rules.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/causes/kinds.h"
#include "analysis/core/context.h"
#include "analysis/critical_path/critical_path.h"

namespace telltale {

struct Cause {
  CauseKind kind = CauseKind::kHostCode;
  std::string what;  // a call, an annotation, a function, a rank …; empty: nobody's
  // Of an average region: how much shorter it would be; none where nobody can know.
  std::optional<int64_t> saving_ns;
  double share = 0;     // of the region: what is saved, or lies on the path where that is not known
  int64_t path_ns = 0;  // of an average region's critical path
  int64_t least_saving_ns = 0;  // over regions
  int64_t most_saving_ns = 0;
  std::string worst_region;  // the one that would save most, where that is far more than others
  int64_t more_ns = 0;       // kSlowSteps: of `what` in the worst one, beyond the typical one
  int64_t left_ns = 0;       // the average region with this cause and all before it gone
  uint64_t calls = 0;        // on the path of all regions
  bool on_host = false;      // kLaunchOverhead: of operators, where there is no device
  bool launches = false;     // kHostOperator: it gives the device work
  uint64_t pieces = 0;       // of these, between other things
  // Where: the operator or annotation around it, and the function and line that called it.
  std::string inside;
  std::string called_from;
  std::optional<uint32_t> file;  // of several joined ones, where it is in one of them alone
  // The longest of its pieces: its event if it has one, and when (since 1970 where the trace
  // knows).
  uint32_t example_file = 0;
  std::optional<SpanRow> example_row;
  int64_t example_start_ns = 0;
  int64_t example_duration_ns = 0;
};

struct CausesReport {
  PathRegionKind kind = PathRegionKind::kStep;
  uint64_t regions = 0;
  int64_t average_ns = 0;
  bool joined = false;  // ranks are replayed together
  bool has_device = false;
  bool records_graph = false;  // the launches of some trace go into a graph and do not happen
  std::vector<Cause> causes;   // the largest saving first, those that cannot be known last
  int64_t work_ns = 0;    // of an average path: kernels, operators without a device, collectives
  std::string most_work;  // the name of most of it
  int64_t most_work_ns = 0;
  // Of the device's time: what graphs launched, and what has no launch in the trace.
  double graph_share = 0;
  double no_launch_share = 0;

  // Speaks of steps of this mean length: of several ranks the mean of each one's own, which is what
  // other pages call a step. Not where that is far shorter than what the ranks have in common.
  void SpeakOf(int64_t step_ns);

  // With the first `count` causes gone.
  [[nodiscard]] int64_t Without(size_t count) const {
    return count == 0 ? average_ns : causes[count - 1].left_ns;
  }
};

[[nodiscard]] CausesReport DescribeCauses(std::span<const TraceContext> files);
// `worlds`: those of the steps of these files.
[[nodiscard]] CausesReport DescribeCauses(std::span<const TraceContext> files,
                                          const RegionWorlds& worlds);

}  // namespace telltale
