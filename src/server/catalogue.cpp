// SPDX-License-Identifier: Apache-2.0
#include "server/catalogue.h"

#include <malloc.h>

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "report/display.h"

namespace telltale {

namespace {

// More often would be noise to whoever draws it.
constexpr auto kProgressEvery = std::chrono::milliseconds(100);

uint64_t BytesOf(const std::vector<FoundFile>& files) {
  uint64_t bytes = 0;
  for (const FoundFile& file : files) bytes += file.stamp.bytes;
  return bytes;
}

// The same files, some with other content: whether one was put in the place of another at once, as
// rename does. Then it is whole; else somebody may still be writing.
bool Replaced(const std::vector<FoundFile>& before, const std::vector<FoundFile>& after) {
  if (before.size() != after.size()) return true;
  for (size_t i = 0; i < before.size(); ++i) {
    if (before[i].path != after[i].path) return true;
    const bool same_file = before[i].stamp.inode == after[i].stamp.inode &&
                           before[i].stamp.device == after[i].stamp.device;
    if (same_file && before[i].stamp != after[i].stamp) return false;
  }
  return true;
}

std::string_view KindOf(const Loaded& loaded) {
  const int kinds = static_cast<int>(!loaded.traces.empty()) +
                    static_cast<int>(!loaded.functions.empty()) +
                    static_cast<int>(!loaded.memory.empty());
  if (kinds > 1) return "mixed";
  if (!loaded.traces.empty()) return NameOf(ContentKind::kTrace);
  return NameOf(loaded.functions.empty() ? ContentKind::kMemory : ContentKind::kFunctions);
}

// The library keeps what was freed for later; after a whole profile that is more than is needed.
void ReturnMemory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

uint64_t EventsOf(const Loaded& loaded) {
  uint64_t events = 0;
  for (const Trace& trace : loaded.traces) events += trace.source.events;
  for (const FunctionProfile& functions : loaded.functions) events += functions.source.events;
  for (const MemoryProfile& memory : loaded.memory) events += memory.source.events;
  return events;
}

}  // namespace

std::string_view NameOf(ProfileState state) {
  switch (state) {
    case ProfileState::kFound:
      return "found";
    case ProfileState::kLoading:
      return "loading";
    case ProfileState::kReady:
      return "ready";
    case ProfileState::kChanged:
      return "changed";
    case ProfileState::kFailed:
      return "failed";
    case ProfileState::kGone:
      break;
  }
  return "gone";
}

Catalogue::Catalogue(CatalogueOptions options)
    : options_(std::move(options)),
      gate_(GateTo(options_.roots)),
      finder_(options_.roots, options_.limits) {}

ProfileStatus Catalogue::StatusOf(const Entry& entry) {
  ProfileStatus status;
  status.id = entry.found.id;
  status.name = entry.found.name;
  status.folder = entry.found.folder;
  status.state = entry.state;
  status.growing = entry.growing;
  status.error = entry.error;
  status.generation = entry.generation;
  status.bytes = BytesOf(entry.found.files);
  status.loaded_bytes = entry.loaded_bytes;
  status.total_bytes = entry.total_bytes;
  std::set<int64_t> ranks;
  for (const FoundFile& file : entry.found.files) {
    status.paths.push_back(file.path);
    status.modified_ns = std::max(status.modified_ns, file.stamp.modified_ns);
    if (file.rank) ranks.insert(*file.rank);
  }
  if (entry.found.kind) status.kind = NameOf(*entry.found.kind);
  if (entry.open != nullptr) {
    const Loaded& loaded = entry.open->loaded();
    status.kind = KindOf(loaded);
    status.events = EventsOf(loaded);
    status.captured = entry.open->captured();
    status.views = entry.open->views();
    if (!loaded.traces.empty()) ranks.clear();
    for (const Trace& trace : loaded.traces) {
      if (trace.source.rank != kNoInt) ranks.insert(trace.source.rank);
    }
  }
  status.ranks.assign(ranks.begin(), ranks.end());
  return status;
}

std::vector<ProfileStatus> Catalogue::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<const Entry*> entries;
  for (const auto& [id, entry] : entries_) entries.push_back(&entry);
  std::ranges::stable_sort(entries, {}, &Entry::order);
  std::vector<ProfileStatus> list;
  for (const Entry* entry : entries) list.push_back(StatusOf(*entry));
  return list;
}

bool Catalogue::searching() const {
  const std::lock_guard lock(mutex_);
  return !scanned_;
}

bool Catalogue::cut() const {
  const std::lock_guard lock(mutex_);
  return cut_;
}

size_t Catalogue::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  size_t bytes = 0;
  for (const auto& [id, entry] : entries_) {
    if (entry.open != nullptr) bytes += entry.open->memory_bytes();
  }
  return bytes;
}

Catalogue::Answer Catalogue::Get(std::string_view id) {
  Answer answer;
  bool asked = false;
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(id);
    if (at == entries_.end()) return answer;
    Entry& entry = at->second;
    entry.used = ++requests_;
    if (entry.state == ProfileState::kFound || entry.state == ProfileState::kChanged) {
      entry.state = ProfileState::kLoading;
      entry.loaded_bytes = 0;
      entry.total_bytes = BytesOf(entry.found.files);
      asked = true;
    }
    // Who is asked for again comes before those that were asked for earlier.
    if (asked || entry.requested > 0) entry.requested = requests_;
    answer.profile = entry.open;
    answer.status = StatusOf(entry);
  }
  if (asked) {
    if (options_.on_change) options_.on_change();
    if (on_request_) on_request_();
  }
  return answer;
}

// An entry that is still there. True: something changed that the list shows.
bool Catalogue::Update(Entry& entry, FoundProfile found, size_t order) {
  const bool same = entry.found.files == found.files;
  bool changed = !same || entry.order != order || entry.found.name != found.name ||
                 entry.found.kind != found.kind;
  const bool moving = !same && !Replaced(entry.found.files, found.files);
  changed |= entry.growing != moving;
  entry.growing = moving;
  entry.found = std::move(found);
  entry.order = order;
  if (entry.state == ProfileState::kLoading || entry.state == ProfileState::kFound) return changed;

  const bool as_read = entry.found.files == entry.read_files;
  const ProfileState before = entry.state;
  if (entry.state == ProfileState::kGone && (as_read || entry.growing)) {
    entry.state = ProfileState::kReady;  // it was put back, or is being written
  } else if (!as_read && !entry.growing) {
    entry.state = entry.open != nullptr ? ProfileState::kChanged : ProfileState::kFound;
    entry.error.clear();
  }
  return changed || entry.state != before;
}

// An entry that was not found any more. True: it is no longer in the list either.
bool Catalogue::Missing(Entry& entry) const {
  if (entry.state == ProfileState::kLoading) return false;  // what becomes of it shows afterwards
  if (entry.open == nullptr) return true;
  entry.state = ProfileState::kGone;
  entry.growing = false;
  return false;
}

void Catalogue::Scan() {
  ProfileFinder::SoFar so_far;
  if (searching()) {
    so_far = [this](std::vector<FoundProfile> profiles) { Take(std::move(profiles), false); };
  }
  std::vector<FoundProfile> profiles = finder_.Look(so_far, &canceled_);
  if (!canceled_) Take(std::move(profiles), true);
}

// What a look found, or found so far.
void Catalogue::Take(std::vector<FoundProfile> profiles, bool all) {
  bool changed = false;
  bool evicted = false;
  {
    const std::lock_guard lock(mutex_);
    if (all) {
      cut_ = finder_.cut();
      changed = !std::exchange(scanned_, true);
    }
    std::set<std::string, std::less<>> present;
    size_t order = 0;
    for (FoundProfile& found : profiles) {
      present.insert(found.id);
      const auto [at, is_new] = entries_.try_emplace(found.id);
      Entry& entry = at->second;
      if (is_new) {
        entry.total_bytes = BytesOf(found.files);
        entry.found = std::move(found);
        entry.order = order;
        changed = true;
      } else {
        changed |= Update(entry, std::move(found), order);
      }
      ++order;
    }
    for (auto at = entries_.begin(); all && at != entries_.end();) {
      Entry& entry = at->second;
      if (present.contains(at->first)) {
        ++at;
        continue;
      }
      const ProfileState before = entry.state;
      const bool erase = Missing(entry);
      changed |= erase || entry.state != before;
      at = erase ? entries_.erase(at) : std::next(at);
    }
    // What is kept with a profile grows while it is looked at.
    evicted = Evict({});
  }
  if (evicted) ReturnMemory();
  changed |= evicted;
  if (changed && options_.on_change) options_.on_change();
}

void Catalogue::Progress(const std::string& id, uint64_t done, uint64_t total) {
  ProfileStatus status;
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(id);
    if (at == entries_.end()) return;
    at->second.loaded_bytes = done;
    if (total > 0) at->second.total_bytes = total;
    if (!options_.on_progress) return;
    const auto now = options_.now();
    if (now - last_progress_ < kProgressEvery) return;
    last_progress_ = now;
    status = StatusOf(at->second);
  }
  options_.on_progress(status);
}

Result<Loaded> Catalogue::Load(const std::string& id, const std::vector<FoundFile>& files) {
  std::vector<std::string> paths;
  for (const FoundFile& file : files) paths.push_back(file.path);
  LoadOptions load;
  load.gate = gate_;
  load.threads = options_.threads;
  load.canceled = &canceled_;
  load.progress = [&](uint64_t done, uint64_t total) { Progress(id, done, total); };
  return options_.load(paths, load);
}

bool Catalogue::LoadNext() {
  std::string id;
  std::vector<FoundFile> files;
  {
    const std::lock_guard lock(mutex_);
    Entry* next = nullptr;
    for (auto& [key, entry] : entries_) {
      if (entry.requested > 0 && (next == nullptr || entry.requested > next->requested)) {
        next = &entry;
      }
    }
    if (next == nullptr || canceled_) return false;
    next->requested = 0;
    id = next->found.id;
    files = next->found.files;
  }
  std::shared_ptr<const OpenProfile> open;
  std::string error;
  bool evicted = false;
  try {
    Result<Loaded> loaded = Load(id, files);
    if (loaded) {
      open = std::make_shared<const OpenProfile>(id, std::move(*loaded), options_.threads);
    } else {
      error = loaded.error().message;
    }
  } catch (const std::bad_alloc&) {
    error = "there is not enough memory to read it; close other programs, or record fewer steps";
  }
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(id);
    if (at == entries_.end()) return true;
    Entry& entry = at->second;
    entry.read_files = std::move(files);
    entry.requested = 0;
    entry.open = std::move(open);
    entry.error = RepairUtf8(error);
    entry.loaded_bytes = entry.open != nullptr ? entry.total_bytes : 0;
    if (canceled_) {
      entry.state = ProfileState::kFound;
      entry.error.clear();
    } else if (entry.open != nullptr) {
      entry.state = ProfileState::kReady;
      ++entry.generation;
      evicted = Evict(id);
    } else {
      entry.state = ProfileState::kFailed;
    }
  }
  if (evicted) ReturnMemory();
  if (options_.on_change) options_.on_change();
  return true;
}

// Lets go of what was not asked for the longest, until the rest fits. Never one that somebody reads
// right now, nor the one that was asked for or loaded last. True: one was let go.
bool Catalogue::Evict(std::string_view just_loaded) {
  size_t bytes = 0;
  std::vector<Entry*> open;
  for (auto& [id, entry] : entries_) {
    if (entry.open == nullptr) continue;
    bytes += entry.open->memory_bytes();
    open.push_back(&entry);
  }
  if (bytes <= options_.memory_budget_bytes) return false;
  std::ranges::sort(open, {}, &Entry::used);
  open.pop_back();
  bool any = false;
  for (Entry* entry : open) {
    if (entry->open.use_count() > 1 || entry->state == ProfileState::kLoading ||
        entry->found.id == just_loaded) {
      continue;
    }
    if (bytes <= options_.memory_budget_bytes) break;
    any = true;
    bytes -= entry->open->memory_bytes();
    entry->open = nullptr;
    entry->loaded_bytes = 0;
    if (entry->state == ProfileState::kGone) {
      const std::string id = entry->found.id;
      entries_.erase(id);
    } else {
      entry->state = ProfileState::kFound;
    }
  }
  return any;
}

void Catalogue::Cancel() { canceled_ = true; }

}  // namespace telltale
