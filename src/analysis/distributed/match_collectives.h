// SPDX-License-Identifier: Apache-2.0
// Which calls on different ranks are one and the same collective. Never by position in the whole
// trace: captures begin at different moments and hold groups of different members. Two calls match
// if these agree:
// - the process group: its name and the list of its ranks, as far as captured;
// - the kind of collective (for unknown kinds, the name as captured);
// - the sequence number where both captured one, else the step (its number; where steps have
//   another name, their position) and, for kinds where all members bring as much, the number of
//   elements;
// - and which of several such calls it is: the first, the second … in order of issue (for calls
//   before the first step the last, the last but one …). Without steps the whole trace is one.
// Files of one rank are captures one after the other: they are not matched with each other, but the
// first ones of all ranks, the second ones, and so on.
// Sends and receives are not matched: their two ends have different names.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/distributed/collectives.h"

namespace telltale {

struct CollectiveMember {
  uint32_t file = 0;
  uint32_t call = 0;  // into that file's calls
};

// Collectives that several files hold, in order of the first member's file and call.
struct CollectiveMatches {
  std::vector<CollectiveMember> members;  // of all matches, one after the other, ascending by file
  std::vector<uint32_t> first;            // of each match into members, and one past the end
  // Per file: calls of groups that other files hold too, but without a partner; and calls of groups
  // whose other members are in none of the files.
  std::vector<uint64_t> unmatched;
  std::vector<uint64_t> alone;

  [[nodiscard]] size_t size() const { return first.size() - 1; }
  [[nodiscard]] std::span<const CollectiveMember> Of(size_t match) const {
    return std::span(members).subspan(first[match], first[match + 1] - first[match]);
  }
};

// The rank that a trace says it is, or its file's name says; kNoInt if neither does.
[[nodiscard]] int64_t RankOf(const Trace& trace);

[[nodiscard]] CollectiveMatches MatchCollectives(
    std::span<const TraceContext> contexts, std::span<const std::vector<CollectiveCall>> calls);

}  // namespace telltale
