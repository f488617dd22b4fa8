// SPDX-License-Identifier: Apache-2.0
// Making recommendations: sentence, remedy, evidence.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "analysis/core/words.h"
#include "health/recommendation.h"
#include "model/trace.h"

namespace telltale::health {

// For the numbers in the sentences.
using words::Average;
using words::Bytes;
using words::Counted;
using words::Duration;
using words::Share;
using words::ShortName;

// text = finding + remedy.
[[nodiscard]] Recommendation Make(AdviceSeverity severity, const std::string& finding,
                                  std::string remedy);
void AddEvidence(Recommendation& recommendation, std::string_view key, int64_t value);
void AddEvidence(Recommendation& recommendation, std::string_view key, uint64_t value);
void AddEvidence(Recommendation& recommendation, std::string_view key, double value);
void AddEvidence(Recommendation& recommendation, std::string_view key, std::string value);
// example_name, example_start_ns (like the steps' start_ns), example_offset.
void AddExample(Recommendation& recommendation, const Trace& trace, SpanRow row);
void AddWorstStep(Recommendation& recommendation, std::string step_name);

[[nodiscard]] const Recommendation* Find(std::span<const Recommendation> recommendations,
                                         std::string_view rule);
void Lower(AdviceSeverity& severity);

}  // namespace telltale::health
