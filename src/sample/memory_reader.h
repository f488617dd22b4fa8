// SPDX-License-Identifier: Apache-2.0
// Reading the memory of another process while it runs on. Nothing that is read can be relied on:
// the process may be changing it, and an address may lead anywhere. Who reads checks what it got.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace telltale {

class MemoryReader {
 public:
  struct Piece {
    uint64_t address = 0;
    void* into = nullptr;
    size_t size = 0;
  };

  virtual ~MemoryReader() = default;
  // All of it, or false.
  [[nodiscard]] virtual bool Read(uint64_t address, void* into, size_t size) = 0;
  // How many of the pieces, from the first on, were read whole.
  [[nodiscard]] virtual size_t ReadPieces(std::span<const Piece> pieces);
};

// By process_vm_readv: the process is not stopped and sees nothing of it.
class ProcessMemory final : public MemoryReader {
 public:
  explicit ProcessMemory(int pid) : pid_(pid) {}
  [[nodiscard]] bool Read(uint64_t address, void* into, size_t size) override;
  [[nodiscard]] size_t ReadPieces(std::span<const Piece> pieces) override;
  // errno of what failed last; 0: nothing did.
  [[nodiscard]] int error() const { return error_; }

 private:
  int pid_;
  int error_ = 0;
};

// Whole pages, each read once until Renew: what lies close together (the frames of a stack) costs
// one call of the system, and is from one moment.
class PageReader {
 public:
  explicit PageReader(MemoryReader& memory);

  // Forgets what was read. The pages that were wanted since the last time will mostly be wanted
  // again: all of them are read at once.
  void Renew();
  [[nodiscard]] bool Read(uint64_t address, void* into, size_t size);
  template <typename T>
  [[nodiscard]] bool Get(uint64_t address, T& value) {
    return Read(address, &value, sizeof value);
  }

 private:
  static constexpr uint64_t kPageBytes = 4096;
  static constexpr size_t kPages = 64;
  struct Page {
    uint64_t number = 0;
    uint64_t generation = 0;  // 0: never read
    uint64_t wanted = 0;      // the last generation that looked into it
    std::array<char, kPageBytes> bytes;
  };

  // nullptr: it cannot be read.
  [[nodiscard]] const Page* PageOf(uint64_t number);

  MemoryReader& memory_;
  uint64_t generation_ = 1;
  std::unique_ptr<std::array<Page, kPages>> pages_;
  std::vector<MemoryReader::Piece> pieces_;
  std::vector<Page*> renewed_;
};

}  // namespace telltale
