// SPDX-License-Identifier: Apache-2.0
// How much memory a load may fill, and how much it has. Readers say what they hold while they read
// (HeldMemory); once all files of the load together hold too much, their sources end. To a reader
// that looks like a file that was cut there, so each keeps what it has, and load.cpp says why.
// What a reader cannot name (a block of text, the libraries' own) is not counted.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "io/byte_source.h"

namespace telltale {

// Of a load: all its files, at the same time. Any number of threads.
class MemoryMeter {
 public:
  explicit MemoryMeter(size_t limit_bytes) : limit_bytes_(limit_bytes) {}
  MemoryMeter(const MemoryMeter&) = delete;
  MemoryMeter& operator=(const MemoryMeter&) = delete;

  [[nodiscard]] size_t limit_bytes() const { return limit_bytes_; }
  [[nodiscard]] size_t held_bytes() const { return held_bytes_; }
  [[nodiscard]] bool full() const { return held_bytes_ >= limit_bytes_; }
  // Someone who held `before` holds `now`.
  void Change(size_t before, size_t now) { held_bytes_ += now - before; }

 private:
  const size_t limit_bytes_;
  std::atomic<size_t> held_bytes_ = 0;
};

// Of one file. What it held last stays counted when this goes: the profile lives on. One thread at
// a time, that which reads from the source.
class FileMemory {
 public:
  explicit FileMemory(MemoryMeter& load) : load_(load) {}
  FileMemory(const FileMemory&) = delete;
  FileMemory& operator=(const FileMemory&) = delete;

  void Set(size_t bytes) { load_.Change(std::exchange(bytes_, bytes), bytes); }
  // Asks the reader. True: the load holds too much.
  [[nodiscard]] bool IsTooMuch() {
    if (held_) Set(held_());
    return load_.full();
  }

  // The source has more, but gave it out no more; `offset`: after so many decoded bytes.
  void Stop(uint64_t offset) {
    stopped_ = true;
    offset_ = offset;
  }
  [[nodiscard]] bool stopped() const { return stopped_; }
  [[nodiscard]] uint64_t offset() const { return offset_; }
  [[nodiscard]] size_t limit_bytes() const { return load_.limit_bytes(); }

 private:
  friend class HeldMemory;
  MemoryMeter& load_;
  size_t bytes_ = 0;
  std::function<size_t()> held_;
  bool stopped_ = false;
  uint64_t offset_ = 0;
};

// For readers: as long as it lives, `bytes` tells what they hold. Called in ByteSource::Read.
class HeldMemory {
 public:
  // `memory`: of ReadOptions.
  HeldMemory(FileMemory* memory, std::function<size_t()> bytes) : memory_(memory) {
    if (memory_ != nullptr) memory_->held_ = std::move(bytes);
  }
  HeldMemory(const HeldMemory&) = delete;
  HeldMemory& operator=(const HeldMemory&) = delete;
  ~HeldMemory() {
    if (memory_ != nullptr) memory_->held_ = nullptr;
  }

 private:
  FileMemory* memory_;
};

// About what the nodes of a map take, without what they own themselves.
template <typename Map>
[[nodiscard]] size_t MemoryOfNodes(const Map& map) {
  constexpr size_t kAround = 40;  // links, buckets and the allocator's own
  return map.size() * (sizeof(typename Map::value_type) + kAround);
}

// `source`, until its reader holds too much.
[[nodiscard]] std::unique_ptr<ByteSource> WithinMemory(std::unique_ptr<ByteSource> source,
                                                       FileMemory& memory);

}  // namespace telltale
