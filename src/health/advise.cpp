// SPDX-License-Identifier: Apache-2.0
#include "health/advise.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "analysis/causes/phase.h"
#include "base/parallel.h"
#include "health/cause_words.h"
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

void Add(const Rule& rule, std::optional<Recommendation> found, std::vector<Recommendation>& all) {
  if (!found) return;
  found->rule = rule.id;
  found->title = rule.title;
  found->threshold = rule.threshold;
  found->views = rule.views;
  all.push_back(*std::move(found));
}

// The largest saving first; hints below, the most severe first.
void SortBySaving(std::vector<Recommendation>& all) {
  std::stable_sort(all.begin(), all.end(), [](const Recommendation& a, const Recommendation& b) {
    if (a.saving_ns.has_value() != b.saving_ns.has_value()) return a.saving_ns.has_value();
    if (a.saving_ns != b.saving_ns) return a.saving_ns > b.saving_ns;
    return a.severity < b.severity;
  });
}

AdviceSeverity SeverityOf(const Cause& cause, const CausesReport& report) {
  constexpr double kHigh = 0.20;
  constexpr double kMedium = 0.05;
  // What the recording costs, what nobody can mend, and what happens once, at the start.
  if (cause.kind == CauseKind::kProfiler || cause.kind == CauseKind::kUnexplained ||
      report.records_graph) {
    return AdviceSeverity::kLow;
  }
  if (!cause.saving_ns)
    return cause.share >= kHigh ? AdviceSeverity::kMedium : AdviceSeverity::kLow;
  return cause.share >= kHigh     ? AdviceSeverity::kHigh
         : cause.share >= kMedium ? AdviceSeverity::kMedium
                                  : AdviceSeverity::kLow;
}

// A phrase of ours begins with a capital; a name stays as it is.
std::string AtStart(const Cause& cause, std::string phrase) {
  static constexpr std::array kNamed = {CauseKind::kAllocation, CauseKind::kSynchronization,
                                        CauseKind::kRuntimeCall, CauseKind::kCopy,
                                        CauseKind::kCommunication};
  const bool named = std::ranges::find(kNamed, cause.kind) != kNamed.end() ||
                     (cause.kind == CauseKind::kHostCode && !phrase.starts_with("the host code "));
  if (!named && !phrase.empty()) phrase[0] = static_cast<char>(phrase[0] - 'a' + 'A');
  return phrase;
}

std::string FindingOf(const Cause& cause, const CausesReport& report,
                      std::span<const std::string> labels) {
  const std::string phrase = AtStart(cause, PhraseOf(cause, labels));
  std::string detail = DetailOf(cause, report);
  if (!detail.empty()) detail = " (" + detail + ")";
  const std::string region = report.kind == PathRegionKind::kStep ? "a step" : "the trace";
  if (!cause.saving_ns) {
    return fmt::format("{} of {} ({}) is spent in {}{}, with no computation beside it.",
                       Duration(cause.path_ns), region, Share(cause.share), phrase, detail);
  }
  std::string spread;
  const std::string least = Duration(cause.least_saving_ns);
  const std::string most = Duration(cause.most_saving_ns);
  if (least != most) {
    spread = fmt::format("; between {} and {} over {} steps", least, most, report.regions);
    if (!cause.worst_region.empty()) spread += ", most in step " + cause.worst_region;
  }
  return fmt::format("{}{}: without it {} would take {} instead of {} ({} less{}).", phrase, detail,
                     region, Duration(report.average_ns - *cause.saving_ns),
                     Duration(report.average_ns), Share(cause.share), spread);
}

std::string RemedyOf(const CauseFacts& facts, const Rule& rule) {
  if (!facts.report.records_graph) return rule.remedy(facts);
  return "It is part of capturing a graph, which happens once and is not there when the graph is "
         "replayed: record steps that come after the capture.";
}

Recommendation AdviseCause(const CauseFacts& facts, const Rule& rule) {
  const Cause& cause = facts.cause;
  Recommendation made = Make(SeverityOf(cause, facts.report),
                             FindingOf(cause, facts.report, facts.labels), RemedyOf(facts, rule));
  made.what = WhatOf(cause, facts.labels);
  made.saving_ns = cause.saving_ns;
  AddEvidence(made, "step_ns", facts.report.average_ns);
  AddEvidence(made, "step_share", cause.share);
  AddEvidence(made, "path_ns", cause.path_ns);
  if (cause.saving_ns) {
    AddEvidence(made, "least_saving_ns", cause.least_saving_ns);
    AddEvidence(made, "most_saving_ns", cause.most_saving_ns);
  } else {
    AddEvidence(made, "saving_unknown",
                std::string(facts.report.joined
                                ? "it moves bytes; what the links could do is not in the capture"
                                : "the capture does not show how much of it is waiting"));
  }
  AddEvidence(made, "calls", cause.calls);
  AddWorstStep(made, cause.worst_region);
  if (cause.kind == CauseKind::kSlowSteps) AddEvidence(made, "more_ns", cause.more_ns);
  if (!cause.inside.empty()) AddEvidence(made, "inside", cause.inside);
  if (!cause.called_from.empty()) AddEvidence(made, "called_from", cause.called_from);
  AddEvidence(made, "longest_start_ns", cause.example_start_ns);
  AddEvidence(made, "longest_ns", cause.example_duration_ns);
  if (cause.example_row) {
    AddExample(made, facts.traces[cause.example_file].trace, *cause.example_row);
  }
  made.example_file = cause.example_file;
  return made;
}

std::vector<Recommendation> AdviseCauses(std::span<const TraceContext> traces,
                                         std::span<const ProfileReport> reports,
                                         const CausesReport& causes) {
  bool on_amd = false;
  for (const ProfileReport& report : reports) {
    for (const DeviceRow& device : report.devices) on_amd = on_amd || device.type == "hip";
  }
  const bool training = std::ranges::any_of(
      traces, [](const TraceContext& context) { return IsTraining(context.trace); });
  std::vector<std::string> labels;
  for (const TraceContext& context : traces) labels.push_back(LabelOf(context.trace.source));
  std::vector<Recommendation> all;
  for (const Cause& cause : causes.causes) {
    const auto rule = std::ranges::find(AllRules(), RuleOf(cause.kind), &Rule::id);
    Add(*rule, AdviseCause({cause, causes, traces, labels, on_amd, training}, *rule), all);
  }
  return all;
}

std::vector<Recommendation> AdviseRank(const TraceContext& trace, const ProfileReport& report) {
  const RankFacts rank = MakeRankFacts(trace, report);
  std::vector<Recommendation> all;
  for (const Rule& rule : AllRules()) {
    if (rule.of_rank == nullptr) continue;
    Add(rule, rule.of_rank(rank), all);
  }
  SortBySaving(all);
  return all;
}

bool IsOf(std::span<const std::string_view> views, std::string_view view) {
  return view.empty() || std::ranges::find(views, view) != views.end();
}

}  // namespace

std::vector<Recommendation> AdviseRanks(std::span<const TraceContext> traces,
                                        std::span<const ProfileReport> reports,
                                        const CausesReport& causes) {
  std::vector<std::vector<Recommendation>> said(traces.size());
  const unsigned threads = traces.empty() ? 1 : ThreadCount(traces[0].options.threads);
  ForEachOnThreads(threads, traces.size(),
                   [&](size_t i) { said[i] = AdviseRank(traces[i], reports[i]); });
  std::vector<Recommendation> all;
  const std::vector<Recommendation> of_causes = AdviseCauses(traces, reports, causes);
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
  all.insert(all.begin(), of_causes.begin(), of_causes.end());
  SortBySaving(all);
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
  SortBySaving(all);
  return all;
}

bool SpeaksOfCauses(std::string_view view) {
  const auto is_of_cause = [](const Rule& rule) { return rule.remedy != nullptr; };
  return std::ranges::any_of(AllRules(), [&](const Rule& rule) {
    if (!IsOf(rule.views, view)) return false;
    if (is_of_cause(rule)) return true;
    const auto better = std::ranges::find(AllRules(), rule.unless, &Rule::id);
    return better != AllRules().end() && is_of_cause(*better);
  });
}

}  // namespace telltale::health
