// SPDX-License-Identifier: Apache-2.0
// The blocks of memory of one device: which release belongs to which allocation, who asked for a
// block, and which blocks were there at some moment.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/key_numbers.h"
#include "analysis/memory/events.h"
#include "analysis/memory/owners.h"
#include "analysis/memory/report.h"

namespace telltale {

// Positions in PlaceInstants::rows; kNoRow where the recording has no such event.
struct MemoryBlock {
  uint32_t allocated = kNoRow;
  uint32_t released = kNoRow;
  bool always = false;  // known to be there from before the first event on
};

struct MemoryBlocks {
  std::vector<MemoryBlock> blocks;  // by allocation, else release
  bool paired = false;              // addresses were captured
};

// An allocation (bytes > 0) and the next event of that address belong together if that one is a
// release (bytes < 0). Without addresses every allocation is a block that nothing releases.
[[nodiscard]] MemoryBlocks PairInstants(const Trace& trace, const PlaceInstants& instants);

// The texts of a report, each once.
class MemoryTexts {
 public:
  MemoryTexts(const TraceContext& context, std::vector<std::string>& texts)
      : context_(context), texts_(texts), steps_(context.steps.rows.size(), kNoMemoryText) {}
  [[nodiscard]] MemoryText Name(StringId name);
  // What a module's span calls it: its dotted name, else "Linear_3".
  [[nodiscard]] MemoryText Module(SpanRow span);
  // The step in whose host time a moment falls; none where the whole trace is one step.
  [[nodiscard]] MemoryText StepAt(int64_t time_ns);

 private:
  [[nodiscard]] MemoryText NewText(std::string text);

  const TraceContext& context_;
  std::vector<std::string>& texts_;
  KeyNumbers numbers_;                 // of string ids
  std::vector<MemoryText> by_id_;      // by those numbers
  KeyNumbers modules_;                 // of string ids
  std::vector<MemoryText> by_module_;  // by those numbers
  std::vector<MemoryText> steps_;      // by step; kNoMemoryText: not yet asked for
  std::map<std::string, MemoryText> step_names_;
};

// Makes the rows of blocks.
class BlockRows {
 public:
  BlockRows(const TraceContext& context, const MemoryOwners& owners,
            std::vector<std::string>& texts)
      : context_(context), owners_(owners), texts_(context, texts) {}
  [[nodiscard]] AllocationRow Row(const PlaceInstants& instants, const MemoryBlock& block);

 private:
  const TraceContext& context_;
  const MemoryOwners& owners_;
  MemoryTexts texts_;
};

// The blocks among `rows` (one for each of `blocks`) that are there right after the instant at
// `position`, summed by what is known of them.
[[nodiscard]] MemoryAtPeak DescribeAlive(const std::vector<MemoryBlock>& blocks,
                                         const std::vector<AllocationRow>& rows,
                                         const std::vector<std::string>& texts, uint32_t position);

// Index of the last step that starts at or before a time and has not ended then; by host times.
[[nodiscard]] std::optional<size_t> StepIndexAt(const Steps& steps, int64_t time_ns);

}  // namespace telltale
