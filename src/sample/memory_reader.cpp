// SPDX-License-Identifier: Apache-2.0
#include "sample/memory_reader.h"

#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace telltale {

namespace {

// What one call of the system takes.
constexpr size_t kMostPieces = 256;

}  // namespace

size_t MemoryReader::ReadPieces(std::span<const Piece> pieces) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!Read(pieces[i].address, pieces[i].into, pieces[i].size)) return i;
  }
  return pieces.size();
}

bool ProcessMemory::Read(uint64_t address, void* into, size_t size) {
  const Piece piece = {address, into, size};
  return ReadPieces({&piece, 1}) == 1;
}

size_t ProcessMemory::ReadPieces(std::span<const Piece> pieces) {
  size_t done = 0;
  while (done < pieces.size()) {
    const std::span<const Piece> some =
        pieces.subspan(done, std::min(kMostPieces, pieces.size() - done));
    std::array<iovec, kMostPieces> here;
    std::array<iovec, kMostPieces> there;
    for (size_t i = 0; i < some.size(); ++i) {
      here[i] = {some[i].into, some[i].size};
      // The kernel takes an address of the other process in the place of one of ours.
      there[i] = {reinterpret_cast<void*>(some[i].address),  // NOLINT(performance-no-int-to-ptr)
                  some[i].size};
    }
    const ssize_t read =
        ::process_vm_readv(pid_, here.data(), some.size(), there.data(), some.size(), 0);
    error_ = read < 0 ? errno : 0;
    auto left = static_cast<size_t>(std::max<ssize_t>(read, 0));
    for (const Piece& piece : some) {
      if (left < piece.size) {
        if (error_ == 0) error_ = EFAULT;
        return done;
      }
      left -= piece.size;
      ++done;
    }
  }
  return done;
}

PageReader::PageReader(MemoryReader& memory)
    : memory_(memory), pages_(std::make_unique<std::array<Page, kPages>>()) {}

void PageReader::Renew() {
  pieces_.clear();
  renewed_.clear();
  for (Page& page : *pages_) {
    if (page.wanted != generation_ || page.generation != generation_) continue;
    pieces_.push_back({page.number * kPageBytes, page.bytes.data(), kPageBytes});
    renewed_.push_back(&page);
  }
  ++generation_;
  const size_t read = memory_.ReadPieces(pieces_);
  for (size_t i = 0; i < read; ++i) renewed_[i]->generation = generation_;
}

const PageReader::Page* PageReader::PageOf(uint64_t number) {
  Page& page = (*pages_)[number % kPages];
  page.wanted = generation_;
  if (page.number == number && page.generation == generation_) return &page;
  page.generation = 0;
  if (!memory_.Read(number * kPageBytes, page.bytes.data(), kPageBytes)) return nullptr;
  page.number = number;
  page.generation = generation_;
  return &page;
}

bool PageReader::Read(uint64_t address, void* into, size_t size) {
  auto* out = static_cast<char*>(into);
  while (size > 0) {
    const Page* page = PageOf(address / kPageBytes);
    if (page == nullptr) return false;
    const size_t at = address % kPageBytes;
    const size_t part = std::min<size_t>(size, kPageBytes - at);
    std::memcpy(out, page->bytes.data() + at, part);
    out += part;
    address += part;
    size -= part;
  }
  return true;
}

}  // namespace telltale
