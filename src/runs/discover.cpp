// SPDX-License-Identifier: Apache-2.0
#include "runs/discover.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "runs/event_files.h"
#include "runs/find_profiles.h"
#include "runs/trace_name.h"

namespace telltale {

namespace {

namespace fs = std::filesystem;

// Named one by one; of more the number is said.
constexpr size_t kShown = 5;

// A file with what decides its place among the others.
struct Found {
  fs::path path;
  TraceName name;
};

InputFile ToInput(const Found& found) {
  InputFile input;
  input.path = found.path.string();
  if (found.name.is_pt_trace) input.worker = found.name.worker;
  input.rank = RankFromPath(input.path);
  return input;
}

// Spans count the digit strings of one worker in one folder, in the order of their text.
void AddFiles(const std::vector<Found>& found, Discovery& discovery) {
  std::map<std::pair<fs::path, std::string>, std::set<std::string>> digits_of;
  const auto key = [](const Found& f) { return std::pair(f.path.parent_path(), f.name.worker); };
  for (const Found& f : found) {
    if (!f.name.digits.empty()) digits_of[key(f)].insert(f.name.digits);
  }
  for (const Found& f : found) {
    InputFile input = ToInput(f);
    if (!f.name.digits.empty()) {
      const std::set<std::string>& digits = digits_of[key(f)];
      input.span = 1 + std::distance(digits.begin(), digits.find(f.name.digits));
    }
    discovery.files.push_back(std::move(input));
  }
}

void SortWithinFolders(std::vector<Found>& found) {
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    if (const auto o = NaturalOrder(a.path.parent_path().native(), b.path.parent_path().native());
        o != 0) {
      return o < 0;
    }
    if (const auto o = NaturalOrder(a.name.worker, b.name.worker); o != 0) return o < 0;
    if (a.name.digits != b.name.digits) return a.name.digits < b.name.digits;
    return a.path.native() < b.path.native();
  });
}

std::string Files(size_t count) { return count == 1 ? "1 file" : fmt::format("{} files", count); }

// The first of them, and how many more there are.
std::string Listed(const std::vector<std::string>& names, size_t count) {
  const size_t shown = std::min(names.size(), kShown);
  std::string text = fmt::format("{}", fmt::join(std::span(names).first(shown), ", "));
  if (count > shown) text += fmt::format(" and {} more", count - shown);
  return text;
}

bool IsNamedByTorch(const FoundProfile& profile) {
  return ParseTraceName(fs::path(profile.files.front().path).filename().string()).is_pt_trace;
}

// What was sampled of a program (samples.tts).
bool IsSampled(const FoundProfile& profile) {
  return WithoutCompression(profile.files.front().path).ends_with(".tts");
}

// Traces named as torch's handler names them; else all other traces, with what is known of their
// memory; else what was counted of functions; else what was sampled of them. Where functions are
// asked for, those first.
std::vector<const FoundProfile*> Choose(const std::vector<FoundProfile>& profiles,
                                        FolderContent content, std::vector<std::string>& left_out) {
  const auto is_trace = [](const FoundProfile& profile) {
    return profile.kind.value_or(ContentKind::kTrace) == ContentKind::kTrace;
  };
  const auto is_functions = [](const FoundProfile& profile) {
    return profile.kind == ContentKind::kFunctions;
  };
  const bool timed =
      content == FolderContent::kTimedFunctions && std::ranges::any_of(profiles, IsSampled);
  const bool functions =
      (content == FolderContent::kFunctions || content == FolderContent::kTimedFunctions) &&
      std::ranges::any_of(profiles, is_functions);
  const bool any_trace = std::ranges::any_of(profiles, is_trace);
  const bool any_named = std::ranges::any_of(profiles, IsNamedByTorch);
  const bool any_counted = std::ranges::any_of(profiles, [&](const FoundProfile& profile) {
    return is_functions(profile) && !IsSampled(profile);
  });
  std::vector<const FoundProfile*> chosen;
  for (const FoundProfile& profile : profiles) {
    const bool is_best = timed ? IsSampled(profile) : !any_counted || !IsSampled(profile);
    const bool wanted = functions   ? is_functions(profile) && is_best
                        : any_named ? IsNamedByTorch(profile)
                        : any_trace ? !is_functions(profile)
                                    : is_best;
    if (wanted) {
      chosen.push_back(&profile);
    } else {
      left_out.push_back(profile.name);
    }
  }
  return chosen;
}

std::string Reason(const SkippedFile& file) {
  return fmt::format(" ({}: {})", fs::path(file.path).filename().string(), file.why);
}

// What a run that was recorded has beside its profiles; nobody takes it for one.
bool IsOfEveryRun(std::string_view below) {
  return below.starts_with("logs/") || below == "profiler/operators.txt" ||
         below == "profiler/simple.txt" || below.starts_with("profiler/advanced");
}

void NoteOthers(const fs::path& folder, const std::vector<const FoundProfile*>& chosen,
                const std::vector<std::string>& left_out, const ProfileFinder& finder,
                Discovery& discovery) {
  const std::string name = folder.string();
  if (chosen.size() > 1) {
    std::vector<std::string> names;
    for (const FoundProfile* profile : chosen) {
      names.push_back(profile->files.size() == 1
                          ? profile->name
                          : fmt::format("{} ({})", profile->name, Files(profile->files.size())));
    }
    discovery.notes.push_back(
        fmt::format("{} holds {} profiles, which are read together: {}; name one to see it alone",
                    name, chosen.size(), Listed(names, names.size())));
  }
  if (!left_out.empty()) {
    const bool functions = chosen.front()->kind == ContentKind::kFunctions;
    discovery.notes.push_back(fmt::format("{}: left out beside the {}: {}; name them to see them",
                                          name, functions ? "functions" : "traces",
                                          Listed(left_out, left_out.size())));
  }
  const Skipped& skipped = finder.skipped();
  size_t count = skipped.count;
  if (count > finder.closed_folders().size()) {
    std::error_code none;
    const bool is_run = fs::exists(folder / "run.json", none);
    std::vector<std::string> names;
    for (const SkippedFile& file : skipped.first) {
      const std::string below = fs::path(file.path).lexically_relative(folder).generic_string();
      if (is_run && IsOfEveryRun(below)) {
        --count;
      } else {
        names.push_back(fmt::format("{} ({})", below, file.why));
      }
    }
    if (count > 0) {
      discovery.notes.push_back(
          fmt::format("{}: {} skipped: {}", name, Files(count), Listed(names, count)));
    }
  }
  if (finder.cut()) {
    discovery.notes.push_back(
        fmt::format("{} holds more than was looked at; name a folder below it", name));
  }
}

void AddEventFiles(const EventFiles& events, Discovery& discovery) {
  for (const std::string& path : events.paths) {
    discovery.files.push_back({path, "", std::nullopt, std::nullopt});
  }
  for (const std::string& closed : events.closed) {
    discovery.notes.push_back("cannot look into the folder " + closed);
  }
}

// Without profiles; `events`: what else is there.
Error NoProfiles(const fs::path& folder, const EventFiles& events) {
  return {
      ErrorCode::kUnreadable,
      fmt::format("the folder {0} holds no trace, but {1} of TensorBoard: telltale runs {0} "
                  "lists the runs, and telltale view {0} shows their curves",
                  folder.string(),
                  events.paths.size() == 1 ? "an event file"
                                           : fmt::format("{} event files", events.paths.size())),
      std::nullopt};
}

void AddFolder(const fs::path& folder, FolderContent wanted, Discovery& discovery) {
  const EventFiles events = FindEventFiles(folder.string());
  if (wanted == FolderContent::kEventFiles) {
    if (events.paths.empty()) {
      discovery.failures.push_back(
          {ErrorCode::kUnreadable,
           fmt::format("the folder {} holds no event file: expected names with 'tfevents' in them",
                       folder.string()),
           std::nullopt});
    }
    return AddEventFiles(events, discovery);
  }
  if (wanted == FolderContent::kAll) AddEventFiles(events, discovery);
  Root root;
  root.name = fs::path(folder / ".").lexically_normal().parent_path().filename().string();
  root.path = folder.string();
  root.real = folder.string();
  root.is_folder = true;
  ProfileFinder finder({std::move(root)}, FileGate());
  const std::vector<FoundProfile> profiles = finder.Look();
  std::vector<std::string> left_out;
  const std::vector<const FoundProfile*> chosen = Choose(profiles, wanted, left_out);
  for (const SkippedFile& closed : finder.closed_folders()) {
    discovery.failures.push_back({ErrorCode::kUnreadable,
                                  fmt::format("cannot look into the folder {}: {}; its traces are "
                                              "missing here",
                                              closed.path, closed.why),
                                  std::nullopt});
  }
  if (chosen.empty()) {
    if (!finder.closed_folders().empty()) return;  // said already
    if (!events.paths.empty()) {
      if (wanted == FolderContent::kProfiles || wanted == FolderContent::kFunctions) {
        discovery.failures.push_back(NoProfiles(folder, events));
      } else if (wanted == FolderContent::kProfilesOrEventFiles) {
        AddEventFiles(events, discovery);
      }
      return;
    }
    const size_t others = finder.files();
    discovery.failures.push_back(
        {ErrorCode::kUnreadable,
         fmt::format(
             "the folder {} holds no trace: expected <worker>.<digits>.pt.trace.json[.gz|.zst], or "
             "other traces and profiles, found {}{}; name the folder that "
             "torch.profiler.tensorboard_trace_handler wrote to, or the trace file itself",
             folder.string(),
             others == 0   ? "no file"
             : others == 1 ? "one other file"
                           : fmt::format("{} other files", others),
             finder.skipped().first.empty() ? "" : Reason(finder.skipped().first.front())),
         std::nullopt});
    return;
  }
  NoteOthers(folder, chosen, left_out, finder, discovery);
  std::vector<Found> found;
  for (const FoundProfile* profile : chosen) {
    for (const FoundFile& file : profile->files) {
      found.push_back({file.path, ParseTraceName(fs::path(file.path).filename().string())});
    }
  }
  SortWithinFolders(found);
  AddFiles(found, discovery);
}

}  // namespace

Discovery Discover(std::span<const std::string> paths, FolderContent wanted) {
  Discovery discovery;
  std::vector<Found> named;  // files named one after the other share their spans
  const auto add_named = [&] {
    AddFiles(named, discovery);
    named.clear();
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (path == "-") {
      add_named();
      discovery.files.push_back({path, "", std::nullopt, std::nullopt});
    } else if (fs::is_directory(path, error)) {
      add_named();
      AddFolder(path, wanted, discovery);
    } else {
      // Whether it exists and may be read shows when it is opened.
      named.push_back({path, ParseTraceName(fs::path(path).filename().string())});
    }
  }
  add_named();
  return discovery;
}

}  // namespace telltale
