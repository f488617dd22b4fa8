// SPDX-License-Identifier: Apache-2.0
#include "health/advise.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "health/evidence.h"
#include "health/rank_facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

Recommendation* FindMutable(std::vector<Recommendation>& recommendations, std::string_view rule) {
  for (Recommendation& r : recommendations) {
    if (r.rule == rule) return &r;
  }
  return nullptr;
}

// The weaker of two rules about one cause is lowered and says so.
void GiveWay(std::vector<Recommendation>& all, std::string_view weaker, std::string_view stronger,
             std::string_view sentence) {
  Recommendation* gives_way = FindMutable(all, weaker);
  if (gives_way == nullptr || Find(all, stronger) == nullptr) return;
  Lower(gives_way->severity);
  gives_way->text += " ";
  gives_way->text += sentence;
}

void SettleSharedCauses(std::vector<Recommendation>& all) {
  GiveWay(all, "communication", "nccl_backend", "Change the backend first: see nccl_backend.");
  GiveWay(all, "host_code", "launch_bound",
          "It is the code between the launches: what launch_bound advises helps here, too.");
  if (const Recommendation* waits = Find(all, "synchronization")) {
    constexpr double kMostly = 0.5;
    if (ShareEvidence(*waits, "from_copies_share") >= kMostly) {
      GiveWay(all, "host_device_copies", "synchronization",
              "Most of these copies are also the waits that synchronization reports.");
    }
  }
  GiveWay(all, "pageable_copies", "host_device_copies",
          "Copying less, as host_device_copies says, comes first.");
}

void Add(const Rule& rule, std::optional<Recommendation> found, std::vector<Recommendation>& all) {
  if (!found) return;
  found->rule = rule.id;
  found->title = rule.title;
  found->threshold = rule.threshold;
  found->views = rule.views;
  all.push_back(*std::move(found));
}

void SortBySeverity(std::vector<Recommendation>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Recommendation& a, const Recommendation& b) {
    return a.severity < b.severity;
  });
}

std::vector<Recommendation> AdviseRank(const TraceContext& trace, const ProfileReport& report) {
  RankFacts rank = MakeRankFacts(trace, report);
  std::vector<Recommendation> all;
  for (const Rule& rule : AllRules()) {
    if (rule.of_rank == nullptr) continue;
    rank.said = all;
    Add(rule, rule.of_rank(rank), all);
  }
  SettleSharedCauses(all);
  SortBySeverity(all);
  return all;
}

bool IsOf(std::span<const std::string_view> views, std::string_view view) {
  return view.empty() || std::ranges::find(views, view) != views.end();
}

}  // namespace

std::vector<Recommendation> AdviseRanks(std::span<const TraceContext> traces,
                                        std::span<const ProfileReport> reports) {
  std::vector<std::vector<Recommendation>> said(traces.size());
  const unsigned threads = traces.empty() ? 1 : ThreadCount(traces[0].options.threads);
  ForEachOnThreads(threads, traces.size(),
                   [&](size_t i) { said[i] = AdviseRank(traces[i], reports[i]); });
  std::vector<Recommendation> all;
  for (size_t file = 0; file < said.size(); ++file) {
    for (Recommendation& recommendation : said[file]) {
      recommendation.example_file = static_cast<uint32_t>(file);
      Recommendation* known = FindMutable(all, recommendation.rule);
      if (known == nullptr) {
        all.push_back(std::move(recommendation));
      } else if (recommendation.severity < known->severity) {
        *known = std::move(recommendation);
      }
    }
  }
  SortBySeverity(all);
  return all;
}

std::vector<Recommendation> AdviseView(const Facts& facts, std::span<const Recommendation> of_ranks,
                                       std::string_view view) {
  std::vector<Recommendation> all;
  for (const Recommendation& known : of_ranks) {
    if (IsOf(known.views, view)) all.push_back(known);
  }
  for (const Rule& rule : AllRules()) {
    if (rule.of_subject == nullptr || !IsOf(rule.views, view)) continue;
    if (!rule.unless.empty() && Find(of_ranks, rule.unless) != nullptr) continue;
    Add(rule, rule.of_subject(facts), all);
  }
  SortBySeverity(all);
  return all;
}

}  // namespace telltale::health
