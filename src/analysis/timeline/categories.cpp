// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/categories.h"

#include <array>

#include "analysis/core/name_facts.h"

namespace telltale {

namespace {

TimelineCategory CategoryOfRange(const NameFacts& facts, StringId name, TimelineCategory plain) {
  if (facts.Is(name, NameFact::kStep)) return TimelineCategory::kStep;
  if (facts.Is(name, NameFact::kDataLoaderRange)) return TimelineCategory::kDataloader;
  if (facts.Is(name, NameFact::kCommunicationRange)) return TimelineCategory::kCommunication;
  return plain;
}

}  // namespace

std::string_view NameOf(TimelineCategory category) {
  static constexpr std::array<std::string_view, kTimelineCategoryCount> kNames = {
      "kernel",     "memcpy",   "memset",     "communication", "runtime",
      "dataloader", "operator", "annotation", "python",        "sync",
      "overhead",   "step",     "idle",       "other",         "unmatched"};
  return kNames[static_cast<size_t>(category)];
}

TimelineCategory TimelineCategoryOf(const TraceContext& context, SpanRow row) {
  const SpanTable& spans = context.trace.spans;
  switch (spans.category[row]) {
    case Category::kOperator:
      return CategoryOfRange(context.facts, spans.name[row], TimelineCategory::kOperator);
    case Category::kAnnotation:
    case Category::kGpuAnnotation:
      return CategoryOfRange(context.facts, spans.name[row], TimelineCategory::kAnnotation);
    case Category::kRuntime:
      return TimelineCategory::kRuntime;
    case Category::kKernel:
      return IsCommunication(context.trace, context.facts, row) ? TimelineCategory::kCommunication
                                                                : TimelineCategory::kKernel;
    case Category::kMemcpy:
      return TimelineCategory::kMemcpy;
    case Category::kMemset:
      return TimelineCategory::kMemset;
    case Category::kPython:
      return TimelineCategory::kPython;
    case Category::kSync:
      return TimelineCategory::kSync;
    case Category::kOverhead:
      return TimelineCategory::kOverhead;
    case Category::kUnmatched:
      return TimelineCategory::kUnmatched;
    case Category::kTraceSpan:
    case Category::kOther:
      break;
  }
  return TimelineCategory::kOther;
}

TimelineCategory TimelineCategoryOf(PathCause cause) {
  switch (cause) {
    case PathCause::kOperator:
      return TimelineCategory::kOperator;
    case PathCause::kDataLoading:
      return TimelineCategory::kDataloader;
    case PathCause::kRuntime:
      return TimelineCategory::kRuntime;
    case PathCause::kLaunchDelay:
      return TimelineCategory::kOverhead;
    case PathCause::kKernel:
      return TimelineCategory::kKernel;
    case PathCause::kCommunication:
      return TimelineCategory::kCommunication;
    case PathCause::kMemcpy:
      return TimelineCategory::kMemcpy;
    case PathCause::kMemset:
      return TimelineCategory::kMemset;
    case PathCause::kSynchronization:
      return TimelineCategory::kSync;
    case PathCause::kKernelGap:
    case PathCause::kIdle:
      return TimelineCategory::kIdle;
    case PathCause::kHostOther:
      break;
  }
  return TimelineCategory::kOther;
}

}  // namespace telltale
