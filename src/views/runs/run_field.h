// SPDX-License-Identifier: Apache-2.0
// What is known of a run, by name: its own facts (status, duration …), a value of its
// configuration, or a number of one of its metrics. Filters, orders and columns name things in this
// one way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "runs/run_list.h"
#include "views/field_value.h"

namespace telltale {

// What the runs of a list have; sorted.
struct RunNames {
  std::vector<std::string> config;
  std::vector<std::string> metrics;
};
[[nodiscard]] RunNames NamesOf(const RunList& list);

class RunField {
 public:
  enum class Kind : uint8_t { kFact, kConfig, kMetric };
  enum class Fact : uint8_t {
    kId,
    kName,
    kPath,
    kKind,
    kExperiment,
    kGroup,
    kStatus,
    kStart,
    kEnd,
    kDuration,
    kTags,
    kNote,
    kColor,
    kPinned,
    kHidden,
    kDeleted,
    kPoints,
    kProfiles,
  };
  enum class Number : uint8_t {
    kLast,
    kMin,
    kMax,
    kPoints,
    kFirstStep,
    kLastStep,
    kMinStep,
    kMaxStep
  };

  // Facts first, then configuration, then metrics, whose last value it is unless .min, .max …
  // follow; config.NAME and metrics.NAME say which. The error lists what is valid and names the
  // nearest; kUsage.
  [[nodiscard]] static Result<RunField> Find(std::string_view name, const RunNames& names);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] Fact fact() const { return fact_; }
  [[nodiscard]] Number number() const { return number_; }
  // As it was asked for.
  [[nodiscard]] const std::string& name() const { return name_; }
  // Durations and moments are nanoseconds; of tags, the texts joined by commas.
  [[nodiscard]] FieldValue Get(const ListedRun& run) const;

 private:
  std::string name_;
  std::string of_;  // the name in the configuration, or the tag
  Kind kind_ = Kind::kFact;
  Fact fact_ = Fact::kName;
  Number number_ = Number::kLast;
};

[[nodiscard]] FieldValue AsField(const ConfigValue& value);
// A value of the configuration; monostate where the run has none.
[[nodiscard]] FieldValue ConfigOf(const ListedRun& run, std::string_view name);

// "Running, Completed"; the error lists the valid ones.
[[nodiscard]] Result<std::vector<RunStatus>> ParseStatuses(std::string_view text);

// Behind "valid are": at most so many, with the number of the others.
[[nodiscard]] std::string ListOf(const std::vector<std::string_view>& names, size_t most = 30);

}  // namespace telltale
