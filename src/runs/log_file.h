// SPDX-License-Identifier: Apache-2.0
// A log on disk that may grow: which lines it has (log_index.h), parts of them, what is found in
// it, and how much was written when. Never read twice from the start unless it became another file.
// Any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/pattern.h"
#include "base/result.h"
#include "io/file_gate.h"
#include "runs/log_index.h"

namespace telltale {

// What is known of a log at a moment.
struct LogState {
  uint64_t bytes = 0;    // of the file
  uint64_t indexed = 0;  // of them, how many were looked at
  uint64_t lines = 0;
  bool open = false;        // the last line has no end yet
  uint64_t generation = 1;  // another one where the file was replaced or cut
  uint64_t timed_lines = 0;
  uint64_t warnings = 0;
  uint64_t errors = 0;
  std::optional<int64_t> first_time_ns, last_time_ns;
};

struct ShownLine {
  uint64_t number = 0;  // from 0
  std::optional<int64_t> time_ns;
  LogLevel level = LogLevel::kPlain;
  std::string text;    // as far as it was asked for; bytes as they are
  uint64_t bytes = 0;  // of the text as a whole
  bool matches = false;
};

// What to look for in a line, without escape sequences.
class LogQuery {
 public:
  // `is_pattern`: RE2's syntax; else the text as it is. Without capital letters, case is ignored.
  [[nodiscard]] static Result<LogQuery> Make(std::string_view text, bool is_pattern);
  [[nodiscard]] bool Matches(std::string_view line);
  [[nodiscard]] bool gave_up() const { return pattern_.gave_up(); }
  [[nodiscard]] const std::string& key() const { return key_; }

 private:
  LogQuery(Pattern pattern, std::string key) : pattern_(std::move(pattern)), key_(std::move(key)) {}
  Pattern pattern_;
  std::string key_;
};

struct LogMatches {
  uint64_t total = 0;             // lines that match
  bool cut = false;               // there are more, which were not looked for
  bool gave_up = false;           // the pattern is too much work
  std::optional<uint64_t> line;   // the one asked for
  std::optional<uint64_t> place;  // of it among all, from 0
};

// Lines by time, in equal parts of a range.
struct LogDensity {
  std::vector<uint32_t> lines, warnings, errors;
  bool exact = true;  // else blocks of lines were spread over their time
};

class LogFile {
 public:
  static constexpr size_t kMostMatches = 1'000'000;

  explicit LogFile(std::string path) : path_(std::move(path)) {}
  [[nodiscard]] const std::string& path() const { return path_; }

  // Looks at what was appended, at most `most` bytes of it.
  [[nodiscard]] Result<LogState> Update(const FileGate& gate,
                                        uint64_t most = std::numeric_limits<uint64_t>::max());

  // Of each line at most `width` bytes. `query`: marks those that match.
  [[nodiscard]] Result<std::vector<ShownLine>> Lines(const FileGate& gate, uint64_t first,
                                                     size_t count, size_t width,
                                                     LogQuery* query = nullptr) const;

  // The first line at that moment or later; none: there is none.
  [[nodiscard]] Result<std::optional<uint64_t>> LineAt(const FileGate& gate, int64_t time_ns) const;

  // The nearest matching line at `from` or behind it (`before`: ahead of it), going round.
  [[nodiscard]] Result<LogMatches> Find(const FileGate& gate, LogQuery query, uint64_t from,
                                        bool before);

  [[nodiscard]] Result<LogDensity> Density(const FileGate& gate, int64_t from_ns, int64_t to_ns,
                                           size_t width) const;

  [[nodiscard]] size_t memory_bytes() const;

 private:
  // A line as it lies there; of a very long one the beginning and the end.
  struct RawLine {
    uint64_t number = 0;
    std::string_view head;
    std::string_view tail;  // empty: head is all
    uint64_t bytes = 0;
  };
  struct Snapshot;
  // From `first` on, until `use` says false.
  [[nodiscard]] static Result<void> Walk(const Snapshot& at, const std::string& path,
                                         const FileGate& gate, uint64_t first,
                                         const std::function<bool(const RawLine&)>& use);
  [[nodiscard]] Snapshot Now() const;
  [[nodiscard]] static ShownLine Show(const RawLine& raw, size_t width);
  [[nodiscard]] LogState StateNow(uint64_t bytes) const;

  // What was found so far: new lines are looked at when somebody asks again.
  struct Search {
    std::string key;
    uint64_t generation = 0;
    uint64_t searched = 0;  // lines
    std::vector<uint64_t> matches;
    bool cut = false;
    bool gave_up = false;
  };

  const std::string path_;
  mutable std::mutex mutex_;  // of what follows
  std::shared_ptr<LogIndex> index_ = std::make_shared<LogIndex>();
  FileStamp stamp_;
  uint64_t generation_ = 1;
  std::string head_, last_;  // bytes at the beginning and before the position: it is the same file
  std::mutex searching_;     // before mutex_; one search at a time, of what follows
  std::deque<Search> searches_;
};

}  // namespace telltale
