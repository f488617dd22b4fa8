// SPDX-License-Identifier: Apache-2.0
#include "analysis/distributed/match_collectives.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace telltale {

namespace {

constexpr int64_t kBeforeSteps = INT64_MIN;
constexpr int64_t kAfterSteps = INT64_MAX;

// How steps of different files are known to be the same one.
enum class StepNames : uint8_t { kNone, kNumber, kPosition };

StepNames HowStepsAreNamed(std::span<const TraceContext> contexts) {
  StepNames names = StepNames::kNumber;
  for (const TraceContext& context : contexts) {
    if (context.steps.source == StepSource::kWholeTrace) return StepNames::kNone;
    if (context.steps.source == StepSource::kAnnotation) names = StepNames::kPosition;
  }
  return names;
}

int64_t NumberOf(const Trace& trace, const Step& step) {
  const std::string_view digits = ProfilerStepNumber(trace.NameOfSpan(step.span));
  int64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

int64_t StepOf(const TraceContext& context, StepNames names, int64_t issued_ns) {
  const std::vector<Step>& rows = context.steps.rows;
  if (names == StepNames::kNone) return 0;
  const auto after =
      std::upper_bound(rows.begin(), rows.end(), issued_ns,
                       [](int64_t time, const Step& step) { return time < step.host.start_ns; });
  if (after == rows.begin()) return kBeforeSteps;
  const auto at = after - 1;
  if (after == rows.end() && issued_ns >= at->host.end_ns) return kAfterSteps;
  return names == StepNames::kNumber ? NumberOf(context.trace, *at) : at - rows.begin();
}

bool CanMatch(const CollectiveCall& call) {
  return call.kind != CollectiveKind::kSend && call.kind != CollectiveKind::kReceive &&
         call.kind != CollectiveKind::kSendReceive;
}

struct Entry {
  // What must agree.
  uint32_t capture = 0;  // 0 for the first file of a rank, 1 for its second …
  uint32_t group = 0;
  CollectiveKind kind = CollectiveKind::kOther;
  uint32_t name = 0;  // of unknown kinds
  bool has_sequence = false;
  int64_t sequence = 0;
  int64_t step = 0;
  int64_t elements = 0;
  // Whose call it is.
  uint32_t file = 0;
  uint32_t call = 0;
  uint32_t occurrence = 0;  // within what must agree and the file

  [[nodiscard]] auto Key() const {
    return std::tie(capture, group, kind, name, has_sequence, sequence, step, elements);
  }
};

class Matcher {
 public:
  Matcher(std::span<const TraceContext> contexts,
          std::span<const std::vector<CollectiveCall>> calls)
      : contexts_(contexts), calls_(calls), steps_(HowStepsAreNamed(contexts)) {}

  CollectiveMatches Match() {
    NumberCaptures();
    for (uint32_t file = 0; file < calls_.size(); ++file) {
      for (uint32_t call = 0; call < calls_[file].size(); ++call) Add(file, call);
    }
    // Files and calls are in order already.
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.Key() < b.Key(); });
    NumberOccurrences();
    std::stable_sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::tuple(a.Key(), a.occurrence) < std::tuple(b.Key(), b.occurrence);
    });
    return Collect();
  }

 private:
  void NumberCaptures() {
    std::map<int64_t, uint32_t> seen;
    for (const TraceContext& context : contexts_) {
      const int64_t rank = RankOf(context.trace);
      captures_.push_back(rank == kNoInt ? 0 : seen[rank]++);
    }
  }

  void Add(uint32_t file, uint32_t number) {
    const CollectiveCall& call = calls_[file][number];
    if (!CanMatch(call)) return;
    Entry entry;
    entry.capture = captures_[file];
    entry.group = Number(groups_, std::pair(call.group_name, call.group_ranks));
    if (entry.group == group_files_.size()) group_files_.push_back({file, false});
    if (group_files_[entry.group].first != file) group_files_[entry.group].second = true;
    entry.kind = call.kind;
    if (call.kind == CollectiveKind::kOther)
      entry.name = Number(names_, std::pair(call.name, std::string_view()));
    entry.has_sequence = call.sequence != kNoInt;
    if (entry.has_sequence) {
      entry.sequence = call.sequence;
    } else {
      entry.step = StepOf(contexts_[file], steps_, call.issued_ns);
      entry.elements = HasEqualSizes(call.kind) ? call.in_elements : 0;
    }
    entry.file = file;
    entry.call = number;
    entries_.push_back(entry);
  }

  using TextNumbers = std::map<std::pair<std::string_view, std::string_view>, uint32_t>;

  static uint32_t Number(TextNumbers& numbers,
                         const std::pair<std::string_view, std::string_view>& text) {
    return numbers.try_emplace(text, static_cast<uint32_t>(numbers.size())).first->second;
  }

  void NumberOccurrences() {
    for (size_t i = 0; i < entries_.size();) {
      size_t end = i;
      while (end < entries_.size() && entries_[end].file == entries_[i].file &&
             entries_[end].Key() == entries_[i].Key()) {
        ++end;
      }
      const bool from_the_end = !entries_[i].has_sequence && entries_[i].step == kBeforeSteps;
      for (size_t k = i; k < end; ++k)
        entries_[k].occurrence = static_cast<uint32_t>(from_the_end ? end - 1 - k : k - i);
      i = end;
    }
  }

  CollectiveMatches Collect() {
    CollectiveMatches matches;
    matches.unmatched.resize(calls_.size());
    matches.alone.resize(calls_.size());
    std::vector<std::pair<size_t, size_t>> found;  // ranges of entries_
    for (size_t i = 0; i < entries_.size();) {
      size_t end = i + 1;
      while (end < entries_.size() && entries_[end].Key() == entries_[i].Key() &&
             entries_[end].occurrence == entries_[i].occurrence) {
        ++end;
      }
      if (end - i > 1) {
        found.emplace_back(i, end);
      } else {
        const bool shared = group_files_[entries_[i].group].second;
        ++(shared ? matches.unmatched : matches.alone)[entries_[i].file];
      }
      i = end;
    }
    std::sort(found.begin(), found.end(), [this](const auto& a, const auto& b) {
      const Entry& first = entries_[a.first];
      const Entry& second = entries_[b.first];
      return std::tie(first.file, first.call) < std::tie(second.file, second.call);
    });
    matches.first.push_back(0);
    for (const auto& [begin, end] : found) {
      for (size_t i = begin; i < end; ++i)
        matches.members.push_back({entries_[i].file, entries_[i].call});
      matches.first.push_back(static_cast<uint32_t>(matches.members.size()));
    }
    return matches;
  }

  std::span<const TraceContext> contexts_;
  std::span<const std::vector<CollectiveCall>> calls_;
  StepNames steps_;
  std::vector<uint32_t> captures_;  // by file
  TextNumbers groups_;
  TextNumbers names_;
  std::vector<std::pair<uint32_t, bool>>
      group_files_;  // the first file, and whether there are more
  std::vector<Entry> entries_;
};

}  // namespace

int64_t RankOf(const Trace& trace) {
  return trace.distributed.rank != kNoInt ? trace.distributed.rank : trace.source.rank;
}

CollectiveMatches MatchCollectives(std::span<const TraceContext> contexts,
                                   std::span<const std::vector<CollectiveCall>> calls) {
  if (contexts.size() == 1) {
    const auto alone = std::count_if(calls[0].begin(), calls[0].end(), CanMatch);
    return {.members = {}, .first = {0}, .unmatched = {0}, .alone = {static_cast<uint64_t>(alone)}};
  }
  return Matcher(contexts, calls).Match();
}

}  // namespace telltale
