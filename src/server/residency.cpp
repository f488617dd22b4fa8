// SPDX-License-Identifier: Apache-2.0
#include "server/residency.h"

#include <malloc.h>

#include <algorithm>
#include <exception>
#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/utf8.h"
#include "formats/memory_meter.h"

namespace telltale {

namespace {

// More often would be noise to whoever draws it.
constexpr auto kProgressEvery = std::chrono::milliseconds(100);
// A load asks for room in so many steps.
constexpr size_t kRoomSteps = 16;

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

}  // namespace

ProfileStatus Residency::StatusOf(const CatalogueEntry& entry, const Resident* resident) {
  if (resident == nullptr) return {entry, nullptr};
  ProfileStatus status(entry, resident->open.get());
  const bool changed = entry.settled > resident->read;
  if (resident->loading) {
    status.state = ProfileState::kLoading;
  } else if (resident->open != nullptr) {
    status.state = entry.gone ? ProfileState::kGone
                   : changed  ? ProfileState::kChanged
                              : ProfileState::kReady;
  } else if (!resident->error.empty() && !changed) {
    status.state = ProfileState::kFailed;
    status.error = resident->error;
  }
  status.loaded_bytes = resident->loaded_bytes;
  status.total_bytes = resident->total_bytes;
  status.generation = resident->generation;
  if (resident->generation > 0) {
    status.content = fmt::format("{}-{:x}-{:x}", resident->generation, resident->read_modified_ns,
                                 resident->read_bytes);
  }
  return status;
}

ProfileStatus Residency::StatusOf(const CatalogueEntry& entry) const {
  const std::lock_guard lock(mutex_);
  const auto at = residents_.find(entry.found.id);
  return StatusOf(entry, at == residents_.end() ? nullptr : &at->second);
}

size_t Residency::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  size_t bytes = 0;
  for (const auto& [id, resident] : residents_) {
    if (resident.open != nullptr) bytes += resident.open->memory_bytes();
  }
  return bytes;
}

Residency::Answer Residency::Get(std::string_view id) {
  Answer answer;
  {
    const std::lock_guard lock(mutex_);
    const std::optional<CatalogueEntry> entry = catalogue_.Find(id);
    if (!entry) return answer;
    auto at = residents_.find(id);
    ProfileStatus status = StatusOf(*entry, at == residents_.end() ? nullptr : &at->second);
    // The last that may fail.
    if (at == residents_.end()) at = residents_.try_emplace(std::string(id)).first;
    Resident& resident = at->second;
    const bool ask = status.state == ProfileState::kFound || status.state == ProfileState::kChanged;
    if (ask && !catalogue_.Hold(id)) return answer;  // it went just now
    resident.used = ++requests_;
    if (ask) {
      resident.loading = true;
      resident.loaded_bytes = status.loaded_bytes = 0;
      resident.total_bytes = status.total_bytes = entry->bytes();
      status.state = ProfileState::kLoading;
      catalogue_.Note(id);
    }
    // Who is asked for again comes before those that were asked for earlier.
    if (ask || resident.requested > 0) resident.requested = requests_;
    answer.profile = resident.open;
    answer.status = std::move(status);
    if (!ask) return answer;
  }
  asked_.notify_all();
  catalogue_.Tell();
  return answer;
}

// What was asked for last of what is to be loaded.
Residency::Residents::iterator Residency::Next() {
  const auto last = std::ranges::max_element(
      residents_, {}, [](const auto& item) { return item.second.requested; });
  return last == residents_.end() || last->second.requested > 0 ? last : residents_.end();
}

bool Residency::WaitForRequest() {
  std::unique_lock lock(mutex_);
  asked_.wait(lock, [this] { return canceled_ || Next() != residents_.end(); });
  return !canceled_;
}

void Residency::Cancel() {
  {
    const std::lock_guard lock(mutex_);
    canceled_ = true;
  }
  asked_.notify_all();
}

bool Residency::LoadNext() {
  CatalogueEntry entry;
  // Made while there is memory.
  std::string no_memory =
      "there is not enough memory to read it; close other programs, or record fewer steps";
  {
    const std::lock_guard lock(mutex_);
    const auto next = Next();
    if (next == residents_.end() || canceled_) return false;
    entry = catalogue_.Find(next->first).value();  // it is held
    next->second.requested = 0;
  }
  std::shared_ptr<const OpenProfile> open;
  std::string error;
  try {
    if (const Result<Subject> subject = Load(entry)) {
      open = std::make_shared<const OpenProfile>(entry.found.id, *subject, options_.threads);
    } else {
      error = RepairUtf8(subject.error().message);
    }
  } catch (const std::exception& problem) {
    error = WhatFailed(problem, std::move(no_memory));
  }
  Finish(entry, std::move(open), std::move(error));
  return true;
}

Result<Subject> Residency::Load(const CatalogueEntry& entry) {
  std::vector<std::string> paths;
  for (const FoundFile& file : entry.found.files) paths.push_back(file.path);
  LoadOptions load;
  load.gate = catalogue_.gate();
  load.threads = options_.threads;
  load.canceled = &canceled_;
  MemoryMeter memory(options_.memory_budget_bytes);
  load.memory = &memory;
  size_t room_bytes = 0;  // that others have made
  load.progress = [&](uint64_t done, uint64_t total) {
    try {
      if (const size_t held = memory.held_bytes(); held > room_bytes) {
        room_bytes = held + memory.limit_bytes() / kRoomSteps;
        MakeRoom(entry.found.id, room_bytes);
      }
      Progress(entry.found.id, done, total);
    } catch (const std::bad_alloc&) {
      // A load need not fail because nobody hears of it. Asks for room again.
      room_bytes = 0;
    }
  };
  return options_.load(paths, load);
}

void Residency::Progress(std::string_view id, uint64_t done, uint64_t total) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = residents_.find(id);
    if (at == residents_.end()) return;
    Resident& resident = at->second;
    resident.loaded_bytes = done;
    if (total > 0) resident.total_bytes = total;
    if (!options_.on_progress) return;
    const auto now = options_.now();
    if (now - last_progress_ < kProgressEvery) return;
    last_progress_ = now;
    total = resident.total_bytes;
  }
  options_.on_progress(id, done, total);
}

void Residency::Finish(const CatalogueEntry& entry, std::shared_ptr<const OpenProfile> open,
                       std::string error) {
  const std::string& id = entry.found.id;
  {
    const std::lock_guard lock(mutex_);
    Resident& resident = residents_.find(id)->second;
    resident.loading = false;
    resident.read = entry.content;
    resident.read_bytes = entry.bytes();
    resident.read_modified_ns = entry.modified_ns();
    resident.open = canceled_ ? nullptr : std::move(open);
    resident.error = canceled_ ? "" : std::move(error);
    resident.loaded_bytes = resident.open != nullptr ? resident.total_bytes : 0;
    if (resident.open != nullptr) ++resident.generation;
    catalogue_.Note(id);
  }
  MakeRoom(id, 0);
}

void Residency::Trim() {
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(residents_, [this](const auto& item) {
      const Resident& resident = item.second;
      return resident.open == nullptr && !resident.loading && !catalogue_.Release(item.first);
    });
  }
  MakeRoom({}, 0);
}

void Residency::MakeRoom(std::string_view kept, size_t loading_bytes) {
  bool evicted = false;
  {
    const std::lock_guard lock(mutex_);
    evicted = Evict(kept, loading_bytes);
  }
  if (evicted) ReturnMemory();
  catalogue_.Tell();
}

// Lets go of what was not asked for the longest, until the rest and a load that is under way fit:
// never what somebody reads right now. `kept` is what is or was loaded: while it is, what it was
// before goes last; afterwards it stays, as does what was asked for last. True: one was let go.
bool Residency::Evict(std::string_view kept, size_t loading_bytes) {
  size_t bytes = loading_bytes;
  std::vector<Residents::iterator> open;
  for (auto at = residents_.begin(); at != residents_.end(); ++at) {
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
    Resident& resident = at->second;
    if (resident.open.use_count() > 1) continue;
    const bool listed = resident.loading || catalogue_.Release(at->first);
    any = true;
    bytes -= resident.open->memory_bytes();
    if (!listed) {
      residents_.erase(at);
      continue;
    }
    resident.open = nullptr;
    if (!resident.loading) resident.loaded_bytes = 0;
    catalogue_.Note(at->first);
  }
  return any;
}

}  // namespace telltale
