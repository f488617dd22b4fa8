// SPDX-License-Identifier: Apache-2.0
// What run.json says of a run (schema 1), and back. Values only: who writes it is collector.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/value.h"
#include "base/result.h"
#include "model/run.h"

namespace telltale {

struct GitFacts {
  std::string commit;         // empty: there is none yet
  std::string branch;         // empty: none is checked out
  std::optional<bool> dirty;  // none: git did not answer
};

// A process of the training that is a rank; of a program without ranks, the program itself.
struct RankRecord {
  std::optional<int64_t> rank, local_rank;
  std::string host;
  int64_t pid = 0;
  std::optional<RunStatus> status;
  std::optional<int> exit_code, signal;
};

struct RunRecord {
  std::string id, name;
  std::optional<std::string> experiment, group, note;
  std::vector<std::string> tags;
  RunStatus status = RunStatus::kRunning;
  std::vector<std::string> command;
  std::string cwd;
  std::string script;  // below the folder, if a copy was kept
  std::optional<GitFacts> git;
  std::vector<std::pair<std::string, std::string>> versions;  // by name
  std::string host;
  std::vector<std::string> hosts;  // of a joint run, else empty
  uint64_t user_id = 0;
  int64_t pid = 0;  // of the program; 0: it has not started
  std::vector<RankRecord> ranks;
  std::vector<std::pair<std::string, std::string>> environment;
  int64_t start_ns = 0;
  std::optional<int64_t> end_ns;
  std::optional<int> exit_code, signal;
  JsonValue error;  // null: none
  std::optional<int64_t> steps;
  JsonValue quick_run;                // null: nothing was asked for
  JsonValue summary;                  // null: none
  JsonValue metrics;                  // what was said about tags (define_metric); null: nothing
  JsonValue artifacts;                // that were kept, by name; null: none
  std::vector<std::string> recorded;  // config, logs, monitor, …
  std::vector<std::string> remarks;   // what could not be recorded, and what was brought in later
  std::optional<uint64_t> dropped_spans;
};

[[nodiscard]] std::string ToJson(const RunRecord& record);
[[nodiscard]] Result<RunRecord> RunRecordFrom(std::string_view json);

void SetVersion(RunRecord& record, std::string_view name, std::string_view version);

}  // namespace telltale
