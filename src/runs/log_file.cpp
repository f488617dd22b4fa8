// SPDX-License-Identifier: Apache-2.0
#include "runs/log_file.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/cancel.h"

namespace telltale {

namespace {

constexpr size_t kPiece = size_t{1} << 18;
constexpr size_t kFingerprint = 64;
constexpr size_t kEnd = size_t{1} << 16;  // of a very long line, what is looked at at either end
constexpr size_t kMostSearches = 2;
// So many lines are looked at one by one where somebody asks for their times.
constexpr uint64_t kMostExact = 20'000;

// As many bytes as there are, at most `size`.
size_t ReadFrom(int descriptor, uint64_t offset, char* to, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got =
        ::pread(descriptor, to + done, size - done, static_cast<off_t>(offset + done));
    if (got <= 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

std::string BytesAt(int descriptor, uint64_t offset, size_t size) {
  std::string bytes(size, '\0');
  bytes.resize(ReadFrom(descriptor, offset, bytes.data(), size));
  return bytes;
}

bool HasCapital(std::string_view text) {
  return std::ranges::any_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

// Every byte of it stands for itself.
std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                         (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
    if (!is_word) out += '\\';
    out += c;
  }
  return out;
}

// Shares a number of things out to parts, none lost.
class Sharing {
 public:
  explicit Sharing(uint64_t total) : total_(total) {}
  uint32_t Until(double share) {
    const auto given = static_cast<uint64_t>(static_cast<double>(total_) * std::min(share, 1.0));
    const uint64_t now = given - std::min(given, given_);
    given_ = std::max(given_, given);
    return static_cast<uint32_t>(now);
  }

 private:
  uint64_t total_;
  uint64_t given_ = 0;
};

}  // namespace

struct LogFile::Snapshot {
  std::shared_ptr<const LogIndex> index;
  uint64_t generation = 0;
};

Result<LogQuery> LogQuery::Make(std::string_view text, bool is_pattern) {
  if (text.empty()) return Fail(ErrorCode::kUsage, "q takes a text to look for");
  std::string written = is_pattern ? std::string(text) : Escaped(text);
  // Of a pattern, \S and \W are no capitals: who writes one says (?i) if it is wanted.
  if (!HasCapital(text)) written.insert(0, "(?i)");
  Result<Pattern> pattern = Pattern::Compile(written);
  if (!pattern) return tl::unexpected(pattern.error());
  return LogQuery(std::move(*pattern), std::move(written));
}

bool LogQuery::Matches(std::string_view line) {
  if (line.find('\x1b') == std::string_view::npos) return pattern_.Matches(line);
  return pattern_.Matches(WithoutEscapes(line));
}

LogFile::Snapshot LogFile::Now() const {
  const std::lock_guard lock(mutex_);
  // Whoever walks holds what it walks by: an update copies an index that is held.
  return {index_, generation_};
}

LogState LogFile::StateNow(uint64_t bytes) const {
  LogState state;
  state.bytes = bytes;
  state.indexed = index_->position();
  state.lines = index_->lines();
  state.open = index_->is_open();
  state.generation = generation_;
  state.timed_lines = index_->timed_lines();
  state.warnings = index_->warnings();
  state.errors = index_->errors();
  state.first_time_ns = index_->first_time_ns();
  state.last_time_ns = index_->last_time_ns();
  return state;
}

Result<LogState> LogFile::Update(const FileGate& gate, uint64_t most) {
  const Result<OpenedFile> opened = gate.Open(path_);
  if (!opened) return tl::unexpected(opened.error());
  if (!opened->stamp) {
    return Fail(ErrorCode::kUnreadable, path_ + " is no regular file: logs are read from files");
  }
  const int descriptor = opened->descriptor.get();
  const FileStamp& now = *opened->stamp;
  const std::lock_guard lock(mutex_);
  const bool is_same =
      now.inode == stamp_.inode && now.device == stamp_.device && now.bytes >= index_->position() &&
      (now == stamp_ ||
       (BytesAt(descriptor, 0, head_.size()) == head_ &&
        BytesAt(descriptor, index_->position() - last_.size(), last_.size()) == last_));
  if (!is_same) {
    if (stamp_.inode != 0) ++generation_;
    index_ = std::make_shared<LogIndex>();
    head_.clear();
    last_.clear();
  }
  stamp_ = now;
  if (index_->position() >= now.bytes) return StateNow(now.bytes);
  if (index_.use_count() > 1) index_ = std::make_shared<LogIndex>(*index_);
  std::string piece(std::min<uint64_t>(uint64_t{1} << 20, now.bytes - index_->position()), '\0');
  const uint64_t end = index_->position() + std::min(most, now.bytes - index_->position());
  while (index_->position() < end) {
    StopIfCanceled();
    const size_t wanted = std::min<uint64_t>(piece.size(), end - index_->position());
    const size_t got = ReadFrom(descriptor, index_->position(), piece.data(), wanted);
    if (got == 0) break;  // it became shorter: the next look notices
    const std::string_view bytes = std::string_view(piece).substr(0, got);
    index_->Append(bytes);
    head_ += bytes.substr(0, kFingerprint - std::min(head_.size(), kFingerprint));
    last_ += bytes.substr(got - std::min(got, kFingerprint));
    if (last_.size() > kFingerprint) last_.erase(0, last_.size() - kFingerprint);
  }
  return StateNow(now.bytes);
}

Result<void> LogFile::Walk(const Snapshot& at, const std::string& path, const FileGate& gate,
                           uint64_t first, const std::function<bool(const RawLine&)>& use) {
  const LogIndex& index = *at.index;
  if (first >= index.lines()) return {};
  const Result<OpenedFile> opened = gate.Open(path);
  if (!opened) return tl::unexpected(opened.error());
  const int descriptor = opened->descriptor.get();
  uint64_t number = std::min(first, index.finished());
  uint64_t offset = index.line_begin();
  if (number < index.finished()) {
    const uint64_t block = number / index.stride();
    number = block * index.stride();
    offset = index.blocks()[block].offset;
  }
  CancelCheck check;
  std::string buffer;
  std::string tail;
  while (offset < index.position()) {
    StopIfCanceled();
    uint64_t long_bytes = 0;
    if (const LogIndex::LongLine* const known = index.LongLineAt(number)) long_bytes = known->bytes;
    if (number == index.finished()) long_bytes = index.position() - offset;
    if (long_bytes > LogIndex::kLongLine) {
      if (number >= first) {
        buffer = BytesAt(descriptor, offset, kEnd);
        tail = BytesAt(descriptor, offset + long_bytes - kEnd, kEnd);
        if (!use({number, buffer, tail, long_bytes})) return {};
      }
      offset += long_bytes + 1;
      ++number;
      continue;
    }
    // A line that is not known as long fits; but more of them than are known may be there.
    size_t want = kPiece;
    size_t size = 0;
    size_t last_end = std::string::npos;
    while (true) {
      want = std::min<uint64_t>(want, index.position() - offset);
      buffer.resize(want);
      size = ReadFrom(descriptor, offset, buffer.data(), want);
      buffer.resize(size);
      last_end = buffer.rfind('\n');
      const bool at_end = size < want || offset + size >= index.position();
      if (last_end != std::string::npos || at_end || want >= 16 * LogIndex::kLongLine) break;
      want *= 4;
    }
    if (size == 0) return {};  // it became shorter
    const bool whole_rest = offset + size >= index.position();
    std::string_view rest(buffer);
    if (!whole_rest && last_end != std::string::npos) rest = rest.substr(0, last_end + 1);
    const size_t taken = rest.size();
    while (!rest.empty()) {
      check.Tick();
      const size_t end = std::min(rest.find('\n'), rest.size());
      // Those that are known as long have a way of their own.
      if (end > LogIndex::kLongLine && index.LongLineAt(number) != nullptr) break;
      if (number >= first && !use({number, rest.substr(0, end), {}, end})) return {};
      ++number;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    offset += taken - rest.size();
  }
  return {};
}

ShownLine LogFile::Show(const RawLine& raw, size_t width) {
  ShownLine line;
  line.number = raw.number;
  const LogLine parts = SplitLogTime(raw.head);
  line.time_ns = parts.time_ns;
  line.level = LevelOf(parts.text);
  std::string_view text = AfterReturns(parts.text);
  line.bytes = text.size();
  if (!raw.tail.empty()) {
    const std::string_view last = AfterReturns(raw.tail);
    const bool overwritten = last.size() < raw.tail.size() && !last.empty();
    text = overwritten ? last : parts.text;
    line.bytes = overwritten ? last.size() : raw.bytes - (raw.head.size() - parts.text.size());
  }
  line.text = text.substr(0, width);
  return line;
}

Result<std::vector<ShownLine>> LogFile::Lines(const FileGate& gate, uint64_t first, size_t count,
                                              size_t width, LogQuery* query) const {
  std::vector<ShownLine> lines;
  if (count == 0) return lines;
  const Result<void> walked = Walk(Now(), path_, gate, first, [&](const RawLine& raw) {
    ShownLine line = Show(raw, query == nullptr ? width : std::max(width, kEnd));
    if (query != nullptr) {
      line.matches = query->Matches(line.text);
      if (line.text.size() > width) line.text.resize(width);
    }
    lines.push_back(std::move(line));
    return lines.size() < count;
  });
  if (!walked) return tl::unexpected(walked.error());
  return lines;
}

Result<std::optional<uint64_t>> LogFile::LineAt(const FileGate& gate, int64_t time_ns) const {
  const Snapshot now = Now();
  const auto& blocks = now.index->blocks();
  const auto at = std::ranges::find_if(blocks, [&](const LogIndex::Block& block) {
    return block.has_time() && block.latest_ns >= time_ns;
  });
  std::optional<uint64_t> found;
  const uint64_t first = at == blocks.end()
                             ? now.index->finished()
                             : static_cast<uint64_t>(at - blocks.begin()) * now.index->stride();
  const Result<void> walked = Walk(now, path_, gate, first, [&](const RawLine& raw) {
    const LogLine line = SplitLogTime(raw.head.substr(0, kLogHeadBytes));
    if (line.time_ns && *line.time_ns >= time_ns) found = raw.number;
    return !found.has_value();
  });
  if (!walked) return tl::unexpected(walked.error());
  return found;
}

Result<LogMatches> LogFile::Find(const FileGate& gate, LogQuery query, uint64_t from, bool before) {
  const std::lock_guard searching(searching_);
  const Snapshot now = Now();
  std::erase_if(searches_,
                [&](const Search& search) { return search.generation != now.generation; });
  auto at = std::ranges::find(searches_, query.key(), &Search::key);
  Search search;
  if (at != searches_.end()) {
    search = std::move(*at);
    searches_.erase(at);
  } else {
    search.key = query.key();
    search.generation = now.generation;
  }
  if (!search.cut && !search.gave_up && search.searched < now.index->finished()) {
    const Result<void> walked = Walk(now, path_, gate, search.searched, [&](const RawLine& raw) {
      if (raw.number >= now.index->finished()) return false;
      const ShownLine line = Show(raw, kEnd);
      if (query.Matches(line.text)) search.matches.push_back(raw.number);
      search.searched = raw.number + 1;
      search.gave_up = query.gave_up();
      search.cut = search.matches.size() >= kMostMatches;
      return !search.gave_up && !search.cut;
    });
    if (!walked) return tl::unexpected(walked.error());
  }
  LogMatches found;
  found.total = search.matches.size();
  found.cut = search.cut;
  found.gave_up = search.gave_up;
  const std::vector<uint64_t>& matches = search.matches;
  if (!matches.empty()) {
    size_t place = 0;
    if (before) {
      const auto next = std::ranges::lower_bound(matches, from);
      place = next == matches.begin() ? matches.size() - 1
                                      : static_cast<size_t>(next - matches.begin()) - 1;
    } else {
      const auto next = std::ranges::lower_bound(matches, from);
      place = next == matches.end() ? 0 : static_cast<size_t>(next - matches.begin());
    }
    found.line = matches[place];
    found.place = place;
  }
  searches_.push_front(std::move(search));
  if (searches_.size() > kMostSearches) searches_.pop_back();
  return found;
}

Result<LogDensity> LogFile::Density(const FileGate& gate, int64_t from_ns, int64_t to_ns,
                                    size_t width) const {
  LogDensity out;
  out.lines.resize(width);
  out.warnings.resize(width);
  out.errors.resize(width);
  if (width == 0 || to_ns <= from_ns) return out;
  const Snapshot now = Now();
  const LogIndex& index = *now.index;
  const double span = static_cast<double>(to_ns - from_ns);
  const auto place = [&](int64_t time) {
    return static_cast<double>(time - from_ns) / span * static_cast<double>(width);
  };
  uint64_t lines = 0;
  size_t first = index.blocks().size();
  size_t last = 0;
  for (size_t i = 0; i < index.blocks().size(); ++i) {
    const LogIndex::Block& block = index.blocks()[i];
    if (!block.has_time() || block.latest_ns < from_ns || block.earliest_ns >= to_ns) continue;
    lines += index.LinesOf(i);
    first = std::min(first, i);
    last = i;
  }
  const bool none = first == index.blocks().size();
  // The line without an end may be of the range, too.
  const bool reaches_end = none || last + 1 == index.blocks().size();
  out.exact = lines <= kMostExact;
  if (out.exact) {
    const uint64_t begin = none ? index.finished() : first * index.stride();
    const uint64_t end = reaches_end ? index.lines() : (last + 1) * index.stride();
    const Result<void> walked = Walk(now, path_, gate, begin, [&](const RawLine& raw) {
      const LogLine line = SplitLogTime(raw.head.substr(0, kLogHeadBytes));
      if (line.time_ns && *line.time_ns >= from_ns && *line.time_ns < to_ns) {
        const auto at = std::min(width - 1, static_cast<size_t>(place(*line.time_ns)));
        const LogLevel level = LevelOf(line.text);
        ++out.lines[at];
        if (level == LogLevel::kWarning) ++out.warnings[at];
        if (level == LogLevel::kError) ++out.errors[at];
      }
      return raw.number + 1 < end;
    });
    if (!walked) return tl::unexpected(walked.error());
    return out;
  }
  for (size_t i = first; i <= last; ++i) {
    const LogIndex::Block& block = index.blocks()[i];
    if (!block.has_time() || block.latest_ns < from_ns || block.earliest_ns >= to_ns) continue;
    const double begin = place(block.earliest_ns);
    const double length = std::max(1e-9, place(block.latest_ns) - begin);
    // Where in the block a place of the range is.
    const auto share_at = [&](double at) { return std::clamp((at - begin) / length, 0.0, 1.0); };
    const auto low = static_cast<size_t>(std::max(0.0, begin));
    const auto high =
        static_cast<size_t>(std::clamp(begin + length, 0.0, static_cast<double>(width) - 1));
    const auto spread = [&](uint64_t total, std::vector<uint32_t>& to) {
      Sharing shared(total);
      static_cast<void>(shared.Until(share_at(0)));  // what lies before the range
      for (size_t at = low; at <= high; ++at) {
        to[at] += shared.Until(share_at(static_cast<double>(at) + 1));
      }
    };
    spread(index.LinesOf(i), out.lines);
    spread(block.warnings, out.warnings);
    spread(block.errors, out.errors);
  }
  return out;
}

size_t LogFile::memory_bytes() const {
  const std::lock_guard lock(mutex_);
  return index_->memory_bytes();
}

}  // namespace telltale
