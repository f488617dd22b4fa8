// SPDX-License-Identifier: Apache-2.0
// The graphs once more, with candidates that take no time: any number of cases in one walk. Whose
// an edge's time is, is found in the first walk and remembered for the others.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "analysis/causes/candidates.h"
#include "analysis/critical_path/name_numbers.h"

namespace telltale {

class CandidateReplay {
 public:
  // Gives the candidates their numbers, by which they are known from then on.
  CandidateReplay(std::span<const CausePaths> all, std::span<Candidate> candidates,
                  unsigned threads);

  // The duration of every region of all worlds in each case. `cases_of[i]`: those in which
  // `candidates[i]` is gone; in case 0 none is.
  [[nodiscard]] std::vector<std::vector<int64_t>> Durations(
      std::span<const Candidate> candidates, const std::vector<std::vector<uint32_t>>& cases_of,
      uint32_t cases);

 private:
  friend class CandidateRelief;

  // What of an edge a candidate would free.
  struct Freed {
    uint32_t candidate;
    int64_t duration_ns;
  };
  // Of the edges of a chain, in the order in which a walk asks for them.
  struct ChainRecord {
    std::vector<Freed> freed;
    std::vector<uint32_t> last;  // by edge: past its last in `freed`
    bool complete = false;
  };
  struct World {
    const CausePaths* paths;
    NameNumbers numbers;  // candidate + 1
    std::optional<uint32_t> late;
    std::vector<uint8_t> frees_host;  // by graph: some host time may be freed
    std::vector<ChainRecord> records;
  };

  // `durations`: those of the world's regions.
  void Walk(World& world, const std::vector<std::vector<uint32_t>>& cases_of, uint32_t cases,
            std::span<std::vector<int64_t>> durations) const;

  unsigned threads_;
  std::vector<World> worlds_;
  std::optional<uint32_t> late_rank_;  // the candidate that is one
  uint32_t candidates_ = 0;
};

}  // namespace telltale
