// SPDX-License-Identifier: Apache-2.0
// The event `runs` of the stream of changes: which runs are new, gone, or have more points.
#pragma once

#include <cstdint>
#include <mutex>

#include "runs/workspace.h"
#include "server/event_stream.h"

namespace telltale {

// Any thread.
class RunTeller {
 public:
  explicit RunTeller(EventStream& events) : events_(events) {}
  void Tell(const WorkspaceChange& change);

 private:
  EventStream& events_;
  std::mutex mutex_;   // of what follows, and of the order of the events
  uint64_t told_ = 0;  // revision
};

}  // namespace telltale
