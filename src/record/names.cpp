// SPDX-License-Identifier: Apache-2.0
// Names and their numbers. The table belongs to the process and outlives fork, telltale_stop and
// regions: a number that a program keeps in a static variable stays right. Looking up takes no
// lock; adding does.
#include <sys/mman.h>

#include <cstring>

#include <telltale/telltale.h>
#include "record/state.h"

namespace telltale::record {

namespace {

struct Name {
  uint64_t hash;
  uint32_t size;  // of the text, which follows

  [[nodiscard]] const char* text() const { return reinterpret_cast<const char*>(this + 1); }
};

// Numbers by hash, open addressing; never more than half full. Replaced by a larger one, never
// changed but by adding: who looks into the old one misses new names at worst, and then looks again
// under the lock. So it stays mapped.
struct Index {
  uint32_t mask;
  uint32_t unused;

  uint32_t& at(uint64_t place) { return reinterpret_cast<uint32_t*>(this + 1)[place & mask]; }
};

constexpr uint32_t kFirstIndex = 1024;
constexpr uint32_t kBlockNames = 1024;
constexpr uint32_t kMostBlocks = 4096;
constexpr size_t kTextBytes = 65536;

Index* index_now = nullptr;
// Name NUMBER is blocks[(NUMBER - 1) / kBlockNames][(NUMBER - 1) % kBlockNames].
const Name** blocks[kMostBlocks] = {};
uint32_t name_count = 0;
char* text_at = nullptr;
char* text_end = nullptr;

void* Pages(size_t bytes) {
  void* const mapped =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return mapped == MAP_FAILED ? nullptr : mapped;
}

const Name& NameOf(uint32_t number) {
  return *__atomic_load_n(&blocks[(number - 1) / kBlockNames],
                          __ATOMIC_RELAXED)[(number - 1) % kBlockNames];
}

uint64_t HashOf(const char* text, size_t size) {
  // FNV-1a: names are short.
  uint64_t hash = 0xcbf29ce484222325;
  for (size_t i = 0; i < size; ++i)
    hash = (hash ^ static_cast<unsigned char>(text[i])) * 0x100000001b3;
  return hash ^ (hash >> 32);
}

uint32_t Find(const char* text, size_t size, uint64_t hash) {
  Index* const index = __atomic_load_n(&index_now, __ATOMIC_ACQUIRE);
  if (index == nullptr) return 0;
  for (uint64_t place = hash;; ++place) {
    const uint32_t number = __atomic_load_n(&index->at(place), __ATOMIC_ACQUIRE);
    if (number == 0) return 0;
    const Name& name = NameOf(number);
    if (name.hash == hash && name.size == size && std::memcmp(name.text(), text, size) == 0)
      return number;
  }
}

void Put(Index* index, uint64_t hash, uint32_t number) {
  uint64_t place = hash;
  while (index->at(place) != 0) ++place;
  __atomic_store_n(&index->at(place), number, __ATOMIC_RELEASE);
}

bool MakeIndexRoom() {
  const uint32_t size = index_now == nullptr ? 0 : index_now->mask + 1;
  if ((name_count + 1) * 2 <= size) return true;
  const uint32_t larger = size == 0 ? kFirstIndex : size * 2;
  auto* const index = static_cast<Index*>(Pages(sizeof(Index) + size_t{larger} * sizeof(uint32_t)));
  if (index == nullptr) return false;
  index->mask = larger - 1;
  for (uint32_t number = 1; number <= name_count; ++number) Put(index, NameOf(number).hash, number);
  __atomic_store_n(&index_now, index, __ATOMIC_RELEASE);
  return true;
}

Name* MakeName(const char* text, size_t size, uint64_t hash) {
  const size_t bytes = (sizeof(Name) + size + 7) & ~size_t{7};
  if (static_cast<size_t>(text_end - text_at) < bytes) {
    text_at = static_cast<char*>(Pages(kTextBytes));
    text_end = text_at == nullptr ? nullptr : text_at + kTextBytes;
    if (text_at == nullptr) return nullptr;
  }
  Name* const name = reinterpret_cast<Name*>(text_at);
  text_at += bytes;
  name->hash = hash;
  name->size = static_cast<uint32_t>(size);
  std::memcpy(name + 1, text, size);
  return name;
}

// In the region.
bool Write(uint32_t number) {
  const Name& name = NameOf(number);
  const auto bytes =
      static_cast<uint32_t>(sizeof(NameRecord) + ((size_t{name.size} + 7) & ~size_t{7}));
  ChunkHeader* chunk = process->names_chunk;
  if (chunk == nullptr || kChunkPayload - chunk->committed < bytes) {
    SealChunk(chunk);
    chunk = TakeChunk(Lane::kNames, nullptr);
    if (chunk == nullptr) chunk = TakeMemoryChunk(Lane::kNames, nullptr);
    process->names_chunk = chunk;
    if (chunk == nullptr) return false;
  }
  char* const at = PayloadOf(chunk) + chunk->committed;
  const NameRecord record = {
      {static_cast<uint8_t>(RecordKind::kName), 0, static_cast<uint16_t>(bytes / 8), number},
      name.size};
  std::memset(at + bytes - 8, 0, 8);
  std::memcpy(at, &record, sizeof record);
  std::memcpy(at + sizeof record, name.text(), name.size);
  Commit(chunk, at + bytes);
  return true;
}

uint32_t Add(const char* text, size_t size, uint64_t hash) {
  if (const uint32_t number = Find(text, size, hash); number != 0) return number;
  const uint32_t block = name_count / kBlockNames;
  if (block == kMostBlocks || !MakeIndexRoom()) return 0;
  if (blocks[block] == nullptr) {
    auto** const names = static_cast<const Name**>(Pages(kBlockNames * sizeof(Name*)));
    if (names == nullptr) return 0;
    __atomic_store_n(&blocks[block], names, __ATOMIC_RELEASE);
  }
  Name* const name = MakeName(text, size, hash);
  if (name == nullptr) return 0;
  const uint32_t number = name_count + 1;
  blocks[block][name_count % kBlockNames] = name;
  // In the region before anyone can know the number.
  if (!Write(number)) return 0;
  name_count = number;
  Put(index_now, hash, number);
  return number;
}

}  // namespace

void WriteAllNames() {
  for (uint32_t number = 1; number <= name_count; ++number) Write(number);
}

}  // namespace telltale::record

using telltale::record::kLongestName;

uint32_t telltale_name(const char* text, size_t size) {
  if (telltale_recording() == 0 || text == nullptr || size == 0) return 0;
  if (size > kLongestName) size = kLongestName;
  const uint64_t hash = telltale::record::HashOf(text, size);
  const uint32_t known = telltale::record::Find(text, size, hash);
  if (known != 0) return known;
  const telltale::record::Locked locked;
  return telltale::record::EnsureRegion() ? telltale::record::Add(text, size, hash) : 0;
}
