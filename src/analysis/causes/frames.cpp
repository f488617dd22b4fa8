// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/frames.h"

#include <unordered_map>

#include "analysis/causes/kinds.h"
#include "analysis/functions/own_code.h"
#include "base/cancel.h"

namespace telltale {

namespace {

enum class Whose : uint8_t { kUnknown, kOwn, kLibrary, kProfiler, kGarbage };

Whose WhoseIs(std::string_view name) {
  if (IsGarbageCollection(name)) return Whose::kGarbage;
  if (IsProfilerFrame(name)) return Whose::kProfiler;
  return IsLibraryFrame(name) ? Whose::kLibrary : Whose::kOwn;
}

}  // namespace

FrameOwners::FrameOwners(const Trace& trace) : spans_(trace.spans), tree_(BuildPythonTree(trace)) {
  if (tree_.size() == 0) return;
  std::vector<Whose> known(trace.strings.size(), Whose::kUnknown);
  std::vector<bool> library(tree_.size());  // the owner is one only for want of own code
  SpanRow* const owners = owner_.extend(tree_.size());
  CancelCheck cancel;
  for (NodeId node = 0; node < tree_.size(); ++node) {
    cancel.Tick();
    const SpanRow row = tree_.span[node];
    Whose& whose = known[static_cast<size_t>(spans_.name[row])];
    if (whose == Whose::kUnknown) whose = WhoseIs(trace.NameOfSpan(row));
    const NodeId parent = tree_.parent[node];
    owners[node] = row;
    if (whose == Whose::kOwn || whose == Whose::kGarbage) continue;
    const bool owned = parent != kNoRow && !library[parent];
    // What the profiler calls is the profiler's, whoever called it.
    if (whose == Whose::kProfiler &&
        (!owned || known[static_cast<size_t>(spans_.name[owners[parent]])] != Whose::kProfiler)) {
      continue;
    }
    if (owned) {
      owners[node] = owners[parent];
    } else {
      library[node] = whose == Whose::kLibrary;
    }
  }
}

StringId FrameOwners::MostIn(TrackId track, int64_t from_ns, int64_t to_ns, SpanRow owner) const {
  const HostThread* const thread = ThreadOf(track);
  if (thread == nullptr) return kNoString;
  const int64_t first_ns = spans_.start_ns[owner];
  struct Sum {
    int64_t time_ns = 0;
    NodeId last = 0;
  };
  std::unordered_map<StringId, Sum> sums;
  const auto begin = tree_.span.begin();
  const auto first =
      std::partition_point(begin + thread->first, begin + thread->last,
                           [&](SpanRow row) { return spans_.start_ns[row] < first_ns; });
  for (auto node = static_cast<NodeId>(first - begin); node < thread->last; ++node) {
    const SpanRow row = tree_.span[node];
    if (spans_.start_ns[row] >= to_ns) break;
    const int64_t inside =
        std::min(spans_.end_ns(row), to_ns) - std::max(spans_.start_ns[row], from_ns);
    const NodeId parent = tree_.parent[node];
    const bool recursive = parent != kNoRow && spans_.name[tree_.span[parent]] == spans_.name[row];
    if (row == owner || inside <= 0 || recursive) continue;
    Sum& sum = sums[spans_.name[row]];
    sum.time_ns += inside;
    sum.last = node;
  }
  // The calls of an inner function take no longer together than those of the one around them.
  StringId most = kNoString;
  Sum least;
  for (const auto& [name, sum] : sums) {
    if (name == spans_.name[owner] || 2 * sum.time_ns < to_ns - from_ns) continue;
    const bool inner =
        sum.time_ns != least.time_ns ? sum.time_ns < least.time_ns : sum.last > least.last;
    if (most != kNoString && !inner) continue;
    most = name;
    least = sum;
  }
  return most;
}

const HostThread* FrameOwners::ThreadOf(TrackId track) const {
  const auto at = std::ranges::lower_bound(tree_.threads, track, {}, &HostThread::track);
  return at == tree_.threads.end() || at->track != track ? nullptr : &*at;
}

}  // namespace telltale
