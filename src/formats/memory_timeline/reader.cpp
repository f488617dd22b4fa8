// SPDX-License-Identifier: Apache-2.0
#include "formats/memory_timeline/reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/json_walk.h"
#include "formats/memory_meter.h"

namespace telltale {

namespace {

using Token = JsonStream::Token;

// torch's order of categories.
constexpr std::array<std::string_view, 8> kCategories = {
    "parameter",  "optimizer_state", "input",           "temporary",
    "activation", "gradient",        "autograd_detail", "unknown"};

// What the lists at the beginning of the text look like.
enum class Shape : uint8_t { kNeither, kRaw, kSums };

Shape ShapeOf(std::string_view head) {
  size_t at = 0;
  const auto skip_space = [&] {
    while (at < head.size() && std::string_view(" \t\r\n").find(head[at]) != std::string_view::npos)
      ++at;
  };
  const auto take = [&](char c) {
    skip_space();
    if (at >= head.size() || head[at] != c) return false;
    ++at;
    return true;
  };
  for (int depth = 0; depth < 2; ++depth) {
    if (!take('[')) return Shape::kNeither;
  }
  size_t numbers = 0;
  for (;;) {
    skip_space();
    const size_t first = at;
    if (at < head.size() && head[at] == '-') ++at;
    while (at < head.size() && head[at] >= '0' && head[at] <= '9') ++at;
    if (at == head.size()) return numbers > 4 ? Shape::kSums : Shape::kNeither;  // cut
    if (at == first || (head[first] == '-' && at == first + 1)) return Shape::kNeither;
    ++numbers;
    if (take(',')) continue;
    if (!take(']')) return Shape::kNeither;
    break;
  }
  // The first list is over: an event, or all times?
  if (take(',') && take('[') && take('[')) return Shape::kSums;
  return numbers == 4 ? Shape::kRaw : Shape::kNeither;
}

class TimelineReader {
 public:
  TimelineReader(ByteSource& source, const ReadOptions& options)
      : source_(source), walk_(source, options), held_(options.memory, [this] {
          return profile_.memory_bytes() + times_.capacity() * sizeof(int64_t);
        }) {
    profile_.devices.emplace_back();
    for (const std::string_view name : kCategories) profile_.categories.emplace_back(name);
  }

  Result<MemoryProfile> ReadRaw() {
    const bool whole = walk_.Next() == Token::kBeginArray &&
                       walk_.Array([&](Token token) { return RawEvent(token); });
    // What was there before is known from the first event on.
    const auto first =
        std::find_if(profile_.actions.time_ns.begin(), profile_.actions.time_ns.end(),
                     [](int64_t time) { return time != kNoInt; });
    const int64_t start_ns = first == profile_.actions.time_ns.end() ? 0 : *first;
    for (int64_t& time : profile_.actions.time_ns) {
      if (time == kNoInt) time = start_ns;
    }
    return Finish(whole);
  }

  Result<MemoryProfile> ReadSums() {
    const bool whole =
        walk_.Next() == Token::kBeginArray && walk_.Array([&](Token token) { return Part(token); });
    if (times_.size() > rows_) {
      profile_.diagnostics.AddWithDetail(DiagnosticKind::kMalformedRecord, std::nullopt,
                                         "there are " + std::to_string(times_.size()) +
                                             " times but " + std::to_string(rows_) +
                                             " sizes; those without a partner were left out");
    }
    return Finish(whole);
  }

 private:
  // [time in ns, action, bytes, category]; other elements are counted and passed over.
  bool RawEvent(Token token) {
    const uint64_t offset = walk_.json().offset();
    std::array<int64_t, 4> numbers = {};
    size_t count = 0;
    bool good = true;
    bool numeric = token == Token::kBeginArray;
    if (!numeric) {
      good = walk_.json().Skip(token);
    } else {
      const bool ended = walk_.Array([&](Token element) {
        const std::optional<int64_t> number = walk_.Integer(element, good);
        numeric &= number.has_value();
        if (number && count < numbers.size()) numbers[count] = *number;
        ++count;
        return good;
      });
      if (!ended) return false;
    }
    if (!numeric || count != numbers.size() || numbers[3] < 0) {
      profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
      return good;
    }
    Add(numbers[0] < 0 ? kNoInt : numbers[0], numbers[2], static_cast<size_t>(numbers[3]));
    return good;
  }

  bool Part(Token token) {
    ++parts_;
    if (token != Token::kBeginArray || parts_ > 2) return walk_.json().Skip(token);
    return walk_.Array([&](Token element) { return parts_ == 1 ? Time(element) : Sizes(element); });
  }

  // Microseconds.
  bool Time(Token token) {
    bool good = true;
    const std::optional<int64_t> time_ns = walk_.Integer(token, good, 3);
    if (!time_ns) profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, walk_.json().offset());
    times_.push_back(time_ns.value_or(times_.empty() ? 0 : times_.back()));
    return good;
  }

  // One sum per category behind a 0; what changed since the row before is kept.
  bool Sizes(Token token) {
    if (token != Token::kBeginArray || rows_ >= times_.size()) {
      profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, walk_.json().offset());
      return walk_.json().Skip(token);
    }
    const int64_t time_ns = times_[rows_++];
    size_t place = 0;
    bool good = true;
    return walk_.Array([&](Token element) {
      const std::optional<int64_t> bytes = walk_.Integer(element, good);
      if (!bytes) {
        profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, walk_.json().offset());
      } else if (place > 0) {
        const size_t category = std::min(place - 1, kCategories.size() - 1);
        int64_t change = 0;
        if (__builtin_sub_overflow(*bytes, last_[category], &change)) {
          profile_.diagnostics.Add(DiagnosticKind::kNumberOutOfRange, walk_.json().offset());
        } else if (change != 0) {
          Add(time_ns, change, category);
          last_[category] = *bytes;
        }
      }
      ++place;
      return good;
    });
  }

  void Add(int64_t time_ns, int64_t bytes, size_t category) {
    MemoryActionTable& actions = profile_.actions;
    actions.time_ns.push_back(time_ns);
    actions.device.push_back(0);
    actions.action.push_back(MemoryAction::kChange);
    actions.bytes.push_back(bytes);
    actions.address.push_back(kNoUint);
    // A category that torch has not given yet is unknown to us, too.
    actions.category.push_back(static_cast<uint8_t>(std::min(category, kCategories.size() - 1)));
    actions.frame.push_back(kNoString);
  }

  Result<MemoryProfile> Finish(bool whole) {
    JsonStream& json = walk_.json();
    if (json.input().error()) return tl::unexpected<Error>(*json.input().error());
    if (profile_.actions.size() == 0) {
      const std::string problem = json.problem().empty() ? "it holds no events" : json.problem();
      return Fail(ErrorCode::kUnreadable, "expected a memory timeline of torch, but " + problem,
                  json.offset());
    }
    if (!whole) {
      profile_.diagnostics.AddWithDetail(
          json.truncated() ? DiagnosticKind::kTruncated : DiagnosticKind::kMalformedRecord,
          json.offset(),
          "the file is damaged (" + json.problem() + "); everything before that was read");
    }
    profile_.diagnostics.Merge(json.diagnostics());
    profile_.source.events = profile_.actions.size();
    DescribeInput(source_, json.input(), profile_.source, profile_.diagnostics);
    return std::move(profile_);
  }

  ByteSource& source_;
  JsonWalk walk_;
  MemoryProfile profile_;
  size_t parts_ = 0;
  std::vector<int64_t> times_;  // ns
  size_t rows_ = 0;
  std::array<int64_t, kCategories.size()> last_ = {};
  HeldMemory held_;
};

Result<MemoryProfile> ReadRaw(ByteSource& source, const ReadOptions& options) {
  return TimelineReader(source, options).ReadRaw();
}

Result<MemoryProfile> ReadSums(ByteSource& source, const ReadOptions& options) {
  return TimelineReader(source, options).ReadSums();
}

// Both forms, but for the name.
Format TimelineFormat() {
  return {.kind = ContentKind::kMemory,
          .shown = "torch's memory timeline (JSON)",
          .endings = {".json"}};
}

}  // namespace

Format MemoryTimelineRawFormat() {
  Format format = TimelineFormat();
  format.name = "memory_timeline_raw";
  format.matches = [](std::string_view head, std::string_view) {
    return ShapeOf(head) == Shape::kRaw;
  };
  format.read = ReadAs<&ReadRaw>;
  return format;
}

Format MemoryTimelineFormat() {
  Format format = TimelineFormat();
  format.name = "memory_timeline";
  format.matches = [](std::string_view head, std::string_view) {
    return ShapeOf(head) == Shape::kSums;
  };
  format.read = ReadAs<&ReadSums>;
  return format;
}

}  // namespace telltale
