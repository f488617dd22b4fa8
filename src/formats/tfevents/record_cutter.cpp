// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/record_cutter.h"

#include <algorithm>
#include <utility>

#include "formats/tfevents/records.h"

namespace telltale::tfevents {

namespace {

// The first read of a source that does not know its size.
constexpr size_t kFirstBytes = size_t{64} << 10;

// No more than there is.
size_t BlockBytes(const ByteSource& source, uint64_t offset, size_t wanted) {
  const std::optional<uint64_t> total = source.total_bytes();
  const bool is_plain = std::string_view(source.compression()) == "none";
  if (total && is_plain && *total >= offset) {
    wanted = static_cast<size_t>(std::min<uint64_t>(wanted, *total - offset + 1));
  }
  return std::max(wanted, kFrameBytes);
}

}  // namespace

RecordCutter::RecordCutter(ByteSource& source, uint64_t offset, size_t block_bytes)
    : source_(source), block_bytes_(BlockBytes(source, offset, block_bytes)), offset_(offset) {}

// Reads until the window has `wanted` bytes, or the source has no more.
Result<void> RecordCutter::Fill(size_t wanted) {
  while (held() < wanted && !ended_) {
    if (begin_ > 0) {
      std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
                buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
      end_ -= begin_;
      begin_ = 0;
    }
    // Room grows with what is really there, whatever a header claims.
    const size_t first = source_.total_bytes() ? std::max(block_bytes_, kFirstBytes) : kFirstBytes;
    const size_t room = std::min(wanted, std::max(first, 2 * end_));
    if (buffer_.size() < room) buffer_.resize(room);
    const Result<size_t> got = source_.Read(buffer_.data() + end_, buffer_.size() - end_);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) ended_ = true;
    end_ += *got;
  }
  return {};
}

void RecordCutter::Drop(size_t count) {
  begin_ += count;
  offset_ += count;
}

bool RecordCutter::Search() {
  const std::string_view bytes = window();
  const size_t found = FindHeader(bytes, 0);
  // The last bytes may be the beginning of a header.
  const size_t passed =
      found != std::string_view::npos
          ? found
          : (ended_ ? bytes.size() : bytes.size() - std::min(bytes.size(), kHeaderBytes - 1));
  search_.all_zero &= std::ranges::all_of(bytes.substr(0, passed), [](char c) { return c == 0; });
  Drop(passed);
  return found != std::string_view::npos;
}

void RecordCutter::EndSearch() {
  searching_ = false;
  search_.bytes = offset_ - search_.offset;
  if (search_.bytes > 0) gaps_.push_back(search_);
}

size_t RecordCutter::Walk() {
  const std::string_view bytes = window();
  size_t at = 0;
  size_t before = 0;  // of the record in front of `at`
  const auto is_sound = [&](size_t record) {
    return PayloadIsSound(bytes.data() + record + kHeaderBytes, *ReadHeader(bytes.data() + record));
  };
  while (bytes.size() - at >= kHeaderBytes) {
    const std::optional<uint64_t> length = ReadHeader(bytes.data() + at);
    if (!length) {
      // Where bytes are missing, the record before reaches into those behind: if its payload is
      // wrong, they are looked for from its beginning.
      const bool reaches = before < at && !is_sound(before);
      if (const size_t good = reaches ? before : at; good > 0) return good;
      searching_ = true;
      search_ = {offset_, 0, true};
      search_.all_zero = bytes[0] == 0;
      Drop(1);
      return 0;
    }
    if (bytes.size() - at - kHeaderBytes < *length + (kFrameBytes - kHeaderBytes)) {
      if (at > 0) return at;
      needed_ = *length + kFrameBytes;
      if (!ended_) return 0;
      // It may claim more than there ever was.
      const size_t found = FindSoundRecord(bytes, 1);
      if (found == std::string_view::npos) {
        rest_ = Rest::kCut;
        done_ = true;
        return 0;
      }
      gaps_.push_back({offset_, found, false});
      Drop(found);
      needed_ = 0;
      return 0;
    }
    before = at;
    at += *length + kFrameBytes;
  }
  if (!ended_) {
    // Whether the last one is what it seems is known when the header behind it is.
    if (before == 0) needed_ = at + kHeaderBytes;
    return before;
  }
  if (at < bytes.size()) {
    if (at > 0) return at;
    rest_ = Rest::kCut;
  } else if (at > before && !is_sound(before)) {
    if (before > 0) return before;
    rest_ = Rest::kBadRecord;
  } else if (at > 0) {
    return at;
  }
  done_ = true;
  return 0;
}

Result<bool> RecordCutter::Next(RecordBlock& block) {
  while (!done_) {
    if (const Result<void> filled = Fill(std::max(block_bytes_, needed_)); !filled) {
      return tl::unexpected(filled.error());
    }
    if (searching_) {
      if (Search()) {
        EndSearch();
      } else if (ended_) {
        rest_ = Rest::kNoRecord;
        done_ = true;
      }
      continue;
    }
    const size_t size = Walk();
    if (size == 0) continue;
    needed_ = 0;
    block.offset = offset_;
    block.size = size;
    // The window goes with the block; what is behind its records begins the next one.
    const std::string_view behind = window().substr(size);
    std::vector<char> next = std::move(block.bytes);
    const size_t room = ended_ ? behind.size() : std::max(behind.size(), buffer_.size());
    if (next.size() < room) next.resize(room);
    std::copy(behind.begin(), behind.end(), next.begin());
    if (begin_ > 0)
      std::copy(window().begin(), window().begin() + static_cast<std::ptrdiff_t>(size),
                buffer_.begin());
    block.bytes = std::move(buffer_);
    buffer_ = std::move(next);
    begin_ = 0;
    end_ = behind.size();
    offset_ += size;
    return true;
  }
  return false;
}

}  // namespace telltale::tfevents
