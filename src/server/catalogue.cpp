// SPDX-License-Identifier: Apache-2.0
#include "server/catalogue.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/utf8.h"
#include "formats/memory_meter.h"
#include "views/render/display.h"

namespace telltale {

namespace {

// More often would be noise to whoever draws it.
constexpr auto kProgressEvery = std::chrono::milliseconds(100);
// A load asks for room in so many steps.
constexpr size_t kRoomSteps = 16;

int64_t ModifiedAt(const std::vector<FoundFile>& files) {
  int64_t modified_ns = 0;
  for (const FoundFile& file : files) modified_ns = std::max(modified_ns, file.stamp.modified_ns);
  return modified_ns;
}

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

std::string_view KindOf(const Subject& subject) {
  std::set<ContentKind> kinds;
  for (const auto& artifact : subject.artifacts()) kinds.insert(artifact->kind());
  if (kinds.empty()) return {};
  return kinds.size() > 1 ? "mixed" : NameOf(*kinds.begin());
}

// The library keeps what was freed for later; after a whole profile that is more than is needed.
void ReturnMemory() {
#ifdef __GLIBC__
  ::malloc_trim(0);
#endif
}

std::string WhatFailed(const std::exception& problem, std::string no_memory) noexcept {
  if (dynamic_cast<const std::bad_alloc*>(&problem) != nullptr) return no_memory;
  try {
    return RepairUtf8(fmt::format("something went wrong that should not have: {}", problem.what()));
  } catch (const std::bad_alloc&) {
    return no_memory;
  }
}

uint64_t EventsOf(const Subject& subject) {
  uint64_t events = 0;
  for (const auto& artifact : subject.artifacts()) events += artifact->source().events;
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
      finder_(options_.roots, gate_, options_.limits) {}

ProfileStatus Catalogue::StatusOf(const Entry& entry) {
  ProfileStatus status;
  status.id = entry.found.id;
  status.name = entry.found.name;
  status.folder = entry.found.folder;
  status.state = entry.state;
  status.growing = entry.growing;
  status.error = entry.error;
  status.generation = entry.generation;
  if (entry.generation > 0) {
    status.content = fmt::format("{}-{:x}-{:x}", entry.generation, ModifiedAt(entry.read_files),
                                 BytesOf(entry.read_files));
  }
  status.modified_ns = ModifiedAt(entry.found.files);
  status.bytes = BytesOf(entry.found.files);
  status.loaded_bytes = entry.loaded_bytes;
  status.total_bytes = entry.total_bytes;
  std::set<int64_t> ranks;
  for (const FoundFile& file : entry.found.files) {
    status.paths.push_back(file.path);
    if (file.rank) ranks.insert(*file.rank);
  }
  if (entry.found.kind) status.kind = NameOf(*entry.found.kind);
  if (entry.open != nullptr) {
    const Subject& subject = entry.open->subject();
    status.kind = KindOf(subject);
    status.events = EventsOf(subject);
    status.captured = entry.open->captured();
    status.views = entry.open->views();
    status.first_view = entry.open->first_view();
    if (subject.Has<Trace>()) ranks.clear();
    for (const Trace* trace : subject.Each<Trace>()) {
      if (trace->source.rank != kNoInt) ranks.insert(trace->source.rank);
    }
  }
  status.ranks.assign(ranks.begin(), ranks.end());
  return status;
}

std::vector<const Catalogue::Entry*> Catalogue::InOrder() const {
  std::vector<const Entry*> entries;
  entries.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) entries.push_back(&entry);
  std::ranges::stable_sort(entries, {}, &Entry::order);
  return entries;
}

ProfilePage Catalogue::Page(size_t offset, size_t limit) const {
  const std::lock_guard lock(mutex_);
  ProfilePage page;
  page.revision = history_.revision();
  page.total = entries_.size();
  const std::vector<const Entry*> entries = InOrder();
  const size_t from = std::min(offset, entries.size());
  for (const Entry* entry : std::span(entries).subspan(from, std::min(limit, page.total - from))) {
    page.profiles.push_back(StatusOf(*entry));
  }
  return page;
}

std::optional<ProfileStatus> Catalogue::Find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end()) return std::nullopt;
  return StatusOf(at->second);
}

std::optional<ListChanges> Catalogue::ChangesSince(uint64_t revision, size_t most) const {
  const std::lock_guard lock(mutex_);
  std::optional<std::vector<std::string>> left = history_.LeftSince(revision);
  if (!left || left->size() > most) return std::nullopt;
  ListChanges changes;
  changes.since = revision;
  changes.revision = history_.revision();
  changes.total = entries_.size();
  // What left may have come back.
  std::erase_if(*left, [this](const std::string& id) { return entries_.contains(id); });
  changes.gone = std::move(*left);
  std::string_view before;
  for (const Entry* entry : InOrder()) {
    if (entry->revision > revision) {
      if (changes.changed.size() == most) return std::nullopt;
      changes.changed.push_back({std::string(before), StatusOf(*entry)});
    }
    before = entry->found.id;
  }
  return changes;
}

uint64_t Catalogue::revision() const {
  const std::lock_guard lock(mutex_);
  return history_.revision();
}

// Something of it changed that the list shows.
void Catalogue::Note(Entry& entry) {
  entry.revision = history_.Change();
  untold_ = true;
}

Catalogue::Entries::iterator Catalogue::Remove(Entries::iterator at) {
  history_.Left(at->first);
  untold_ = true;
  return entries_.erase(at);
}

bool Catalogue::searching() const {
  const std::lock_guard lock(mutex_);
  return !scanned_;
}

bool Catalogue::cut() const {
  const std::lock_guard lock(mutex_);
  return cut_;
}

Skipped Catalogue::skipped() const {
  const std::lock_guard lock(mutex_);
  return skipped_;
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
    // Before anything changes: it may fail.
    ProfileStatus& status = answer.status.emplace(StatusOf(entry));
    entry.used = ++requests_;
    if (entry.state == ProfileState::kFound || entry.state == ProfileState::kChanged) {
      status.state = entry.state = ProfileState::kLoading;
      status.loaded_bytes = entry.loaded_bytes = 0;
      status.total_bytes = entry.total_bytes = BytesOf(entry.found.files);
      Note(entry);
      asked = true;
    }
    // Who is asked for again comes before those that were asked for earlier.
    if (asked || entry.requested > 0) entry.requested = requests_;
    answer.profile = entry.open;
  }
  if (asked) {
    if (on_request_) on_request_();
    Changed();
  }
  return answer;
}

// An entry that is still there. True: something changed that the list shows.
bool Catalogue::Update(Entry& entry, FoundProfile found, size_t order) {
  const bool same = entry.found.files == found.files;
  // A place that changed is that of others: what is left keeps its order.
  bool changed = !same || entry.found.name != found.name || entry.found.kind != found.kind;
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

// The id of a profile follows from its path. One whose files were moved, which are the same files
// elsewhere, keeps the one it had; what comes to the old path then needs another.
void Catalogue::KeepIds(std::vector<FoundProfile>& profiles) {
  using Stamps = std::vector<std::array<uint64_t, 4>>;
  const auto stamps_of = [](const std::vector<FoundFile>& files) {
    Stamps stamps;
    for (const FoundFile& file : files) {
      stamps.push_back({file.stamp.bytes, static_cast<uint64_t>(file.stamp.modified_ns),
                        file.stamp.inode, file.stamp.device});
    }
    return stamps;
  };
  std::set<std::string, std::less<>> present;
  for (const FoundProfile& found : profiles) present.insert(found.id);
  std::erase_if(moved_, [&](const auto& moved) { return !present.contains(moved.first); });
  std::set<std::string, std::less<>> taken;  // by what was moved
  for (const auto& [now, before] : moved_) taken.insert(before);
  std::map<Stamps, std::string> missing;
  for (const auto& [id, entry] : entries_) {
    if (!present.contains(id) && !taken.contains(id)) {
      missing.emplace(stamps_of(entry.found.files), id);
    }
  }
  for (const FoundProfile& found : profiles) {
    if (missing.empty()) break;
    if (entries_.contains(found.id) || moved_.contains(found.id)) continue;
    const auto from = missing.find(stamps_of(found.files));
    if (from == missing.end()) continue;
    taken.insert(from->second);
    moved_.emplace(found.id, from->second);
    missing.erase(from);
  }
  for (FoundProfile& found : profiles) {
    if (const auto moved = moved_.find(found.id); moved != moved_.end()) {
      found.id = moved->second;
    } else {
      while (taken.contains(found.id)) found.id += 'x';
    }
  }
}

// What a look found, or found so far. Where it fails the next look finds the rest.
void Catalogue::Take(std::vector<FoundProfile> profiles, bool all) {
  bool evicted = false;
  {
    const std::lock_guard lock(mutex_);
    if (all) KeepIds(profiles);
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
        Note(entry);
      } else if (Update(entry, std::move(found), order)) {
        Note(entry);
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
      if (Missing(entry)) {
        at = Remove(at);
        continue;
      }
      if (entry.state != before) Note(entry);
      ++at;
    }
    if (all) {
      Skipped skipped = finder_.skipped();
      if (cut_ != finder_.cut() || skipped_ != skipped || !scanned_) {
        history_.Change();
        untold_ = true;
      }
      cut_ = finder_.cut();
      skipped_ = std::move(skipped);
      scanned_ = true;
    }
    // What is kept with a profile grows while it is looked at.
    evicted = Evict({});
  }
  if (evicted) ReturnMemory();
  Changed();
}

// Tells of changes that were not told yet. What cannot be told now is at the next look.
void Catalogue::Changed() noexcept {
  if (!untold_.exchange(false) || !options_.on_change) return;
  try {
    options_.on_change();
  } catch (...) {
    untold_ = true;
  }
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

// For a load that holds so much already.
void Catalogue::MakeRoom(std::string_view id, size_t loading_bytes) {
  bool evicted = false;
  {
    const std::lock_guard lock(mutex_);
    evicted = Evict(id, loading_bytes);
  }
  if (evicted) ReturnMemory();
  Changed();
}

Result<Subject> Catalogue::Load(const std::string& id, const std::vector<FoundFile>& files) {
  std::vector<std::string> paths;
  for (const FoundFile& file : files) paths.push_back(file.path);
  LoadOptions load;
  load.gate = gate_;
  load.threads = options_.threads;
  load.canceled = &canceled_;
  MemoryMeter memory(options_.memory_budget_bytes);
  load.memory = &memory;
  size_t room_bytes = 0;  // that others have made
  load.progress = [&](uint64_t done, uint64_t total) {
    try {
      if (const size_t held = memory.held_bytes(); held > room_bytes) {
        room_bytes = held + memory.limit_bytes() / kRoomSteps;
        MakeRoom(id, room_bytes);
      }
      Progress(id, done, total);
    } catch (const std::bad_alloc&) {
      // A load need not fail because nobody hears of it. Asks for room again.
      room_bytes = 0;
    }
  };
  return options_.load(paths, load);
}

bool Catalogue::LoadNext() {
  std::string id;
  std::vector<FoundFile> files;
  // Made while there is memory.
  std::string no_memory =
      "there is not enough memory to read it; close other programs, or record fewer steps";
  {
    const std::lock_guard lock(mutex_);
    Entry* next = nullptr;
    for (auto& [key, entry] : entries_) {
      if (entry.requested > 0 && (next == nullptr || entry.requested > next->requested)) {
        next = &entry;
      }
    }
    if (next == nullptr || canceled_) return false;
    id = next->found.id;
    files = next->found.files;
    next->requested = 0;
  }
  std::shared_ptr<const OpenProfile> open;
  std::string error;
  try {
    if (const Result<Subject> subject = Load(id, files)) {
      open = std::make_shared<const OpenProfile>(id, *subject, options_.threads);
    } else {
      error = RepairUtf8(subject.error().message);
    }
  } catch (const std::exception& problem) {
    error = WhatFailed(problem, std::move(no_memory));
  }
  Finish(id, std::move(files), std::move(open), std::move(error));
  return true;
}

void Catalogue::Finish(const std::string& id, std::vector<FoundFile> files,
                       std::shared_ptr<const OpenProfile> open, std::string error) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = entries_.find(id);
    if (at == entries_.end()) return;
    Entry& entry = at->second;
    entry.read_files = std::move(files);
    entry.requested = 0;
    entry.open = std::move(open);
    entry.error = std::move(error);
    entry.loaded_bytes = entry.open != nullptr ? entry.total_bytes : 0;
    Note(entry);
    if (canceled_) {
      entry.state = ProfileState::kFound;
      entry.error.clear();
    } else if (entry.open != nullptr) {
      entry.state = ProfileState::kReady;
      ++entry.generation;
    } else {
      entry.state = ProfileState::kFailed;
    }
  }
  MakeRoom(id, 0);
}

// Lets go of what was not asked for the longest, until the rest and a load that is under way fit:
// never what somebody reads right now. `kept` is what is or was loaded: while it is, what it was
// before goes last; afterwards it stays, as does what was asked for last. True: one was let go.
bool Catalogue::Evict(std::string_view kept, size_t loading_bytes) {
  size_t bytes = loading_bytes;
  std::vector<Entries::iterator> open;
  for (auto at = entries_.begin(); at != entries_.end(); ++at) {
    if (at->second.open == nullptr) continue;
    bytes += at->second.open->memory_bytes();
    open.push_back(at);
  }
  if (bytes <= options_.memory_budget_bytes) return false;
  std::ranges::sort(open, {}, [](const auto& at) { return at->second.used; });
  if (loading_bytes == 0) {
    open.pop_back();
    std::erase_if(open, [&](const auto& at) { return at->first == kept; });
  } else {
    std::ranges::stable_partition(open, [&](const auto& at) { return at->first != kept; });
  }
  bool any = false;
  for (const auto& at : open) {
    if (bytes <= options_.memory_budget_bytes) break;
    Entry& entry = at->second;
    if (entry.open.use_count() > 1) continue;
    any = true;
    bytes -= entry.open->memory_bytes();
    entry.open = nullptr;
    if (entry.state == ProfileState::kGone) {
      Remove(at);
      continue;
    }
    Note(entry);
    if (entry.state == ProfileState::kLoading) continue;
    entry.loaded_bytes = 0;
    entry.state = ProfileState::kFound;
  }
  return any;
}

void Catalogue::Cancel() { canceled_ = true; }

}  // namespace telltale
