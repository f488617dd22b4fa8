// SPDX-License-Identifier: Apache-2.0
// What the tests of the rules share: a trace and a report made by hand.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "analysis/core/trace_builder.h"
#include "health/advise.h"

namespace telltale {

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kUs = 1'000;

inline AnalysisOptions OneThread() {
  AnalysisOptions options;
  options.threads = 1;
  return options;
}

class AdviceTest : public testing::Test {
 protected:
  // Steps of 100 ms, one after the other, each with `ns` in the category.
  void Steps(int count, StepCategory category, int64_t ns) {
    report_.steps.source = StepSource::kProfilerStep;
    for (int i = 0; i < count; ++i) {
      StepRow row;
      row.name = std::to_string(10 + i);
      row.start_ns = i * 100 * kMs;
      row.duration_ns = 100 * kMs;
      row.categories[static_cast<size_t>(category)] = ns;
      row.categories[static_cast<size_t>(StepCategory::kOther)] = 100 * kMs - ns;
      report_.steps.rows.push_back(row);
    }
    report_.steps.average_ns = 100 * kMs;
    report_.steps.average[static_cast<size_t>(category)] = ns;
  }

  DeviceRow& Device(std::string type = "cuda", std::string capability = "8.0",
                    double utilization = 0.99) {
    DeviceRow row;
    row.id = static_cast<int64_t>(report_.devices.size());
    row.type = std::move(type);
    row.compute_capability = std::move(capability);
    row.kernel_count = 1000;
    row.utilization_share = utilization;
    report_.devices.push_back(row);
    return report_.devices.back();
  }

  std::vector<Recommendation> Run() {
    const TraceContext context = PrepareTrace(builder_.trace(), OneThread());
    return health::AdviseRanks({&context, 1}, {&report_, 1}, DescribeCauses({&context, 1}));
  }

  std::optional<Recommendation> Run(std::string_view rule) {
    for (Recommendation& r : Run()) {
      if (r.rule == rule) return std::move(r);
    }
    return std::nullopt;
  }

  TraceBuilder builder_;
  ProfileReport report_;
};

inline const EvidenceValue* Evidence(const Recommendation& r, std::string_view key) {
  for (const auto& [name, value] : r.evidence) {
    if (name == key) return &value;
  }
  return nullptr;
}

inline int64_t IntEvidence(const Recommendation& r, std::string_view key) {
  const EvidenceValue* value = Evidence(r, key);
  const int64_t* number = value == nullptr ? nullptr : std::get_if<int64_t>(value);
  EXPECT_NE(number, nullptr) << key;
  return number == nullptr ? 0 : *number;
}

inline std::string TextEvidence(const Recommendation& r, std::string_view key) {
  const EvidenceValue* value = Evidence(r, key);
  const EvidenceText* text = value == nullptr ? nullptr : std::get_if<EvidenceText>(value);
  return text == nullptr ? "" : *text;
}

}  // namespace telltale
