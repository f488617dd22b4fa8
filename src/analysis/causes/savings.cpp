// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/savings.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "analysis/core/sums.h"

namespace telltale {

namespace {

// What the rank does alone and costs so much of its being late is the reason for it.
constexpr double kExplainsLateRank = 0.5;
// One cause is as good as another if it saves this share of what the other one does …
constexpr double kAsMuch = 2.0 / 3;
// … and the better reason, if its longest piece is so many times as long.
constexpr int64_t kFarLonger = 5;
// A graph that does not give its own regions back predicts nothing.
constexpr double kReplayError = 0.02;

void SortBySaving(std::vector<Candidate>& candidates) {
  std::ranges::stable_sort(
      candidates, [](const Candidate& a, const Candidate& b) { return a.saving_ns > b.saving_ns; });
}

}  // namespace

void FindSavings(CandidateReplay& replay, std::span<const int64_t> measured,
                 std::vector<Candidate>& candidates) {
  const auto cases = static_cast<uint32_t>(candidates.size()) + 1;
  std::vector<std::vector<uint32_t>> cases_of;
  for (uint32_t i = 1; i < cases; ++i) cases_of.push_back({i});
  const std::vector<std::vector<int64_t>> durations = replay.Durations(candidates, cases_of, cases);
  for (size_t r = 0; r < durations.size(); ++r) {
    const int64_t error = durations[r][0] - measured[r];
    const bool known =
        static_cast<double>(std::abs(error)) <= kReplayError * static_cast<double>(measured[r]);
    for (size_t i = 0; i < candidates.size(); ++i) {
      const int64_t saved = known ? std::max<int64_t>(0, durations[r][0] - durations[r][i + 1]) : 0;
      candidates[i].savings_ns.push_back(saved);
      AddTo(candidates[i].saving_ns, saved);
    }
  }
  SortBySaving(candidates);
}

void SettleSubstitutes(CandidateReplay& replay, std::vector<Candidate>& candidates) {
  const auto longest = [](const Candidate& candidate) {
    return candidate.longest.to_ns - candidate.longest.from_ns;
  };
  std::vector<std::pair<size_t, size_t>> pairs;  // (the substitute, for what)
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (candidates[i].saving_ns <= 0 || candidates[i].potential_ns <= 0) continue;
    const Candidate* better = nullptr;
    for (const Candidate& other : candidates) {
      const bool saves_as_much = static_cast<double>(other.saving_ns) >=
                                 kAsMuch * static_cast<double>(candidates[i].saving_ns);
      if (other.potential_ns <= 0 || !saves_as_much ||
          longest(other) < kFarLonger * longest(candidates[i])) {
        continue;
      }
      if (better == nullptr || longest(other) > longest(*better)) better = &other;
    }
    if (better != nullptr) pairs.emplace_back(i, static_cast<size_t>(better - candidates.data()));
  }
  if (pairs.empty()) return;
  // Two cases a pair: without the one, and without both.
  std::vector<std::vector<uint32_t>> cases_of(candidates.size());
  for (uint32_t p = 0; p < pairs.size(); ++p) {
    const uint32_t without = 2 * p + 1;
    cases_of[pairs[p].second].insert(cases_of[pairs[p].second].end(), {without, without + 1});
    cases_of[pairs[p].first].push_back(without + 1);
  }
  const auto durations =
      replay.Durations(candidates, cases_of, static_cast<uint32_t>(2 * pairs.size()) + 1);
  for (uint32_t p = 0; p < pairs.size(); ++p) {
    Candidate& substitute = candidates[pairs[p].first];
    substitute.saving_ns = 0;
    for (size_t r = 0; r < durations.size(); ++r) {
      int64_t& saved = substitute.savings_ns[r];
      saved = std::clamp<int64_t>(durations[r][2 * p + 1] - durations[r][2 * p + 2], 0, saved);
      AddTo(substitute.saving_ns, saved);
    }
  }
  SortBySaving(candidates);
}

void SettleLateRank(std::vector<Candidate>& candidates, uint32_t file) {
  const auto late = std::ranges::find(candidates, CauseKind::kLateRank, &Candidate::kind);
  if (late == candidates.end()) return;
  int64_t explained_ns = 0;
  for (const Candidate& candidate : candidates) {
    const auto of_file = candidate.potential_of_file.find(file);
    if (candidate.kind == CauseKind::kLateRank || of_file == candidate.potential_of_file.end())
      continue;
    if (of_file->second > candidate.potential_ns / 2) AddTo(explained_ns, candidate.saving_ns);
  }
  const bool explained =
      static_cast<double>(explained_ns) >= kExplainsLateRank * static_cast<double>(late->saving_ns);
  if (explained) candidates.erase(late);
}

}  // namespace telltale
