// SPDX-License-Identifier: Apache-2.0
// What changed between two profiles: the same table from both sides, joined by name, each row with
// its means before and after and whether the change is more than noise. Where both sides have
// steps, a value is the mean over complete steps, so that captures of different lengths compare.
// Exact rules: docs/diff.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "model/function_profile.h"

namespace telltale {

// A change is told from noise at this level, and if it is at least this large.
constexpr double kDiffLevel = 0.05;
constexpr double kDiffLeastEffect = 0.01;

enum class DiffVerdict : uint8_t {
  kSame,      // no difference at all
  kSlower,    // more, beyond the noise
  kFaster,    // less, beyond the noise
  kNoise,     // inside the spread, or less than kDiffLeastEffect
  kNoSpread,  // a side has one value only: nobody knows
  kNew,       // only after
  kGone,      // only before
};
[[nodiscard]] std::string_view NameOf(DiffVerdict verdict);

struct DiffRow {
  std::string name;
  std::optional<std::string> renamed_from;  // the name before, where the pair was found otherwise
  int64_t before = 0;                       // means, in the table's unit
  int64_t after = 0;
  double calls_before = 0;  // means
  double calls_after = 0;
  std::optional<double> change_share;     // of `before`; none if that is 0
  std::optional<double> share_of_change;  // of the table's change; none if that is 0
  std::optional<double> p_value;          // none without a spread
  DiffVerdict verdict = DiffVerdict::kSame;

  [[nodiscard]] int64_t change() const { return after - before; }
};

struct DiffTable {
  std::string_view name;      // steps, operators …
  std::string_view measure;   // what the values are: host_self, device_self …
  std::vector<DiffRow> rows;  // largest change first; the table "steps": the step, then categories
  int64_t before = 0;         // sum of the rows; "steps": the step
  int64_t after = 0;
};

enum class DiffBasis : uint8_t { kStep, kTrace, kProfile };
[[nodiscard]] std::string_view NameOf(DiffBasis basis);

struct DiffReport {
  DiffBasis basis = DiffBasis::kStep;
  uint64_t samples_before = 0;  // steps (of all ranks), or files
  uint64_t samples_after = 0;
  ValueUnit unit = ValueUnit::kNanoseconds;
  std::vector<DiffTable> tables;
};

// Both sides must have steps, or neither (see HasSteps).
[[nodiscard]] DiffReport DiffTraces(std::span<const TraceContext> before,
                                    std::span<const TraceContext> after);
[[nodiscard]] bool HasSteps(std::span<const TraceContext> files);

// Function profiles, joined by file and name: lines move when code changes. Both sides hold at
// least one; several on a side are samples of the same.
[[nodiscard]] DiffReport DiffFunctions(std::span<const FunctionProfile* const> before,
                                       std::span<const FunctionProfile* const> after);

// The first row that got worse by more than `least` (a share): its own growth, unless it is noise
// or the row holds less than 1 % of its table. "steps": the step alone.
[[nodiscard]] const DiffRow* FirstWorse(const DiffTable& table, double least);

}  // namespace telltale
