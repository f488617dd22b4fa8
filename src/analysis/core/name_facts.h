// SPDX-License-Identifier: Apache-2.0
// What the names of a trace mean, decided once per distinct name: analyses then ask by string id.
#pragma once

#include <cstdint>
#include <string>

#include "base/column.h"
#include "model/trace.h"

namespace telltale {

enum class NameFact : uint16_t {
  // Of operators and annotations
  kStep = 1 << 0,  // a step's own event
  kCommunicationRange = 1 << 1,
  kDataLoaderRange = 1 << 2,
  kTensorCoreEligible = 1 << 3,
  kHasFlopsFormula = 1 << 4,
  // Of kernels
  kCommunicationKernel = 1 << 5,
  kTensorCoreKernel = 1 << 6,
};

struct NameFacts {
  Column<uint16_t> bits;    // by StringId
  bool hip_calls = false;   // some runtime call is HIP's
  bool cuda_calls = false;  // some runtime call is CUDA's
  // That of the options' regular expressions which is too much work on these names. Steps or
  // selection are then wrong, and nothing must be shown of them.
  std::string given_up_expression;

  [[nodiscard]] bool Is(StringId name, NameFact fact) const {
    const auto i = static_cast<uint32_t>(name);
    return i < bits.size() && (bits[i] & static_cast<uint16_t>(fact)) != 0;
  }
};

// `step_annotation`: a regular expression searched in names; empty: steps are ProfilerStep#N. One
// that is no valid expression matches nothing.
[[nodiscard]] NameFacts FindNameFacts(const Trace& trace, const std::string& step_annotation);

// A kernel that talks to other ranks, by its name or because it carries a collective's name.
[[nodiscard]] inline bool IsCommunication(const Trace& trace, const NameFacts& facts,
                                          SpanRow kernel) {
  if (facts.Is(trace.spans.name[kernel], NameFact::kCommunicationKernel)) return true;
  const DeviceDetail* detail = trace.DeviceOf(kernel);
  return detail != nullptr && detail->collective != kNoDetail &&
         trace.collectives[detail->collective].name != kNoString;
}

}  // namespace telltale
