// SPDX-License-Identifier: Apache-2.0
#include "analysis/distributed/alignment.h"

#include <algorithm>
#include <cstdlib>

#include "analysis/core/sums.h"

namespace telltale {

namespace {

// What one matched collective says about a file's offset to the common clock.
struct Evidence {
  uint32_t match;
  int64_t offset_ns;  // would make the ends agree
  int64_t least_ns;   // else it would end here before it began on the reference
  int64_t most_ns;    // else it would end on the reference before it began here
  int64_t error_ns;   // of the reference's own place on the common clock
};

int64_t Sum(int64_t a, int64_t b) {
  AddTo(a, b);
  return a;
}

int64_t Magnitude(int64_t value) { return value == INT64_MIN ? INT64_MAX : std::abs(value); }

// The middle one; of two, the one nearer to 0, so that clocks that agree stay as they are.
int64_t Median(std::vector<int64_t>& values) {
  std::sort(values.begin(), values.end());
  const int64_t upper = values[values.size() / 2];
  if (values.size() % 2 == 1) return upper;
  const int64_t lower = values[values.size() / 2 - 1];
  return Magnitude(lower) <= Magnitude(upper) ? lower : upper;
}

// Both ends of what is possible if all of the evidence holds.
Interval PossibleOffsets(std::span<const Evidence> evidence) {
  Interval possible = {INT64_MIN, INT64_MAX};
  for (const Evidence& e : evidence) {
    possible.start_ns = std::max(possible.start_ns, e.least_ns);
    possible.end_ns = std::min(possible.end_ns, e.most_ns);
  }
  return possible;
}

int64_t MedianOffset(std::span<const Evidence> evidence) {
  std::vector<int64_t> values;
  values.reserve(evidence.size());
  for (const Evidence& e : evidence) values.push_back(e.offset_ns);
  return Median(values);
}

// Not none. Evidence that cannot hold goes into `contradicted`.
FileAlignment Settle(std::vector<Evidence>& evidence, std::vector<uint32_t>& contradicted) {
  FileAlignment alignment;
  alignment.source = AlignmentSource::kCollectives;
  alignment.offset_ns = MedianOffset(evidence);
  Interval possible = PossibleOffsets(evidence);
  if (possible.start_ns > possible.end_ns) {
    // The collectives contradict each other: those that the median contradicts are no matches. The
    // one whose offset the median is always holds.
    const auto wrong = std::stable_partition(evidence.begin(), evidence.end(),
                                             [offset = alignment.offset_ns](const Evidence& e) {
                                               return e.least_ns <= offset && offset <= e.most_ns;
                                             });
    for (auto at = wrong; at != evidence.end(); ++at) contradicted.push_back(at->match);
    alignment.contradicted = static_cast<uint64_t>(evidence.end() - wrong);
    evidence.erase(wrong, evidence.end());
    alignment.offset_ns = MedianOffset(evidence);
    possible = PossibleOffsets(evidence);
  }
  alignment.offset_ns = std::clamp(alignment.offset_ns, possible.start_ns, possible.end_ns);
  alignment.collectives = evidence.size();
  std::vector<int64_t> distances;
  int64_t reference_error = 0;
  for (const Evidence& e : evidence) {
    distances.push_back(Magnitude(Difference(e.offset_ns, alignment.offset_ns)));
    reference_error = std::max(reference_error, e.error_ns);
  }
  std::sort(distances.begin(), distances.end());
  alignment.error_ns = Sum(distances[(distances.size() * 9 + 9) / 10 - 1], reference_error);
  return alignment;
}

class Aligner {
 public:
  Aligner(std::span<const TraceContext> contexts,
          std::span<const std::vector<CollectiveCall>> calls, const CollectiveMatches& matches)
      : contexts_(contexts), calls_(calls), matches_(matches), evidence_(contexts.size()) {
    alignment_.files.resize(contexts.size());
    matches_of_.resize(contexts.size());
    used_.resize(matches.size());
    for (uint32_t match = 0; match < matches.size(); ++match) {
      const CollectiveMember first = matches.Of(match).front();
      if (!Synchronises(calls[first.file][first.call].kind)) continue;
      for (const CollectiveMember& member : matches.Of(match)) {
        if (calls[member.file][member.call].time) matches_of_[member.file].push_back(match);
      }
    }
  }

  // File by file, from the first one on to those that share a collective with it, and on to those
  // that share one with these. Each collective is used once, when its first member is placed.
  Alignment Run() {
    if (contexts_.empty()) return {};
    std::vector<uint32_t> placed;
    const int64_t rank = RankOf(contexts_[0].trace);
    for (uint32_t file = 0; file < contexts_.size(); ++file) {
      if (file > 0 && (rank == kNoInt || RankOf(contexts_[file].trace) != rank)) continue;
      alignment_.files[file].source = AlignmentSource::kReference;
      alignment_.files[file].error_ns = 0;
      placed.push_back(file);
    }
    while (!placed.empty()) {
      for (const uint32_t file : placed) {
        for (const uint32_t match : matches_of_[file]) {
          if (!used_[match]) Use(match, file);
          used_[match] = true;
        }
      }
      placed.clear();
      for (uint32_t file = 0; file < contexts_.size(); ++file) {
        if (evidence_[file].empty()) continue;
        alignment_.files[file] = Settle(evidence_[file], alignment_.contradicted);
        evidence_[file].clear();
        placed.push_back(file);
      }
    }
    std::vector<uint32_t>& contradicted = alignment_.contradicted;
    std::sort(contradicted.begin(), contradicted.end());
    contradicted.erase(std::unique(contradicted.begin(), contradicted.end()), contradicted.end());
    return std::move(alignment_);
  }

 private:
  void Use(uint32_t match, uint32_t reference) {
    Interval there;
    for (const CollectiveMember& member : matches_.Of(match)) {
      if (member.file == reference) there = Time(member);
    }
    const FileAlignment& at = alignment_.files[reference];
    for (const CollectiveMember& member : matches_.Of(match)) {
      const AlignmentSource source = alignment_.files[member.file].source;
      if (source != AlignmentSource::kWallClock || !calls_[member.file][member.call].time) continue;
      const Interval here = Time(member);
      const auto onto = [&](int64_t theirs, int64_t ours) {
        return Sum(Difference(theirs, ours), at.offset_ns);
      };
      evidence_[member.file].push_back({match, onto(there.end_ns, here.end_ns),
                                        onto(there.start_ns, here.end_ns),
                                        onto(there.end_ns, here.start_ns), *at.error_ns});
    }
  }

  // By the file's own clock.
  [[nodiscard]] Interval Time(const CollectiveMember& member) const {
    const int64_t base = contexts_[member.file].trace.base_time_ns;
    const Interval& time = *calls_[member.file][member.call].time;
    return {Sum(time.start_ns, base), Sum(time.end_ns, base)};
  }

  std::span<const TraceContext> contexts_;
  std::span<const std::vector<CollectiveCall>> calls_;
  const CollectiveMatches& matches_;
  Alignment alignment_;
  std::vector<std::vector<uint32_t>> matches_of_;  // by file: those that can tell its offset
  std::vector<bool> used_;
  std::vector<std::vector<Evidence>> evidence_;
};

}  // namespace

std::string_view NameOf(AlignmentSource source) {
  switch (source) {
    case AlignmentSource::kReference:
      return "reference";
    case AlignmentSource::kCollectives:
      return "collectives";
    case AlignmentSource::kWallClock:
      break;
  }
  return "wall_clock";
}

Alignment AlignRanks(std::span<const TraceContext> contexts) {
  std::vector<std::vector<CollectiveCall>> calls;
  calls.reserve(contexts.size());
  for (const TraceContext& context : contexts) calls.push_back(FindCollectives(context));
  return AlignRanks(contexts, calls, MatchCollectives(contexts, calls));
}

Alignment AlignRanks(std::span<const TraceContext> contexts,
                     std::span<const std::vector<CollectiveCall>> calls,
                     const CollectiveMatches& matches) {
  return Aligner(contexts, calls, matches).Run();
}

}  // namespace telltale
