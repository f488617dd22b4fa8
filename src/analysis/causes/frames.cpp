// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/frames.h"

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

const HostThread* FrameOwners::ThreadOf(TrackId track) const {
  const auto at = std::ranges::lower_bound(tree_.threads, track, {}, &HostThread::track);
  return at == tree_.threads.end() || at->track != track ? nullptr : &*at;
}

}  // namespace telltale
