// SPDX-License-Identifier: Apache-2.0
// What the walk through folders (find_profiles.h) notes of each folder that may be a run, or a part
// of one: by the names of its entries alone, nothing is opened. find_runs.h makes runs of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

// Entries by which tools are told apart, as bits.
enum RunMark : uint16_t {
  kMarkRunJson = 1 << 0,        // run.json: Telltale
  kMarkHydra = 1 << 1,          // .hydra/: Hydra
  kMarkHparamsYaml = 1 << 2,    // hparams.yaml: Lightning's loggers
  kMarkMetricsCsv = 1 << 3,     // metrics.csv: Lightning's CSVLogger, InnerEye's predictions
  kMarkArgsText = 1 << 4,       // args.txt: Telltale, InnerEye
  kMarkSummaryText = 1 << 5,    // experiment_summary.txt: hi-ml
  kMarkEpochCsv = 1 << 6,       // epoch_metrics.csv: InnerEye, in Train/ and Val/
  kMarkMetaYaml = 1 << 7,       // meta.yaml: MLflow's file store
  kMarkMetricsFolder = 1 << 8,  // metrics/: MLflow's file store, beside meta.yaml
};

struct MarkedFolder {
  size_t root = 0;
  std::string path;      // as it was reached
  std::string relative;  // below its root; empty: the root itself
  uint16_t marks = 0;
  std::vector<std::string> event_files;  // names
  std::vector<std::string> wandb_files;  // run-*.wandb
  std::vector<std::string> databases;    // *.db, *.sqlite: content decides

  [[nodiscard]] bool Has(RunMark mark) const { return (marks & mark) != 0; }
  [[nodiscard]] bool empty() const {
    return marks == 0 && event_files.empty() && wandb_files.empty() && databases.empty();
  }

  void SeeFolder(std::string_view name);
  // Of a regular file, or a link to one.
  void SeeFile(std::string_view name);
};

// Whether SeeFile would note it: only then it matters what kind of file it is.
[[nodiscard]] bool MayMarkRun(std::string_view name);

}  // namespace telltale
