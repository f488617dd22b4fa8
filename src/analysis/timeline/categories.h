// SPDX-License-Identifier: Apache-2.0
// What a box of the timeline is, as its colour tells: fewer kinds than a trace knows, and split
// where the question "what is this time?" splits (communication, data loading, steps).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "analysis/core/context.h"
#include "analysis/critical_path/critical_path.h"
#include "model/trace.h"

namespace telltale {

// The order is the one of `categories` in docs/http-api.md.
enum class TimelineCategory : uint8_t {
  kKernel,
  kMemcpy,
  kMemset,
  kCommunication,
  kRuntime,
  kDataloader,
  kOperator,
  kAnnotation,
  kPython,
  kSync,
  kOverhead,
  kStep,
  kIdle,
  kOther,
  kUnmatched,  // a beginning without its end: its length is not known
};
constexpr size_t kTimelineCategoryCount = 15;
[[nodiscard]] std::string_view NameOf(TimelineCategory category);

[[nodiscard]] TimelineCategory TimelineCategoryOf(const TraceContext& context, SpanRow row);
[[nodiscard]] TimelineCategory TimelineCategoryOf(PathCause cause);

}  // namespace telltale
