// SPDX-License-Identifier: Apache-2.0
#include "runs/workspace.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/parallel.h"
#include "runs/column_cache.h"
#include "runs/held_run.h"
#include "runs/run_views.h"

namespace telltale {

namespace fs = std::filesystem;

namespace {

std::string KeyOf(size_t root, std::string_view relative) {
  return fmt::format("{}\n{}", root, relative);
}

uint64_t StampHash(const std::string& path) {
  const FileStamp stamp = StampOf(path).value_or(FileStamp());
  const std::string all = fmt::format("{} {} {}", stamp.bytes, stamp.modified_ns, stamp.inode);
  return XXH3_64bits(all.data(), all.size());
}

}  // namespace

Workspace::Workspace(WorkspaceOptions options)
    : options_(std::move(options)), gate_(options_.gate.value_or(FileGate())) {
  for (const Root& root : options_.roots) {
    sidecars_.push_back(std::make_unique<Sidecar>(
        root.is_folder ? root.real : fs::path(root.real).parent_path().string()));
  }
  notes_.resize(options_.roots.size());
  notes_versions_.resize(options_.roots.size());
  folded_ = std::make_shared<RunViews>();
  raw_ = std::make_shared<RunViews>();
}

Workspace::~Workspace() = default;

void Workspace::Scan() {
  if (finder_ == nullptr) {
    finder_ = std::make_unique<ProfileFinder>(options_.roots, gate_, options_.limits);
  }
  const std::vector<FoundProfile> profiles = finder_->Look();
  Take(RunsOfLook(*finder_, profiles));
}

void Workspace::Take(const RunsLook& look) {
  {
    const std::unique_lock lock(mutex_);
    closed_folders_ = look.closed_folders;
    cut_ = look.cut;
  }
  TakeRuns(look.runs);
}

void Workspace::Load(const std::vector<HeldFile*>& files) {
  // The largest first, so that no thread is left with one at the end.
  struct Job {
    HeldFile* file;
    uint64_t bytes;
  };
  std::vector<Job> jobs;
  uint64_t total = 0;
  for (HeldFile* const file : files) {
    const uint64_t bytes = StampOf(file->part().path).value_or(FileStamp()).bytes;
    jobs.push_back({file, bytes});
    total += bytes;
  }
  std::ranges::stable_sort(jobs, std::ranges::greater(), &Job::bytes);
  const unsigned threads = ThreadCount(options_.threads);
  std::mutex telling;
  uint64_t done = 0;
  std::optional<ColumnCache> cache;
  if (options_.cache && !sidecars_.empty() && !sidecars_[0]->Folder().empty()) {
    cache.emplace(sidecars_[0]->Folder() + "/cache");
  }
  ForEachOnThreads(threads, jobs.size(), [&](size_t i) {
    jobs[i].file->Load(gate_, threads, cache ? &*cache : nullptr);
    if (!options_.on_progress) return;
    const std::scoped_lock lock(telling);
    done += jobs[i].bytes;
    options_.on_progress(done, total);
  });
}

void Workspace::TakeStores(const FoundRuns& found, HeldRuns& next) {
  std::map<std::string, StoreState> states;
  for (const FoundStore& store : found.stores) {
    StoreState state;
    state.version = StampHash(store.path) ^ (StampHash(store.path + "-wal") * 31);
    const auto known = stores_.find(store.path);
    if (known != stores_.end() && known->second.version == state.version) {
      state = known->second;
      for (const std::string& key : state.keys) {
        if (const auto at = held_.find(key); at != held_.end()) next.emplace(key, at->second);
      }
      states.emplace(store.path, std::move(state));
      continue;
    }
    Result<std::vector<ForeignRun>> runs = ReadStore(store.path, gate_);
    if (!runs) {
      // What was read before stands as long as a reading goes wrong: somebody writes to it.
      if (known != stores_.end()) {
        for (const std::string& key : known->second.keys) {
          if (const auto at = held_.find(key); at != held_.end()) next.emplace(key, at->second);
        }
        state.keys = known->second.keys;
      }
      state.problem = runs.error();
      states.emplace(store.path, std::move(state));
      continue;
    }
    const Root& root = options_.roots[store.root];
    const std::string below = root.is_folder
                                  ? fs::path(store.path).lexically_relative(root.path).string()
                                  : fs::path(store.path).filename().string();
    for (ForeignRun& run : *runs) {
      FoundRun one;
      one.name = run.name;
      one.path = store.path;
      one.root = store.root;
      one.kind = run.kind;
      std::string relative = below + "\n" + run.id;
      const std::string key = KeyOf(store.root, relative);
      auto held = std::make_shared<HeldRun>(key, std::move(one));
      held->relative = std::move(relative);
      held->files.push_back(std::make_unique<HeldFile>(
          FoundPart{FoundPart::Reader::kMlflowFolder, store.path, {}}, std::move(run)));
      if (next.emplace(key, std::move(held)).second) state.keys.push_back(key);
    }
    states.emplace(store.path, std::move(state));
  }
  stores_ = std::move(states);
}

void Workspace::TakeRuns(const FoundRuns& found) {
  HeldRuns next;
  std::vector<HeldFile*> to_load;
  struct Change {
    std::shared_ptr<HeldRun> run;
    FoundRun found;
    std::vector<std::unique_ptr<HeldFile>> more;
  };
  std::vector<Change> changes;
  // Only this thread changes held_: reading it needs no lock here.
  for (const FoundRun& run : found.runs) {
    const Root& root = options_.roots[run.root];
    std::string relative =
        root.is_folder ? fs::path(run.path).lexically_relative(root.path).string() : root.path;
    // Several logs of W&B may lie in one folder.
    if (run.kind == RunKind::kWandb)
      relative = fs::path(run.parts[0].path).lexically_relative(root.path).string();
    const std::string key = KeyOf(run.root, relative);
    if (next.contains(key)) continue;
    const auto known = held_.find(key);
    if (known != held_.end()) {
      next.emplace(key, known->second);
      if (known->second->found == run) continue;
      Change change{known->second, run, {}};
      for (const FoundPart& part : run.parts) {
        const bool is_known = std::ranges::any_of(
            known->second->files, [&](const auto& f) { return f->part().path == part.path; });
        if (is_known) continue;
        change.more.push_back(std::make_unique<HeldFile>(part));
        to_load.push_back(change.more.back().get());
      }
      changes.push_back(std::move(change));
      continue;
    }
    auto held = std::make_shared<HeldRun>(key, run);
    held->relative = std::move(relative);
    for (const FoundPart& part : run.parts) {
      held->files.push_back(std::make_unique<HeldFile>(part));
      to_load.push_back(held->files.back().get());
    }
    next.emplace(key, std::move(held));
  }
  TakeStores(found, next);
  Load(to_load);
  std::map<HeldRun*, HeldRun::Facts> facts;
  for (const auto& [key, run] : next) {
    HeldRun::Facts now = run->Look(gate_);
    if (now != run->facts()) facts.emplace(run.get(), std::move(now));
  }
  const bool same = changes.empty() && facts.empty() && to_load.empty() &&
                    std::ranges::equal(next, held_, [](const auto& a, const auto& b) {
                      return a.first == b.first && a.second == b.second;
                    });
  WorkspaceChange told;
  {
    const std::unique_lock lock(mutex_);
    const bool noted = revision_ == 0 || NotesChanged();
    if (noted) ReadNotes();
    if (same && !noted) return;
    for (Change& change : changes) {
      HeldRun& run = *change.run;
      std::vector<std::unique_ptr<HeldFile>> files;
      for (const FoundPart& part : change.found.parts) {
        for (auto* from : {&run.files, &change.more}) {
          for (auto& file : *from) {
            if (file == nullptr || file->part().path != part.path) continue;
            file->set_part(part);
            files.push_back(std::move(file));
          }
        }
      }
      run.files = std::move(files);
      run.found = std::move(change.found);
    }
    for (auto& [run, now] : facts) run->Adopt(std::move(now));
    held_ = std::move(next);
    told = Publish(nullptr);
  }
  Tell(told);
}

void Workspace::Poll() {
  struct Grown {
    HeldRun* run;
    HeldFile* file;
    HeldFile::News news;
  };
  const unsigned threads = ThreadCount(options_.threads);
  std::vector<std::pair<HeldRun*, HeldFile*>> all;
  for (const auto& [key, run] : held_) {
    for (const auto& file : run->files) {
      if (file->can_be_followed()) all.emplace_back(run.get(), file.get());
    }
  }
  std::vector<Grown> grown;
  std::mutex collecting;
  ForEachOnThreads(threads, all.size(), [&](size_t i) {
    HeldFile::News news = all[i].second->Fetch(gate_, threads);
    if (news.growth == HeldFile::Growth::kNone) return;
    const std::scoped_lock lock(collecting);
    grown.push_back({all[i].first, all[i].second, std::move(news)});
  });
  std::map<HeldRun*, HeldRun::Facts> facts;
  for (const auto& [key, run] : held_) {
    if (run->found.settings.empty() && (run->found.marks & kMarkRunJson) == 0) continue;
    HeldRun::Facts now = run->Look(gate_);
    if (now != run->facts()) facts.emplace(run.get(), std::move(now));
  }
  const bool noted = [this] {
    const std::shared_lock lock(mutex_);
    return NotesChanged();
  }();
  if (grown.empty() && facts.empty() && !noted) return;
  WorkspaceChange told;
  {
    const std::unique_lock lock(mutex_);
    std::vector<const HeldRun*> changed;
    bool other_tags = noted;
    for (Grown& one : grown) {
      const size_t tags = one.file->series().tags.size();
      const bool is_other = one.news.growth == HeldFile::Growth::kReplaced;
      one.file->Take(std::move(one.news));
      other_tags = other_tags || is_other || one.file->series().tags.size() != tags;
      changed.push_back(one.run);
    }
    for (auto& [run, now] : facts) {
      run->Adopt(std::move(now));
      changed.push_back(run);
    }
    if (noted) ReadNotes();
    // What is folded depends on which tags there are.
    told = Publish(other_tags ? nullptr : &changed);
  }
  Tell(told);
}

bool Workspace::NotesChanged() const {
  if (!options_.sidecar) return false;
  for (size_t i = 0; i < sidecars_.size(); ++i) {
    if (sidecars_[i]->Version() != notes_versions_[i]) return true;
  }
  return false;
}

void Workspace::ReadNotes() {
  if (!options_.sidecar) return;
  for (size_t i = 0; i < sidecars_.size(); ++i) {
    notes_versions_[i] = sidecars_[i]->Version();
    if (auto notes = sidecars_[i]->Read()) notes_[i] = std::move(*notes);
  }
}

WorkspaceChange Workspace::Publish(const std::vector<const HeldRun*>* changed) {
  WorkspaceChange change;
  change.revision = ++revision_;
  std::vector<const HeldRun*> all;
  for (const auto& [key, run] : held_) all.push_back(run.get());
  const RunViewsInput input{all, options_.roots, notes_, revision_};
  const std::shared_ptr<const RunViews> before = folded_;
  if (changed == nullptr) {
    folded_ = MakeRunViews(input, false);
    raw_ = MakeRunViews(input, true);
  } else {
    const std::set<const HeldRun*> touched(changed->begin(), changed->end());
    folded_ = RemakeRunViews(input, *folded_, touched, false);
    raw_ = RemakeRunViews(input, *raw_, touched, true);
  }
  for (const auto& run : folded_->list->runs) {
    const ListedRun* const old = before->list->Find(run->info.id);
    if (old == nullptr) {
      change.added.push_back(run->info.id);
      continue;
    }
    if (old == run.get()) continue;
    WorkspaceChange::Changed one{run->info.id, {}};
    for (const MetricSummary& metric : run->metrics) {
      const MetricSummary* const was = old->Metric(metric.tag);
      if (was == nullptr || *was != metric) one.tags.push_back({metric.tag, metric.points});
    }
    change.changed.push_back(std::move(one));
  }
  for (const auto& run : before->list->runs) {
    if (folded_->list->Find(run->info.id) == nullptr) change.gone.push_back(run->info.id);
  }
  return change;
}

void Workspace::Tell(const WorkspaceChange& change) const {
  if (options_.on_change) options_.on_change(change);
}

std::shared_ptr<const RunViews> Workspace::views(bool raw) const { return raw ? raw_ : folded_; }

std::shared_ptr<const RunList> Workspace::runs(bool raw) const {
  const std::shared_lock lock(mutex_);
  return views(raw)->list;
}

uint64_t Workspace::revision() const {
  const std::shared_lock lock(mutex_);
  return revision_;
}

bool Workspace::WithSeries(std::string_view id,
                           const std::function<void(const RunSeries& series)>& use,
                           bool raw) const {
  const std::shared_lock lock(mutex_);
  const std::shared_ptr<const RunViews> all = views(raw);
  const auto at = all->by_id.find(id);
  if (at == all->by_id.end()) return false;
  use(at->second->series);
  return true;
}

std::vector<SkippedFile> Workspace::closed_folders() const {
  const std::shared_lock lock(mutex_);
  return closed_folders_;
}

bool Workspace::cut() const {
  const std::shared_lock lock(mutex_);
  return cut_;
}

size_t Workspace::memory_bytes() const {
  const std::shared_lock lock(mutex_);
  size_t bytes = 0;
  for (const auto& [key, run] : held_) {
    for (const auto& file : run->files) bytes += file->series().memory_bytes();
  }
  return bytes;
}

}  // namespace telltale
