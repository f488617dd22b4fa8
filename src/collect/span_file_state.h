// SPDX-License-Identifier: Apache-2.0
// How far a file of spans (span_file.h) was written, as lines that outlive its writer; and how
// large it may become.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

// What has to be known to go on with a file.
struct SpanFileState {
  struct Thread {
    uint64_t thread = 0;
    uint64_t serial = 0;
    uint64_t open = 0;     // spans whose beginning is in the file, but not their end
    uint64_t skipped = 0;  // spans inside them whose beginning was left out
    uint64_t last_ns = 0;  // time of its last event
  };
  std::string name;  // of the file, in the run's profiler/; empty: none yet
  uint64_t length = 0;
  uint64_t left_out = 0;
  uint64_t last_ns = 0;         // time of the last event
  std::vector<Thread> threads;  // in which a span is open

  // Lines of a region's .taken; Take reads one that begins with `key`, false: it is no such line.
  [[nodiscard]] std::string Text() const;
  bool Take(std::string_view key, std::string_view value);
};

// How many bytes of spans are kept of a process: TELLTALE_SPANS_MIB (0: none), otherwise 256 MiB.
[[nodiscard]] uint64_t SpanLimitBytes();

}  // namespace telltale
