// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/name_facts.h"

#include <string_view>

#include "analysis/core/communication.h"
#include "analysis/core/flops.h"
#include "analysis/core/name_matcher.h"
#include "analysis/core/steps.h"
#include "analysis/core/tensor_core.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// Bits beyond NameFact: the names already looked at, as a host event and as a kernel.
constexpr uint16_t kHostSeen = 1 << 14;
constexpr uint16_t kDeviceSeen = 1 << 15;

constexpr uint16_t Bit(NameFact fact) { return static_cast<uint16_t>(fact); }

class StepMatcher {
 public:
  explicit StepMatcher(const std::string& annotation)
      : by_number_(annotation.empty()), expression_(annotation) {}

  [[nodiscard]] bool Matches(std::string_view name) {
    return by_number_ ? !ProfilerStepNumber(name).empty() : expression_.Matches(name);
  }
  [[nodiscard]] bool gave_up() const { return expression_.gave_up(); }

 private:
  bool by_number_;
  NameMatcher expression_;
};

uint16_t HostFacts(std::string_view name, StepMatcher& steps) {
  uint16_t bits = kHostSeen;
  auto set = [&bits](bool applies, NameFact fact) {
    if (applies) bits = static_cast<uint16_t>(bits | Bit(fact));
  };
  set(steps.Matches(name), NameFact::kStep);
  set(IsCommunicationRange(name), NameFact::kCommunicationRange);
  set(IsDataLoaderRange(name), NameFact::kDataLoaderRange);
  set(IsTensorCoreEligible(name), NameFact::kTensorCoreEligible);
  set(HasFlopsFormula(name), NameFact::kHasFlopsFormula);
  return bits;
}

uint16_t KernelFacts(std::string_view name) {
  uint16_t bits = kDeviceSeen;
  if (IsCommunicationKernel(name)) bits |= Bit(NameFact::kCommunicationKernel);
  if (UsesTensorCores(name)) bits |= Bit(NameFact::kTensorCoreKernel);
  return bits;
}

}  // namespace

NameFacts FindNameFacts(const Trace& trace, const std::string& step_annotation) {
  StepMatcher steps(step_annotation);
  NameFacts facts;
  facts.bits.resize(trace.strings.size());
  Column<uint8_t> calls_seen(trace.strings.size());
  CancelCheck cancel;
  for (size_t row = 0; row < trace.spans.size(); ++row) {
    cancel.Tick();
    const auto name = static_cast<uint32_t>(trace.spans.name[row]);
    if (name >= facts.bits.size()) continue;
    uint16_t& bits = facts.bits[name];
    switch (trace.spans.category[row]) {
      case Category::kOperator:
      case Category::kAnnotation:
        if ((bits & kHostSeen) == 0) {
          bits = static_cast<uint16_t>(bits | HostFacts(trace.NameOfSpan(row), steps));
        }
        break;
      case Category::kKernel:
        if ((bits & kDeviceSeen) == 0) {
          bits = static_cast<uint16_t>(bits | KernelFacts(trace.NameOfSpan(row)));
        }
        break;
      case Category::kRuntime:
        if (calls_seen[name] == 0) {
          calls_seen[name] = 1;
          const std::string_view text = trace.NameOfSpan(row);
          if (text.starts_with("hip")) facts.hip_calls = true;
          if (text.starts_with("cuda")) facts.cuda_calls = true;
        }
        break;
      default:
        break;
    }
  }
  if (steps.gave_up()) facts.given_up_expression = step_annotation;
  return facts;
}

}  // namespace telltale
