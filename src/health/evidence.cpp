// SPDX-License-Identifier: Apache-2.0
#include "health/evidence.h"

#include <utility>

#include "analysis/core/sums.h"

namespace telltale::health {

Recommendation Make(AdviceSeverity severity, const std::string& finding, std::string remedy) {
  Recommendation made;
  made.severity = severity;
  made.text = finding + " " + remedy;
  made.remedy = std::move(remedy);
  return made;
}

void AddEvidence(Recommendation& recommendation, std::string_view key, int64_t value) {
  recommendation.evidence.emplace_back(std::string(key), value);
}

void AddEvidence(Recommendation& recommendation, std::string_view key, uint64_t value) {
  recommendation.evidence.emplace_back(std::string(key), static_cast<int64_t>(value));
}

void AddEvidence(Recommendation& recommendation, std::string_view key, double value) {
  recommendation.evidence.emplace_back(std::string(key), value);
}

void AddEvidence(Recommendation& recommendation, std::string_view key, std::string value) {
  recommendation.evidence.emplace_back(std::string(key), std::move(value));
}

void AddExample(Recommendation& recommendation, const Trace& trace, SpanRow row) {
  if (row >= trace.spans.size()) return;
  int64_t start = trace.spans.start_ns[row];
  AddTo(start, trace.base_time_ns);
  AddEvidence(recommendation, "example_name", std::string(trace.NameOfSpan(row)));
  AddEvidence(recommendation, "example_start_ns", start);
  AddEvidence(recommendation, "example_offset", trace.spans.offset[row]);
  recommendation.example_row = row;
}

void AddWorstStep(Recommendation& recommendation, std::string step_name) {
  if (!step_name.empty()) AddEvidence(recommendation, "worst_step", std::move(step_name));
}

const Recommendation* Find(std::span<const Recommendation> recommendations, std::string_view rule) {
  for (const Recommendation& r : recommendations) {
    if (r.rule == rule) return &r;
  }
  return nullptr;
}

void Lower(AdviceSeverity& severity) {
  severity = severity == AdviceSeverity::kHigh ? AdviceSeverity::kMedium : AdviceSeverity::kLow;
}

}  // namespace telltale::health
