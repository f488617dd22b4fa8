// SPDX-License-Identifier: Apache-2.0
// Runs of other trackers, read-only: what their stores say, in our words.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/logged_values.h"
#include "io/file_gate.h"
#include "model/run.h"
#include "runs/run_settings.h"

namespace telltale {

struct ForeignRun {
  std::string id;  // in its store
  std::string name;
  RunKind kind = RunKind::kMlflow;
  std::optional<std::string> experiment, group;
  std::optional<RunStatus> status;
  std::optional<int64_t> start_ns, end_ns;
  Config config;
  std::vector<std::string> tags;
  std::optional<std::string> note;
  bool deleted = false;
  LoggedValues logged;
  std::string media;  // the folder that the files of its values are below
};

// Of a database of MLflow's or trackio's; none if it is of neither. An Error: it cannot be read.
[[nodiscard]] Result<std::vector<ForeignRun>> ReadStore(const std::string& path,
                                                        const FileGate& gate);

// A run folder of MLflow's file store: meta.yaml, params/, metrics/, tags/.
[[nodiscard]] Result<ForeignRun> ReadMlflowFolder(const std::string& folder, const FileGate& gate);
// Of all its files' stamps: another one as soon as one of them changed.
[[nodiscard]] uint64_t MlflowFolderVersion(const std::string& folder);

// MLflow's word for a status. RUNNING is what a process once said of itself: whether it still is,
// nobody knows, so it is none.
[[nodiscard]] std::optional<RunStatus> MlflowStatus(std::string_view word);
// A parameter, tag or note of MLflow's.
void AddMlflowTag(ForeignRun& run, std::string_view key, std::string_view value);

}  // namespace telltale
