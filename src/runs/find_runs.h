// SPDX-License-Identifier: Apache-2.0
// Which runs there are, from what the walk noted (run_marks.h). A folder that directly holds event
// files is a run, called by its path below the log folder, as TensorBoard does it; Telltale's own
// folder, those of Lightning, Hydra, hi-ml, InnerEye and W&B, and MLflow's file store are known by
// the files they have. Databases may hold any number of runs: foreign/ looks into them. Nothing is
// opened here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/run.h"
#include "runs/find_profiles.h"
#include "runs/root.h"
#include "runs/run_marks.h"

namespace telltale {

// Series that one folder, or one file of another tool, adds to a run.
struct FoundPart {
  enum class Reader : uint8_t {
    kEvents,        // one event file
    kMetricsCsv,    // Lightning's metrics.csv
    kEpochCsv,      // InnerEye's epoch_metrics.csv
    kWandb,         // run-*.wandb
    kMlflowFolder,  // a run folder of MLflow's file store
  };
  Reader reader = Reader::kEvents;
  std::string path;
  std::string prefix;  // of its tags in the run: "train/"
  friend bool operator==(const FoundPart&, const FoundPart&) = default;
};

struct FoundRun {
  std::string name;  // without that of the root
  std::string path;  // the folder
  size_t root = 0;
  RunKind kind = RunKind::kTensorboard;
  uint16_t marks = 0;
  // What comes first comes first in a joined series.
  std::vector<FoundPart> parts;
  std::vector<std::string> settings;  // files that hold its configuration; later ones win
  std::vector<std::string> profiles;  // traces, .prof files … inside its folder
  // Of folders inside another run's folder: the path of that run, to which their series belong
  // unless everything is shown as it lies.
  std::string owner;
  // Only the folder of its parts: of no interest where everything is shown as it lies.
  bool is_owner_only = false;
  friend bool operator==(const FoundRun&, const FoundRun&) = default;
};

// A database that may hold runs.
struct FoundStore {
  std::string path;
  size_t root = 0;
  friend bool operator==(const FoundStore&, const FoundStore&) = default;
};

struct FoundRuns {
  std::vector<FoundRun> runs;  // by root, then by path, part by part
  std::vector<FoundStore> stores;
};

// `profiles`: what was found beside, so that a profile inside a run's folder is known there.
[[nodiscard]] FoundRuns RunsOf(std::span<const Root> roots, std::span<const MarkedFolder> marked,
                               std::span<const FoundProfile> profiles);

// What one walk found of them.
struct RunsLook {
  FoundRuns runs;
  std::vector<SkippedFile> closed_folders;  // that could not be looked into, and why
  bool cut = false;                         // it stopped at a limit: there may be more
};
// Of the finder's last look, which found these profiles.
[[nodiscard]] RunsLook RunsOfLook(const ProfileFinder& finder,
                                  std::span<const FoundProfile> profiles);

// Short, and the same on every machine and in every run: of a run that has no id of its own.
[[nodiscard]] std::string RunIdOf(const Root& root, std::string_view relative);

}  // namespace telltale
