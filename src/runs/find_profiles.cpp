// SPDX-License-Identifier: Apache-2.0
#include "runs/find_profiles.h"

#include <algorithm>
#include <array>
#include <deque>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "formats/tfevents/reader.h"
#include "io/folder_entries.h"
#include "runs/group_files.h"
#include "runs/trace_name.h"

namespace telltale {

namespace fs = std::filesystem;

namespace {

// Entries before the first word of what was found so far.
constexpr size_t kFirstReport = 256;

constexpr std::string_view kLeadsOut = "a link that leads out of the folder";
constexpr std::string_view kLeadsNowhere = "a link that leads to no file";
constexpr std::string_view kNoRegularFile = "no regular file";
constexpr std::string_view kPprof = ".pprof";

// Folders of installed packages: thousands of files, none of them a profile of the user's.
bool IsOfOthers(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kNames = {"node_modules", "site-packages",
                                                             "dist-packages", "__pycache__"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

struct ProfileFinder::Candidate {
  size_t root = 0;
  std::string relative;
  std::string path;
  std::string real;
  FileStamp stamp;
  std::optional<ContentKind> kind;
};

// Opens the file only if it was not seen like this before.
void ProfileFinder::Take(size_t root, const std::string& path, bool named,
                         std::vector<Candidate>& out) {
  const std::optional<FileStamp> stamp = StampOf(path);
  if (!stamp) return Skip(path, "cannot be read");
  Known& known = known_[path];
  known.seen = true;
  if (known.stamp != *stamp) {
    known.stamp = *stamp;
    Result<Sniffed> sniffed = SniffFile(path, gate_);
    known.sniffed = sniffed ? std::move(*sniffed) : Sniffed{.why_not = "cannot be read"};
  }
  const std::string file_name = fs::path(path).filename().string();
  const bool listed = known.sniffed.format != nullptr && (named || known.sniffed.belongs_in_list);
  // A trace by its name may be empty yet, or broken: then it is listed and says so when opened.
  if (!listed && ((!named && !ParseTraceName(file_name).is_pt_trace) || !gate_.Allows(path))) {
    return Skip(path, known.sniffed.why_not);
  }
  if (out.size() >= limits_.files) {
    cut_ = true;
    return;
  }
  Candidate candidate;
  candidate.root = root;
  candidate.path = path;
  std::error_code ignored;
  candidate.real = fs::canonical(path, ignored).string();
  const Root& from = roots_[root];
  candidate.relative =
      from.is_folder ? fs::path(path).lexically_relative(from.path).generic_string() : file_name;
  candidate.stamp = *stamp;
  if (listed) candidate.kind = known.sniffed.format->kind;
  out.push_back(std::move(candidate));
}

void ProfileFinder::Skip(const std::string& path, std::string_view why) {
  ++skipped_.count;
  if (skipped_.first.size() < limits_.skipped) skipped_.first.push_back({path, std::string(why)});
}

// One more entry; false: no further ones.
bool ProfileFinder::Continue(Looking& looking) {
  if (looking.canceled != nullptr && *looking.canceled) return false;
  if (++entries_ > limits_.entries) {
    cut_ = true;
    return false;
  }
  if (looking.so_far && entries_ >= looking.next_report) {
    looking.next_report = entries_ * 2;
    looking.so_far(Group(looking.out));
  }
  return true;
}

// What links lead to comes last, so that a file is shown where it really is.
void ProfileFinder::Walk(size_t root, Looking& looking) {
  struct Folder {
    fs::path path;
    size_t depth = 0;
  };
  std::deque<Folder> folders = {{roots_[root].path, 0}};
  std::deque<Folder> linked;
  std::vector<std::string> linked_files;
  std::set<std::string> visited;
  while (!folders.empty() || !linked.empty()) {
    std::deque<Folder>& next = folders.empty() ? linked : folders;
    const Folder folder = std::move(next.front());
    next.pop_front();
    std::error_code error;
    const fs::path real = fs::canonical(folder.path, error);
    if (error || !visited.insert(real.string()).second) continue;
    MarkedFolder marked;
    FolderEntries entry(folder.path, error);
    if (error) {
      Skip(folder.path.string(), error.message());
      if (closed_folders_.size() < limits_.skipped) {
        closed_folders_.push_back({folder.path.string(), error.message()});
      }
    }
    while (!error && entry.Next(error)) {
      if (!Continue(looking)) return;
      const std::string_view name = entry.name();
      if (name == ".hydra" && entry.is_folder()) marked.SeeFolder(name);
      if (name.starts_with('.') || IsOfOthers(name)) continue;
      const fs::path path = entry.path();
      const bool is_link = entry.is_link();
      if (entry.is_folder()) {
        marked.SeeFolder(name);
        if (folder.depth >= limits_.depth) {
          cut_ = true;
        } else if (!is_link) {
          folders.push_back({path, folder.depth + 1});
        } else if (gate_.Allows(path.string())) {
          linked.push_back({path, folder.depth + 1});
        } else {
          Skip(path.string(), kLeadsOut);
        }
        continue;
      }
      ++files_;
      if (MayMarkRun(name)) {
        if (!entry.is_regular_file()) {
          Skip(path.string(), is_link ? kLeadsNowhere : kNoRegularFile);
        } else if (is_link && !gate_.Allows(path.string())) {
          Skip(path.string(), kLeadsOut);
        } else {
          marked.SeeFile(name);
        }
        continue;
      }
      if (!MayBeProfileName(name)) continue;
      if (!entry.is_regular_file()) {
        Skip(path.string(), is_link ? kLeadsNowhere : kNoRegularFile);
      } else if (!is_link) {
        Take(root, path.string(), false, looking.out);
      } else if (gate_.Allows(path.string())) {
        linked_files.push_back(path.string());
      } else {
        Skip(path.string(), kLeadsOut);
      }
    }
    if (!marked.empty()) {
      marked.root = root;
      marked.path = folder.path.string();
      // So that the path of what is in it begins with it.
      while (marked.path.size() > 1 && marked.path.ends_with('/')) marked.path.pop_back();
      marked.relative = folder.path.lexically_relative(roots_[root].path).string();
      if (marked.relative == ".") marked.relative.clear();
      marked_.push_back(std::move(marked));
    }
  }
  for (const std::string& path : linked_files) Take(root, path, false, looking.out);
}

std::vector<FoundProfile> ProfileFinder::Look(const SoFar& so_far,
                                              const std::atomic<bool>* canceled) {
  entries_ = 0;
  cut_ = false;
  skipped_ = {};
  files_ = 0;
  closed_folders_.clear();
  marked_.clear();
  for (auto& [path, known] : known_) known.seen = false;
  Looking looking{so_far, canceled, kFirstReport, {}};
  for (size_t root = 0; root < roots_.size(); ++root) {
    if (roots_[root].is_folder) {
      Walk(root, looking);
    } else if (gate_.Allows(roots_[root].path)) {
      TakeNamed(root, looking.out);
    }
  }
  std::erase_if(known_, [](const auto& item) { return !item.second.seen; });
  LeaveOutCopies(looking.out);
  std::ranges::sort(skipped_.first, {}, &SkippedFile::path);
  return Group(std::move(looking.out));
}

// A file that its user named: a profile, or what alone makes a run.
void ProfileFinder::TakeNamed(size_t root, std::vector<Candidate>& out) {
  const fs::path path(roots_[root].path);
  const std::string name = path.filename().string();
  if (MayMarkRun(name)) {
    MarkedFolder marked;
    marked.root = root;
    marked.path = path.parent_path().string();
    if (marked.path.empty()) marked.path = ".";
    marked.SeeFile(name);
    marked_.push_back(std::move(marked));
  }
  if (!IsEventFileName(name)) Take(root, path.string(), true, out);
}

// rank0.pftrace beside rank0.json is the same trace in another format; main.prof beside main.pprof
// has less of the same profile, and main/*.prof parts of it.
void ProfileFinder::LeaveOutCopies(std::vector<Candidate>& candidates) {
  std::set<std::string> whole;  // pprof files, without their endings
  for (const Candidate& candidate : candidates) {
    const std::string_view path = WithoutCompression(candidate.path);
    if (path.ends_with(kPprof)) whole.emplace(path.substr(0, path.size() - kPprof.size()));
  }
  std::erase_if(candidates, [&](const Candidate& candidate) {
    const fs::path path(candidate.path);
    if (path.extension() != ".prof") return false;
    const bool is_copy = whole.contains((path.parent_path() / path.stem()).string());
    const bool is_part = whole.contains(path.parent_path().string());
    if (is_copy) Skip(candidate.path, "the .pprof beside it is the same profile, with call paths");
    if (is_part) Skip(candidate.path, "a part of the .pprof beside its folder");
    return is_copy || is_part;
  });
  const auto key = [](const Candidate& candidate, const TraceName& name) {
    return (fs::path(candidate.path).parent_path() / name.worker).string();
  };
  std::set<std::string> originals;
  for (const Candidate& candidate : candidates) {
    const TraceName name = ParseTraceName(fs::path(candidate.path).filename().string());
    if (name.is_json && candidate.kind == ContentKind::kTrace)
      originals.insert(key(candidate, name));
  }
  std::erase_if(candidates, [&](const Candidate& candidate) {
    const TraceName name = ParseTraceName(fs::path(candidate.path).filename().string());
    const bool is_copy = name.is_perfetto && originals.contains(key(candidate, name));
    if (is_copy) Skip(candidate.path, "the JSON file beside it is the same trace");
    return is_copy;
  });
}

std::vector<FoundProfile> ProfileFinder::Group(std::vector<Candidate> candidates) const {
  // Roots of the same name are told apart by their order; files of one folder have one root.
  std::map<std::string, std::vector<fs::path>> folders_of_name;
  std::vector<size_t> numbers;
  for (const Root& root : roots_) {
    const fs::path real(root.real);
    const fs::path folder = root.is_folder ? real : real.parent_path();
    std::vector<fs::path>& folders = folders_of_name[root.name];
    const auto at = std::ranges::find(folders, folder);
    numbers.push_back(static_cast<size_t>(at - folders.begin()));
    if (at == folders.end()) folders.push_back(folder);
  }

  std::set<std::string> taken;
  std::vector<ListedFile> files;
  for (Candidate& candidate : candidates) {
    if (!taken.insert(candidate.real).second) continue;
    ListedFile file;
    file.root_name = roots_[candidate.root].name;
    file.root_number = numbers[candidate.root];
    file.relative = std::move(candidate.relative);
    file.file = {candidate.path, candidate.stamp, RankFromPath(candidate.path)};
    file.kind = candidate.kind;
    files.push_back(std::move(file));
  }
  return GroupFiles(std::move(files));
}

}  // namespace telltale
