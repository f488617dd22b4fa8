// SPDX-License-Identifier: Apache-2.0
// What a process has kept of its calls (record/call_layout.h), as profiles of functions: of all of
// it, and of each action. Believes nothing of the file: it may be cut, torn or hostile.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/function_profile.h"
#include "record/call_layout.h"

namespace telltale {

struct RecordedFunction {
  record::CallKind kind = record::CallKind::kFunction;
  int32_t line = 0;
  std::string_view file, name;  // of the bytes that were read
  uint64_t uncounted = 0;
};

struct RecordedPath {
  uint32_t parent = kNoCallNode;  // stands before it; none: a thread
  uint32_t function = 0;
  uint64_t calls = 0;
  int64_t total_ns = 0;
  int64_t self_ns = 0;
};

struct RecordedCalls {
  std::vector<RecordedFunction> functions;
  std::vector<RecordedPath> paths;
  int64_t start_ns = 0;    // since 1970
  uint64_t uncounted = 0;  // calls that are counted by function only: there was no room for paths
  uint64_t damaged = 0;    // paths and functions that make no sense
};

// `bytes` must outlive what is made of it. `end_ns`: when the process was gone, since 1970; calls
// that had not ended end there, or with the last call that did. Fails if it is no such file.
[[nodiscard]] Result<RecordedCalls> ReadCalls(std::string_view bytes, int64_t end_ns);

// Of all threads. `names_threads`: all but the main thread's paths begin with a frame of the
// thread's name; otherwise their calls are added up.
[[nodiscard]] FunctionProfile ProfileOf(const RecordedCalls& calls, bool names_threads);

struct ActionProfile {
  std::string_view name;
  int64_t total_ns = 0;
  FunctionProfile profile;
};
// What was called in each action, by time, descending; at most so many, none that took less than
// `least_share` of the first. An action inside itself counts once.
[[nodiscard]] std::vector<ActionProfile> ActionProfilesOf(const RecordedCalls& calls, size_t most,
                                                          double least_share);

}  // namespace telltale
