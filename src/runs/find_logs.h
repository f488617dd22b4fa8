// SPDX-License-Identifier: Apache-2.0
// Which files in a run's folder are logs: by their names and places, without a look inside.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_stamp.h"
#include "io/file_gate.h"

namespace telltale {

struct FoundLog {
  std::string path;             // below the run's folder
  std::optional<int64_t> rank;  // of logs/rank-3.log
  FileStamp stamp;
};

// "logs/rank-3.log", "rank_3/train.log": 3.
[[nodiscard]] std::optional<int64_t> RankInPath(std::string_view path);

// *.log, *.txt, *.out and *.err, at most three folders deep; not what holds settings, and nothing
// of another run inside. First what the program printed, then ranks in order, then the rest by
// name.
[[nodiscard]] std::vector<FoundLog> FindLogs(const std::string& folder, const FileGate& gate);

}  // namespace telltale
