// SPDX-License-Identifier: Apache-2.0
// Reads the traces of a run while it goes on, in a process of its own and at low priority, so that
// the answer is there when the program ends, and nothing of it can hold up or change how it ends.
// The traces that the program writes last are read after its end; whoever waits for that does so
// for a bounded time, and the process goes on without them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/json/value.h"
#include "io/file_gate.h"

namespace telltale {

class TraceReader {
 public:
  // Forks: no thread may be running. `folder`: the run's profiler/, where operators.txt is kept up
  // to date. Without a process to be had, nothing is read.
  TraceReader(std::string folder, const JsonValue& settings);
  TraceReader(const TraceReader&) = delete;
  TraceReader& operator=(const TraceReader&) = delete;
  ~TraceReader();

  struct Outcome {
    bool is_done = false;  // false: it is still reading, or could not
    std::string answer;    // empty: there was no trace
    std::string problem;   // a trace could not be read
  };
  // The program has ended. Once.
  [[nodiscard]] Outcome End();

 private:
  FileDescriptor ours_;  // of a pair of sockets; closing it says that the program has ended
};

}  // namespace telltale
