// SPDX-License-Identifier: Apache-2.0
// What each candidate saves, and which of them are no reasons of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/causes/candidates.h"
#include "analysis/causes/replay.h"

namespace telltale {

// What each candidate saves, in one walk over the graphs; sorted by it.
void FindSavings(CandidateReplay& replay, std::span<const int64_t> measured,
                 std::vector<Candidate>& candidates);

// Behind a delay a device runs dry, and whatever brings the host forward fills the hole: the delay,
// or as well all launches before it. What is made of many small pieces and saves as much as another
// cause of a few long ones is no second reason: it has what it saves when the other one is gone.
void SettleSubstitutes(CandidateReplay& replay, std::vector<Candidate>& candidates);

// The rank itself is a cause only where nothing that it does explains why it is late.
void SettleLateRank(std::vector<Candidate>& candidates, uint32_t file);

}  // namespace telltale
