// SPDX-License-Identifier: Apache-2.0
// What run.json says of one run beyond what a list needs (run_settings.h): how it ended, its ranks,
// and how far it means to go. Text in, values out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_gate.h"

namespace telltale {

struct RunOutcome {
  struct Frame {
    std::string file;
    std::optional<int64_t> line;
    std::string function;
  };
  struct Failure {
    std::string type;
    std::string message;
    std::vector<Frame> frames;
  };
  struct Rank {
    int64_t rank = 0;
    std::string host;
    std::optional<int64_t> pid;
    std::string status;  // empty: not said
    std::optional<int64_t> exit_code;
    std::string signal;
  };
  std::optional<int64_t> steps;
  std::optional<int64_t> total_steps;
  std::optional<int64_t> exit_code;
  std::string signal;  // "SIGKILL", "9"; empty: none
  std::optional<Failure> error;
  std::vector<std::string> command;
  std::string host;
  std::vector<Rank> ranks;
};

// Members that are missing or of another type count as not said; no JSON object says nothing.
[[nodiscard]] RunOutcome ReadRunOutcome(std::string_view text);

// Of the run in that folder; what cannot be read says nothing.
[[nodiscard]] RunOutcome RunOutcomeOf(const std::string& folder, const FileGate& gate);

}  // namespace telltale
