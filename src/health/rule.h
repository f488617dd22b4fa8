// SPDX-License-Identifier: Apache-2.0
// What a rule is. It never speaks where the capture lacks what it needs, and says when it speaks
// and why there: docs/rules.md lists all of them from this. rules.cpp has the one list.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/causes/causes.h"
#include "analysis/core/context.h"
#include "health/recommendation.h"

namespace telltale::health {

class Facts;
struct RankFacts;

// What the remedy for a cause depends on.
struct CauseFacts {
  const Cause& cause;
  const CausesReport& report;
  std::span<const TraceContext> traces;
  std::span<const std::string> labels;  // of the traces: "rank 1"
  bool on_amd = false;
  bool training = false;  // some trace has a backward pass or an optimizer
};

struct Rule {
  std::string_view id;
  std::string_view title;      // the id in words
  std::string_view needs;      // of the capture
  std::string_view threshold;  // when it speaks, and how loud
  std::string_view reason;     // why the threshold is there
  std::vector<std::string_view> views;
  // One of the three: of a cause (what it costs is the cause's saving), of each trace by itself (of
  // several ranks the most severe is kept), or of all of them. Of what is found the rule's own
  // words are filled in from here.
  std::string (*remedy)(const CauseFacts& facts) = nullptr;
  std::optional<Recommendation> (*of_rank)(const RankFacts& rank) = nullptr;
  std::optional<Recommendation> (*of_subject)(const Facts& facts) = nullptr;
  // A rule that knows more about the same matter: where that one speaks this one is silent.
  std::string_view unless = {};
};

}  // namespace telltale::health
