// SPDX-License-Identifier: Apache-2.0
#include "runs/log_index.h"

#include <algorithm>

namespace telltale {

void LogIndex::Append(std::string_view bytes) {
  while (!bytes.empty()) {
    const size_t end = bytes.find('\n');
    const std::string_view part = bytes.substr(0, end);
    if (head_.size() < kLogHeadBytes) head_ += part.substr(0, kLogHeadBytes - head_.size());
    position_ += part.size();
    if (end == std::string_view::npos) return;
    ++position_;
    FinishLine();
    bytes.remove_prefix(end + 1);
  }
}

void LogIndex::FinishLine() {
  if (finished_ % stride_ == 0) {
    if (blocks_.size() == kMostBlocks) JoinPairs();
    blocks_.push_back({.offset = line_begin_});
  }
  Block& block = blocks_.back();
  const LogLine line = SplitLogTime(head_);
  if (line.time_ns) {
    block.earliest_ns = std::min(block.earliest_ns, *line.time_ns);
    block.latest_ns = std::max(block.latest_ns, *line.time_ns);
    ++timed_lines_;
  }
  const LogLevel level = LevelOf(line.text);
  if (level == LogLevel::kWarning) ++block.warnings, ++warnings_;
  if (level == LogLevel::kError) ++block.errors, ++errors_;
  const uint64_t size = position_ - 1 - line_begin_;
  if (size > kLongLine && long_lines_.size() < kMostLongLines) {
    long_lines_.push_back({finished_, line_begin_, size});
  }
  ++finished_;
  line_begin_ = position_;
  head_.clear();
}

void LogIndex::JoinPairs() {
  for (size_t i = 0; i + 1 < blocks_.size(); i += 2) {
    Block joined = blocks_[i];
    const Block& second = blocks_[i + 1];
    joined.earliest_ns = std::min(joined.earliest_ns, second.earliest_ns);
    joined.latest_ns = std::max(joined.latest_ns, second.latest_ns);
    joined.warnings += second.warnings;
    joined.errors += second.errors;
    blocks_[i / 2] = joined;
  }
  blocks_.resize(blocks_.size() / 2);
  stride_ *= 2;
}

uint64_t LogIndex::LinesOf(size_t block) const {
  return std::min(stride_, finished_ - std::min(finished_, block * stride_));
}

const LogIndex::LongLine* LogIndex::LongLineAt(uint64_t line) const {
  const auto at = std::ranges::lower_bound(long_lines_, line, {}, &LongLine::line);
  return at != long_lines_.end() && at->line == line ? &*at : nullptr;
}

std::optional<int64_t> LogIndex::first_time_ns() const {
  const auto at = std::ranges::find_if(blocks_, &Block::has_time);
  return at == blocks_.end() ? std::nullopt : std::optional(at->earliest_ns);
}

std::optional<int64_t> LogIndex::last_time_ns() const {
  const auto at = std::find_if(blocks_.rbegin(), blocks_.rend(),
                               [](const Block& block) { return block.has_time(); });
  return at == blocks_.rend() ? std::nullopt : std::optional(at->latest_ns);
}

size_t LogIndex::memory_bytes() const {
  return blocks_.capacity() * sizeof(Block) + long_lines_.capacity() * sizeof(LongLine) +
         head_.capacity();
}

}  // namespace telltale
