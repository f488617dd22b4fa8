// SPDX-License-Identifier: Apache-2.0
#include "model/series.h"

#include <algorithm>
#include <cmath>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace telltale {

namespace {

uint64_t HashOf(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

// What a string has on the heap.
size_t HeapBytes(const std::string& text) {
  return text.capacity() > std::string().capacity() ? text.capacity() + 1 : 0;
}

}  // namespace

size_t SeriesTag::memory_bytes() const {
  return HeapBytes(tag) + HeapBytes(plugin) + HeapBytes(plugin_content) + HeapBytes(display_name) +
         HeapBytes(description) + scalars.memory_bytes() + values.capacity() * sizeof(StoredValue) +
         restarts.capacity() * sizeof(RestartMark);
}

uint32_t SeriesSet::IndexOf(std::string_view tag) const {
  const uint32_t entry =
      index_.Find(HashOf(tag), [&](uint32_t i) { return tags[first_[i]].tag == tag; });
  return entry == HashIndex::kNone ? entry : first_[entry];
}

const SeriesTag* SeriesSet::Find(std::string_view tag) const {
  const uint32_t i = IndexOf(tag);
  return i == HashIndex::kNone ? nullptr : &tags[i];
}

const SeriesTag* SeriesSet::Find(std::string_view tag, std::string_view plugin) const {
  for (uint32_t i = IndexOf(tag); i != HashIndex::kNone; i = tags[i].next_of_tag) {
    if (tags[i].plugin == plugin) return &tags[i];
  }
  return nullptr;
}

uint32_t SeriesSet::FindOrAdd(std::string_view tag, std::string_view plugin) {
  const auto added = static_cast<uint32_t>(tags.size());
  const uint32_t entry = index_.FindOrAdd(
      HashOf(tag), [&](uint32_t i) { return tags[first_[i]].tag == tag; },
      [&] { first_.push_back(added); });
  uint32_t before = HashIndex::kNone;
  for (uint32_t i = first_[entry]; i != added && i != HashIndex::kNone; i = tags[i].next_of_tag) {
    if (tags[i].plugin == plugin) return i;
    before = i;
  }
  if (before != HashIndex::kNone) tags[before].next_of_tag = added;
  SeriesTag& made = tags.emplace_back();
  made.tag = tag;
  made.plugin = plugin;
  for (const Restart& restart : restarts) made.restarts.push_back({0, restart.step});
  return added;
}

void SeriesSet::AddRestart(const Restart& restart) {
  restarts.push_back(restart);
  for (SeriesTag& tag : tags) tag.restarts.push_back({tag.size(), restart.step});
}

void SeriesSet::SeeWallTime(double wall_time) {
  if (std::isnan(wall_time)) return;
  if (!first_wall_time) {
    first_wall_time = wall_time;
    last_wall_time = wall_time;
  }
  last_wall_time = std::max(last_wall_time, wall_time);
}

size_t SeriesSet::points() const {
  size_t points = 0;
  for (const SeriesTag& tag : tags) points += tag.scalars.size();
  return points;
}

size_t SeriesSet::memory_bytes() const {
  size_t bytes = sizeof(SeriesSet) + tags.capacity() * sizeof(SeriesTag) + index_.memory_bytes() +
                 first_.capacity() * sizeof(uint32_t) + restarts.capacity() * sizeof(Restart);
  for (const SeriesTag& tag : tags) bytes += tag.memory_bytes();
  return bytes;
}

void SeriesSet::ShrinkToFit() {
  for (SeriesTag& tag : tags) {
    tag.scalars.ShrinkToFit();
    tag.values.shrink_to_fit();
  }
  tags.shrink_to_fit();
}

}  // namespace telltale
