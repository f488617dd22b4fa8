// SPDX-License-Identifier: Apache-2.0
// What run.json says of a run (schema 1): text in, values out. The one reader, for lists, pages and
// the collector; collect/run_record.h writes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/json/value.h"
#include "io/file_gate.h"
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
  int64_t pid = 0;  // 0: not said
  std::optional<RunStatus> status;
  std::optional<int> exit_code, signal;
};

// What a list of runs needs: held for each of them.
struct RunHead {
  std::string id, name;
  std::optional<std::string> experiment, group, note;
  std::vector<std::string> tags;
  std::optional<RunStatus> status = RunStatus::kRunning;  // as written
  std::string host;
  int64_t pid = 0;  // of the program; 0: it has not started
  std::vector<RankRecord> ranks;
  int64_t start_ns = 0;  // 0: not said
  std::optional<int64_t> end_ns;
};

struct RunRecord : RunHead {
  std::vector<std::string> command;
  std::string cwd;
  std::string script;  // below the folder, if a copy was kept
  std::optional<GitFacts> git;
  std::vector<std::pair<std::string, std::string>> versions;  // by name
  std::vector<std::string> hosts;                             // of a joint run, else empty
  uint64_t user_id = 0;
  std::vector<std::pair<std::string, std::string>> environment;
  std::optional<int> exit_code, signal;
  JsonValue error;  // null: none; FailureOf reads it
  std::optional<int64_t> steps;
  std::optional<int64_t> total_steps;  // how far it means to go
  JsonValue quick_run;                 // null: nothing was asked for
  JsonValue profile;                   // profilers and their settings; null: none was asked for
  JsonValue summary;                   // null: none
  JsonValue metrics;                   // what was said about tags (define_metric); null: nothing
  JsonValue artifacts;                 // that were kept, by name; null: none
  std::vector<std::string> recorded;   // config, logs, monitor, …
  std::vector<std::string> remarks;    // what could not be recorded, and what was brought in later
  std::optional<uint64_t> dropped_spans;
};

// None: no JSON object; `diagnostics` says so, and of a status that is none. Members that are
// missing or of another type count as not said.
[[nodiscard]] std::optional<RunRecord> ReadRunRecord(std::string_view text,
                                                     Diagnostics& diagnostics);
// Of the run in that folder; what cannot be read says nothing.
[[nodiscard]] RunRecord RunRecordOf(const std::string& folder, const FileGate& gate);

// The exception that ended it.
struct RunFailure {
  struct Frame {
    std::string file;
    std::optional<int64_t> line;
    std::string function;
  };
  std::string type;
  std::string message;
  std::vector<Frame> frames;
};
[[nodiscard]] std::optional<RunFailure> FailureOf(const RunRecord& record);

}  // namespace telltale
