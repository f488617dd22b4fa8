// SPDX-License-Identifier: Apache-2.0
// Rules about all ranks together: missing_ranks, straggler, exposed_communication,
// unaligned_clocks.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "analysis/core/sums.h"
#include "health/evidence.h"
#include "health/facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kMostlyLast = 0.50;
constexpr double kExposedShare = 0.15;
constexpr size_t kNamedRanks = 8;

std::string NameOfRank(const DistributedReport& report, uint32_t file) {
  const auto row = std::ranges::find(report.ranks, file, &RankRow::file);
  return row != report.ranks.end() && row->rank ? fmt::format("rank {}", *row->rank)
                                                : fmt::format("file {}", file);
}

std::optional<Recommendation> FindMissingRanks(const Facts& facts) {
  const Facts::Shared<DistributedReport> report = facts.Distributed();
  const uint64_t count = report->missing_rank_count;
  if (count == 0) return std::nullopt;
  std::vector<int64_t> named = report->missing_ranks;
  if (named.size() > kNamedRanks) named.resize(kNamedRanks);
  Recommendation made =
      Make(AdviceSeverity::kLow,
           fmt::format("{} missing ({}{}): waiting for a missing rank counts as transfer.",
                       Counted(count, "rank is", "ranks are"), fmt::join(named, ", "),
                       count > named.size() ? ", …" : ""),
           "Put all traces of the run into one folder.");
  AddEvidence(made, "missing_ranks", count);
  return made;
}

std::optional<Recommendation> FindStraggler(const Facts& facts) {
  const Facts::Shared<DistributedReport> report = facts.Distributed();
  const Stragglers& stragglers = report->stragglers;
  if (stragglers.rows.empty()) return std::nullopt;
  const StragglerRow& late = stragglers.rows.front();
  const uint64_t collectives = stragglers.decided + stragglers.undecided;
  const double share = static_cast<double>(late.last) / static_cast<double>(collectives);
  if (share <= kMostlyLast) return std::nullopt;
  std::string finding = fmt::format(
      "{} comes last in {} of the collectives ({} of {}); the others wait {} for it in all",
      NameOfRank(*report, late.file), Share(share), late.last, collectives,
      Duration(late.waited_ns));
  finding[0] = static_cast<char>(finding[0] - 'a' + 'A');
  if (!late.meanwhile.empty()) {
    finding += fmt::format(", most of it spent in {}", ShortName(late.meanwhile.front().name));
  }
  Recommendation made = Make(AdviceSeverity::kMedium, finding + ".",
                             "Look at what it does meanwhile, its data and its host, before the "
                             "network.");
  AddEvidence(made, "file", uint64_t{late.file});
  AddEvidence(made, "last", late.last);
  AddEvidence(made, "collectives", collectives);
  AddEvidence(made, "last_share", share);
  AddEvidence(made, "others_waited_ns", late.waited_ns);
  return made;
}

std::optional<Recommendation> FindExposedCommunication(const Facts& facts) {
  const Facts::Shared<DistributedReport> report = facts.Distributed();
  int64_t exposed_ns = 0;
  int64_t step_ns = 0;
  for (const RankRow& rank : report->ranks) {
    AddTo(exposed_ns, rank.average.communication_ns);
    AddTo(step_ns, rank.average.duration_ns);
  }
  if (step_ns <= 0) return std::nullopt;
  const double share = static_cast<double>(exposed_ns) / static_cast<double>(step_ns);
  if (share <= kExposedShare) return std::nullopt;
  const auto ranks = static_cast<int64_t>(report->ranks.size());
  Recommendation made = Make(
      AdviceSeverity::kMedium,
      fmt::format("{} of the steps is exposed communication: {} of {} in the mean of all ranks.",
                  Share(share), Duration(exposed_ns / ranks), Duration(step_ns / ranks)),
      facts.Training()
          ? "Larger buckets (bucket_cap_mb), gradient_as_bucket_view=True, or accumulating "
            "gradients with no_sync() hide or save it."
          : "Fewer devices for one model, smaller types in what is sent, or collectives that "
            "overlap with the next layer hide or save it.");
  AddEvidence(made, "communication_ns", exposed_ns / ranks);
  AddEvidence(made, "step_ns", step_ns / ranks);
  AddEvidence(made, "communication_share", share);
  return made;
}

std::optional<Recommendation> FindUnalignedClocks(const Facts& facts) {
  const Facts::Shared<DistributedReport> report = facts.Distributed();
  const auto count =
      static_cast<uint64_t>(std::ranges::count_if(report->ranks, [](const RankRow& rank) {
        return rank.clock.source == AlignmentSource::kWallClock;
      }));
  if (count == 0) return std::nullopt;
  Recommendation made =
      Make(AdviceSeverity::kLow,
           fmt::format("{} no collective with the first: their clocks are not aligned.",
                       Counted(count, "rank shares", "ranks share")),
           "Compare times across these ranks only as far as their machines' clocks agree; capture "
           "the same steps on all ranks to align them.");
  AddEvidence(made, "unaligned_ranks", count);
  return made;
}

}  // namespace

Rule MissingRanks() {
  return {.id = "missing_ranks",
          .title = "missing ranks",
          .needs = "the world size (distributedInfo)",
          .threshold = "a rank of the world is not among the files",
          .reason = "whatever is said about ranks may be the missing one's doing",
          .views = {"distributed"},
          .of_subject = FindMissingRanks};
}

Rule Straggler() {
  return {.id = "straggler",
          .title = "straggler",
          .needs = "matched collectives of several ranks",
          .threshold = "one rank comes last in > 50 % of the collectives",
          .reason = "by chance each rank is last equally often",
          .views = {"distributed"},
          .of_subject = FindStraggler};
}

Rule ExposedCommunication() {
  return {.id = "exposed_communication",
          .title = "exposed communication",
          .needs = "steps and collectives",
          .threshold = "exposed communication > 15 % of the mean step of all ranks",
          .reason =
              "some of the last bucket is always exposed; communication speaks instead where one "
              "rank shows more than 10 %",
          .views = {"distributed"},
          .of_subject = FindExposedCommunication,
          .unless = "communication"};
}

Rule UnalignedClocks() {
  return {.id = "unaligned_clocks",
          .title = "clocks not aligned",
          .needs = "several ranks",
          .threshold = "a rank has no collective in common with the first",
          .reason = "clocks are aligned by the collectives' ends; without one nothing is known",
          .views = {"distributed"},
          .of_subject = FindUnalignedClocks};
}

}  // namespace telltale::health
