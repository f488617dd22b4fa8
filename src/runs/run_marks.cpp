// SPDX-License-Identifier: Apache-2.0
#include "runs/run_marks.h"

#include <array>

#include "formats/tfevents/reader.h"

namespace telltale {

namespace {

struct Named {
  std::string_view name;
  RunMark mark;
};
constexpr std::array<Named, 7> kFiles = {{
    {"run.json", kMarkRunJson},
    {"hparams.yaml", kMarkHparamsYaml},
    {"metrics.csv", kMarkMetricsCsv},
    {"args.txt", kMarkArgsText},
    {"experiment_summary.txt", kMarkSummaryText},
    {"epoch_metrics.csv", kMarkEpochCsv},
    {"meta.yaml", kMarkMetaYaml},
}};

bool IsDatabaseName(std::string_view name) {
  return name.ends_with(".db") || name.ends_with(".sqlite") || name.ends_with(".sqlite3");
}

}  // namespace

bool MayMarkRun(std::string_view name) {
  if (IsEventFileName(name) || name.ends_with(".wandb") || IsDatabaseName(name)) return true;
  for (const Named& known : kFiles) {
    if (known.name == name) return true;
  }
  return false;
}

void MarkedFolder::SeeFolder(std::string_view name) {
  if (name == ".hydra") marks |= kMarkHydra;
  if (name == "metrics") marks |= kMarkMetricsFolder;
}

void MarkedFolder::SeeFile(std::string_view name) {
  if (IsEventFileName(name)) {
    event_files.emplace_back(name);
  } else if (name.ends_with(".wandb")) {
    wandb_files.emplace_back(name);
  } else if (IsDatabaseName(name)) {
    databases.emplace_back(name);
  } else {
    for (const Named& known : kFiles) {
      if (known.name == name) marks |= known.mark;
    }
  }
}

}  // namespace telltale
