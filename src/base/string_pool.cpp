// SPDX-License-Identifier: Apache-2.0
#include "base/string_pool.h"

#include <algorithm>
#include <array>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/large_pages.h"

namespace telltale {

namespace {
constexpr size_t kArenaBytes = size_t{256} << 10;
constexpr size_t kTogether = 32;  // lookups of which the memory is on its way at one time
}  // namespace

StringPool::StringPool() {
  index_.Reserve(512);
  Intern({});
}

uint64_t StringPool::Hash(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

void StringPool::Reserve(size_t texts) {
  ReserveLarge(views_, texts);
  index_.Reserve(texts);
}

StringId StringPool::Intern(std::string_view text) { return Intern(text, Hash(text)); }

void StringPool::Intern(std::span<const std::string_view> texts, StringId* ids) {
  std::array<uint64_t, kTogether> hashes;
  while (!texts.empty()) {
    const size_t count = std::min(texts.size(), kTogether);
    for (size_t i = 0; i < count; ++i) index_.Prefetch(hashes[i] = Hash(texts[i]));
    for (size_t i = 0; i < count; ++i) *ids++ = Intern(texts[i], hashes[i]);
    texts = texts.subspan(count);
  }
}

StringId StringPool::Intern(std::string_view text, uint64_t hash) {
  return StringId{index_.FindOrAdd(
      hash, [&](uint32_t id) { return views_[id] == text; },
      [&] { views_.push_back(Store(text)); })};
}

StringId StringPool::Find(std::string_view text) const {
  static_assert(kNoString == StringId{HashIndex::kNone});
  return StringId{index_.Find(Hash(text), [&](uint32_t id) { return views_[id] == text; })};
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

size_t StringPool::memory_bytes() const {
  return arena_bytes_ + index_.memory_bytes() + views_.capacity() * sizeof(std::string_view);
}

}  // namespace telltale
