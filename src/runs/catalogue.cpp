// SPDX-License-Identifier: Apache-2.0
#include "runs/catalogue.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

namespace telltale {

namespace {

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

}  // namespace

uint64_t CatalogueEntry::bytes() const {
  uint64_t bytes = 0;
  for (const FoundFile& file : found.files) bytes += file.stamp.bytes;
  return bytes;
}

int64_t CatalogueEntry::modified_ns() const {
  int64_t modified_ns = 0;
  for (const FoundFile& file : found.files) {
    modified_ns = std::max(modified_ns, file.stamp.modified_ns);
  }
  return modified_ns;
}

Catalogue::Catalogue(CatalogueOptions options)
    : options_(std::move(options)),
      gate_(GateTo(options_.roots)),
      finder_(options_.roots, gate_, options_.limits) {}

std::vector<const Catalogue::Listed*> Catalogue::InOrder() const {
  std::vector<const Listed*> entries;
  entries.reserve(entries_.size());
  for (const auto& [id, entry] : entries_) entries.push_back(&entry);
  std::ranges::stable_sort(entries, {}, &Listed::order);
  return entries;
}

CataloguePage Catalogue::Page(size_t offset, size_t limit) const {
  const std::lock_guard lock(mutex_);
  CataloguePage page;
  page.revision = history_.revision();
  page.total = entries_.size();
  if (limit == 0) return page;
  const std::vector<const Listed*> entries = InOrder();
  const size_t from = std::min(offset, entries.size());
  for (const Listed* entry : std::span(entries).subspan(from, std::min(limit, page.total - from))) {
    page.entries.push_back(*entry);
  }
  return page;
}

std::optional<CatalogueEntry> Catalogue::Find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end()) return std::nullopt;
  return at->second;
}

std::optional<CatalogueChanges> Catalogue::ChangesSince(uint64_t revision, size_t most) const {
  const std::lock_guard lock(mutex_);
  std::optional<std::vector<std::string>> left = history_.LeftSince(revision);
  if (!left || left->size() > most) return std::nullopt;
  CatalogueChanges changes;
  changes.since = revision;
  changes.revision = history_.revision();
  changes.total = entries_.size();
  // What left may have come back.
  std::erase_if(*left, [this](const std::string& id) { return entries_.contains(id); });
  changes.gone = std::move(*left);
  std::string_view before;
  for (const Listed* entry : InOrder()) {
    if (entry->revision > revision) {
      if (changes.changed.size() == most) return std::nullopt;
      changes.changed.push_back({std::string(before), *entry});
    }
    before = entry->found.id;
  }
  return changes;
}

uint64_t Catalogue::revision() const {
  const std::lock_guard lock(mutex_);
  return history_.revision();
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

bool Catalogue::Hold(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end()) return false;
  at->second.held = true;
  return true;
}

bool Catalogue::Release(std::string_view id) {
  const std::lock_guard lock(mutex_);
  const auto at = entries_.find(id);
  if (at == entries_.end()) return false;
  if (!at->second.gone) {
    at->second.held = false;
    return true;
  }
  Remove(at);
  return false;
}

void Catalogue::Note(std::string_view id) {
  const std::lock_guard lock(mutex_);
  if (const auto at = entries_.find(id); at != entries_.end()) Changed(at->second);
}

// What cannot be told now is at the next look.
void Catalogue::Tell() noexcept {
  if (!untold_.exchange(false) || !options_.on_change) return;
  try {
    options_.on_change();
  } catch (...) {
    untold_ = true;
  }
}

// Something of it changed that the list shows.
void Catalogue::Changed(Listed& entry) {
  entry.revision = history_.Change();
  untold_ = true;
}

Catalogue::Entries::iterator Catalogue::Remove(Entries::iterator at) {
  history_.Left(at->first);
  untold_ = true;
  return entries_.erase(at);
}

// An entry that is still there, or again.
void Catalogue::Update(Listed& entry, FoundProfile found, size_t order) {
  const bool same = entry.found.files == found.files;
  const bool growing = !same && !Replaced(entry.found.files, found.files);
  // A place that changed is that of others: what is left keeps its order.
  if (!same || entry.found.name != found.name || entry.found.kind != found.kind ||
      entry.growing != growing || entry.gone) {
    Changed(entry);
  }
  entry.found = std::move(found);
  entry.order = order;
  entry.growing = growing;
  entry.gone = false;
  if (!same) entry.content = entry.revision;
  if (!growing) entry.settled = entry.content;
}

void Catalogue::Scan() {
  ProfileFinder::SoFar so_far;
  if (searching()) {
    so_far = [this](std::vector<FoundProfile> profiles) { Take(std::move(profiles), false); };
  }
  std::vector<FoundProfile> profiles = finder_.Look(so_far, &canceled_);
  if (canceled_) return;
  if (options_.on_look) options_.on_look(finder_, profiles);
  Take(std::move(profiles), true);
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
  {
    const std::lock_guard lock(mutex_);
    if (all) KeepIds(profiles);
    std::set<std::string, std::less<>> present;
    size_t order = 0;
    for (FoundProfile& found : profiles) {
      present.insert(found.id);
      Listed& entry = entries_[found.id];
      Update(entry, std::move(found), order++);
    }
    for (auto at = entries_.begin(); all && at != entries_.end();) {
      Listed& entry = at->second;
      if (!present.contains(at->first) && !entry.held) {
        at = Remove(at);
        continue;
      }
      if (!present.contains(at->first) && !entry.gone) {
        entry.gone = true;
        entry.growing = false;
        Changed(entry);
      }
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
  }
  Tell();
}

}  // namespace telltale
