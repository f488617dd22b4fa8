// SPDX-License-Identifier: Apache-2.0
#include "base/string_pool.h"

#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace telltale {

namespace {
constexpr size_t kArenaBytes = size_t{256} << 10;

uint32_t TagOf(std::string_view text) { return static_cast<uint32_t>(StringPool::Hash(text)); }

}  // namespace

StringPool::StringPool() : slots_(1024) { Intern({}); }

uint64_t StringPool::Hash(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

size_t StringPool::Locate(std::string_view text, uint32_t tag) const {
  const size_t mask = slots_.size() - 1;
  for (size_t i = tag & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.id_plus_one == 0) return i;
    if (slot.tag == tag && views_[slot.id_plus_one - 1] == text) return i;
  }
}

StringId StringPool::Intern(std::string_view text) {
  const uint32_t tag = TagOf(text);
  size_t i = Locate(text, tag);
  if (slots_[i].id_plus_one == 0) {
    if ((views_.size() + 1) * 2 > slots_.size()) {
      Rehash();
      i = Locate(text, tag);
    }
    views_.push_back(Store(text));
    slots_[i] = {tag, static_cast<uint32_t>(views_.size())};
  }
  return StringId{slots_[i].id_plus_one - 1};
}

StringId StringPool::Find(std::string_view text) const {
  const Slot& slot = slots_[Locate(text, TagOf(text))];
  return slot.id_plus_one == 0 ? kNoString : StringId{slot.id_plus_one - 1};
}

std::string_view StringPool::Store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > arena_left_) {
    const size_t bytes = text.size() > kArenaBytes / 4 ? text.size() : kArenaBytes;
    arenas_.push_back(std::make_unique_for_overwrite<char[]>(bytes));
    arena_bytes_ += bytes;
    if (bytes != kArenaBytes) {  // a large text has an arena of its own
      std::memcpy(arenas_.back().get(), text.data(), text.size());
      return {arenas_.back().get(), text.size()};
    }
    arena_next_ = arenas_.back().get();
    arena_left_ = bytes;
  }
  std::memcpy(arena_next_, text.data(), text.size());
  const std::string_view stored(arena_next_, text.size());
  arena_next_ += text.size();
  arena_left_ -= text.size();
  return stored;
}

void StringPool::Rehash() {
  std::vector<Slot> slots(slots_.size() * 2);
  const size_t mask = slots.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.id_plus_one == 0) continue;
    size_t i = slot.tag & mask;
    while (slots[i].id_plus_one != 0) i = (i + 1) & mask;
    slots[i] = slot;
  }
  slots_ = std::move(slots);
}

size_t StringPool::memory_bytes() const {
  return arena_bytes_ + slots_.size() * sizeof(Slot) + views_.capacity() * sizeof(std::string_view);
}

}  // namespace telltale
