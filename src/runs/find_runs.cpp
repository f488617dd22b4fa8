// SPDX-License-Identifier: Apache-2.0
#include "runs/find_runs.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace telltale {

namespace fs = std::filesystem;

namespace {

// Folders of a run in which its own series lie: their tags stand as they are. Those of others
// begin with the folder's path.
std::string PrefixOf(std::string_view below) {
  static constexpr std::array<std::string_view, 8> kOwnFolders = {
      "events", "monitor", "logs/Lightning", "logs/gpu_utilization",
      "logs",   "outputs", "lightning_logs", "tensorboard"};
  for (const std::string_view own : kOwnFolders) {
    if (below == own) return {};
    if (below.starts_with(own) && below[own.size()] == '/') {
      return std::string(below.substr(own.size() + 1)) + "/";
    }
  }
  return std::string(below) + "/";
}

std::string Joined(const std::string& folder, std::string_view name) {
  return (fs::path(folder) / name).string();
}

// Whether all series below it are its own: the folder says of itself that it is a run.
bool IsOwner(const MarkedFolder& folder) {
  return folder.Has(kMarkRunJson) || folder.Has(kMarkSummaryText) ||
         (folder.Has(kMarkArgsText) && !folder.Has(kMarkMetaYaml));
}

bool IsMlflowRun(const MarkedFolder& folder) {
  return folder.Has(kMarkMetaYaml) && folder.Has(kMarkMetricsFolder);
}

// The folder around a path; empty: there is none.
std::string_view Above(std::string_view path) {
  const size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

class Assembly {
 public:
  Assembly(std::span<const Root> roots, std::span<const MarkedFolder> marked)
      : roots_(roots), folders_(marked.begin(), marked.end()) {
    // A folder before what is in it.
    std::ranges::sort(folders_, [](const MarkedFolder& a, const MarkedFolder& b) {
      return std::tie(a.root, a.relative) < std::tie(b.root, b.relative);
    });
    for (const MarkedFolder& folder : folders_) by_path_.try_emplace(folder.path, &folder);
  }

  FoundRuns Make(std::span<const FoundProfile> profiles) {
    for (const MarkedFolder& folder : folders_) Take(folder);
    for (FoundRun& run : found_.runs) LendHydra(run);
    for (const MarkedFolder& folder : folders_) AddEpochFile(folder);
    GiveProfiles(profiles);
    DropEmptyHydra();
    return std::move(found_);
  }

 private:
  // Calls `use` with each marked folder around the path, from the inside to the outside.
  template <typename Use>
  void ForEachAround(std::string_view path, size_t root, Use use) const {
    for (path = Above(path); !path.empty(); path = Above(path)) {
      const auto at = by_path_.find(path);
      if (at != by_path_.end() && at->second->root == root) use(*at->second);
    }
  }
  FoundRun* RunAt(std::string_view path) {
    const auto at = run_at_.find(path);
    return at == run_at_.end() ? nullptr : &found_.runs[at->second];
  }
  void Add(FoundRun run) {
    run_at_.try_emplace(run.path, found_.runs.size());
    found_.runs.push_back(std::move(run));
  }

  void Take(const MarkedFolder& folder) {
    for (const std::string& name : folder.databases) {
      found_.stores.push_back({Joined(folder.path, name), folder.root});
    }
    if (IsMlflowRun(folder)) return TakeMlflow(folder);
    for (const std::string& name : folder.wandb_files) TakeWandb(folder, name);

    const MarkedFolder* const owner = OwnerOf(folder);
    const bool owns = IsOwner(folder) && owner == nullptr;
    const bool lightning = folder.Has(kMarkHparamsYaml) ||
                           (folder.Has(kMarkMetricsCsv) && !folder.Has(kMarkEpochCsv) &&
                            fs::path(folder.path).filename().string().starts_with("version_"));
    const bool hydra = folder.Has(kMarkHydra);
    const bool csv =
        (lightning || hydra) && folder.Has(kMarkMetricsCsv) && folder.event_files.empty();
    if (folder.event_files.empty() && !owns && !lightning && !hydra) return;

    FoundRun run = Begin(folder);
    run.kind = folder.Has(kMarkRunJson) ? RunKind::kTelltale
               : lightning || owns      ? RunKind::kLightning
               : hydra                  ? RunKind::kHydra
                                        : RunKind::kTensorboard;
    AddSettings(folder, run);
    std::vector<std::string> names = folder.event_files;
    std::ranges::sort(names);
    for (const std::string& name : names) {
      run.parts.push_back({FoundPart::Reader::kEvents, Joined(folder.path, name), {}});
    }
    if (csv) {
      run.parts.push_back({FoundPart::Reader::kMetricsCsv, Joined(folder.path, "metrics.csv"), {}});
    }
    run.is_owner_only = owns && run.parts.empty();
    if (owner != nullptr) GiveTo(*owner, run);
    Add(std::move(run));
  }

  [[nodiscard]] FoundRun Begin(const MarkedFolder& folder) const {
    FoundRun run;
    run.root = folder.root;
    run.path = folder.path;
    run.marks = folder.marks;
    const Root& root = roots_[folder.root];
    // A file that was named is called as its folder is.
    run.name = folder.relative.empty() ? "." : folder.relative;
    if (root.is_named) {
      run.name = folder.relative.empty() ? root.name : root.name + "/" + folder.relative;
    }
    return run;
  }

  static void AddSettings(const MarkedFolder& folder, FoundRun& run) {
    if (folder.Has(kMarkHydra)) run.settings.push_back(Joined(folder.path, ".hydra/config.yaml"));
    if (folder.Has(kMarkSummaryText)) {
      run.settings.push_back(Joined(folder.path, "experiment_summary.txt"));
    }
    if (folder.Has(kMarkArgsText)) run.settings.push_back(Joined(folder.path, "args.txt"));
    if (folder.Has(kMarkHparamsYaml)) run.settings.push_back(Joined(folder.path, "hparams.yaml"));
  }

  // The outermost folder around it that owns what is in it.
  [[nodiscard]] const MarkedFolder* OwnerOf(const MarkedFolder& folder) const {
    // A run inside a run's folder that says so itself, a sweep's for example, is its own.
    if (folder.Has(kMarkRunJson)) return nullptr;
    const MarkedFolder* owner = nullptr;
    ForEachAround(folder.path, folder.root, [&](const MarkedFolder& other) {
      // Of nested ones that say so, the inner one.
      const bool inner_stands = owner != nullptr && owner->Has(kMarkRunJson);
      if (IsOwner(other) && !inner_stands) owner = &other;
    });
    return owner;
  }

  void GiveTo(const MarkedFolder& owner, FoundRun& run) {
    run.owner = owner.path;
    const std::string below = fs::path(run.path).lexically_relative(owner.path).generic_string();
    const std::string prefix = PrefixOf(below);
    for (FoundPart& part : run.parts) part.prefix = prefix;
    if (FoundRun* const other = RunAt(owner.path)) {
      other->settings.insert(other->settings.end(), run.settings.begin(), run.settings.end());
    }
  }

  void TakeMlflow(const MarkedFolder& folder) {
    FoundRun run = Begin(folder);
    run.kind = RunKind::kMlflow;
    run.parts.push_back({FoundPart::Reader::kMlflowFolder, folder.path, {}});
    Add(std::move(run));
  }

  void TakeWandb(const MarkedFolder& folder, const std::string& name) {
    FoundRun run = Begin(folder);
    run.kind = RunKind::kWandb;
    run.parts.push_back({FoundPart::Reader::kWandb, Joined(folder.path, name), {}});
    Add(std::move(run));
  }

  // Runs below a folder of Hydra's have its configuration.
  void LendHydra(FoundRun& run) {
    ForEachAround(run.path, run.root, [&](const MarkedFolder& folder) {
      if (!folder.Has(kMarkHydra)) return;
      lent_.insert(folder.path);
      if (run.kind == RunKind::kTensorboard) run.kind = RunKind::kHydra;
      run.settings.insert(run.settings.begin(), Joined(folder.path, ".hydra/config.yaml"));
    });
  }

  // Hydra's folder is a run of its own where no run is below it.
  void DropEmptyHydra() {
    std::erase_if(found_.runs, [&](const FoundRun& run) {
      return run.kind == RunKind::kHydra && run.parts.empty() && lent_.contains(run.path);
    });
  }

  // InnerEye's Train/epoch_metrics.csv belongs to the run around it, whose tracker calls the same
  // values train/… and val/….
  void AddEpochFile(const MarkedFolder& folder) {
    if (!folder.Has(kMarkEpochCsv)) return;
    FoundRun* const run = RunAt(Above(folder.path));
    if (run == nullptr || !run->owner.empty()) return;
    std::string prefix = fs::path(folder.path).filename().string();
    std::ranges::transform(prefix, prefix.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    run->parts.push_back(
        {FoundPart::Reader::kEpochCsv, Joined(folder.path, "epoch_metrics.csv"), prefix + "/"});
    run->is_owner_only = false;
  }

  // To the innermost run whose folder it is in.
  void GiveProfiles(std::span<const FoundProfile> profiles) {
    for (const FoundProfile& profile : profiles) {
      for (const FoundFile& file : profile.files) {
        for (std::string_view at = Above(file.path); !at.empty(); at = Above(at)) {
          FoundRun* const run = RunAt(at);
          if (run == nullptr || !run->owner.empty()) continue;
          run->profiles.push_back(file.path);
          break;
        }
      }
    }
    for (FoundRun& run : found_.runs) std::ranges::sort(run.profiles);
  }

  std::span<const Root> roots_;
  std::vector<MarkedFolder> folders_;
  std::map<std::string_view, const MarkedFolder*, std::less<>> by_path_;  // of folders_
  std::map<std::string, size_t, std::less<>> run_at_;                     // of found_, by path
  std::set<std::string, std::less<>> lent_;  // folders of Hydra's with runs below
  FoundRuns found_;
};

}  // namespace

FoundRuns RunsOf(std::span<const Root> roots, std::span<const MarkedFolder> marked,
                 std::span<const FoundProfile> profiles) {
  return Assembly(roots, marked).Make(profiles);
}

RunsLook RunsOfLook(const ProfileFinder& finder, std::span<const FoundProfile> profiles) {
  return {RunsOf(finder.roots(), finder.marked(), profiles), finder.closed_folders(), finder.cut()};
}

std::string RunIdOf(const Root& root, std::string_view relative) {
  std::string key = root.name;
  key += '\n';
  key += relative;
  return fmt::format("{:016x}", XXH3_64bits(key.data(), key.size()));
}

}  // namespace telltale
