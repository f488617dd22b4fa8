// SPDX-License-Identifier: Apache-2.0
#include "health/cause_words.h"

#include <fmt/format.h>

#include <vector>

#include "analysis/core/words.h"
#include "base/frame_name.h"

namespace telltale::health {

namespace {

using words::Counted;
using words::Duration;
using words::ShortName;

// "save (train.py:81)" of a frame, else the name.
std::string Readable(const std::string& name) {
  const FrameName frame = SplitFrameName(name);
  const std::string place = PlaceOf(frame);
  return place.empty() ? ShortName(name) : fmt::format("{} ({})", ShortName(frame.name), place);
}

// Its time is what is left of it between other things.
bool BetweenOthers(const Cause& cause) { return cause.pieces > 2 * cause.calls; }

std::string OnRank(const Cause& cause, std::span<const std::string> labels) {
  if (!cause.file || cause.kind == CauseKind::kLateRank) return "";
  return " on " + labels[*cause.file];
}

std::string LateRank(const Cause& cause, std::span<const std::string> labels) {
  return cause.file ? labels[*cause.file] : "a rank";
}

}  // namespace

std::string WhatOf(const Cause& cause, std::span<const std::string> labels) {
  if (cause.kind == CauseKind::kLateRank) return LateRank(cause, labels);
  if (cause.kind == CauseKind::kSlowSteps) {
    return cause.what.empty() ? "step " + cause.worst_region
                              : fmt::format("{} in step {}", cause.what, cause.worst_region);
  }
  std::string what = cause.what;
  if (cause.kind == CauseKind::kUnexplained && !what.empty()) {
    what = "unexplained wait after " + what;
  }
  if (what.empty()) {
    what = cause.kind == CauseKind::kLaunchOverhead
               ? cause.on_host ? "host overhead of small operators" : "launch overhead"
           : cause.kind == CauseKind::kUnexplained ? "unexplained wait of the device"
           : cause.kind == CauseKind::kProfiler    ? "the profiler"
                                                   : "host code between operators";
  }
  return what + OnRank(cause, labels);
}

std::string PhraseOf(const Cause& cause, std::span<const std::string> labels) {
  const std::string name = Readable(cause.what);
  std::string phrase;
  switch (cause.kind) {
    case CauseKind::kDataLoading:
      phrase = "waiting for the DataLoader";
      break;
    case CauseKind::kHostCode:
      phrase = name.empty()           ? "the host code between operators"
               : BetweenOthers(cause) ? "the host code between operators in " + name
                                      : name;
      break;
    case CauseKind::kHostOperator:
      phrase = fmt::format("the host time of {}", name);
      break;
    case CauseKind::kLaunchOverhead:
      phrase = cause.on_host ? "the overhead of calling small operators one by one"
                             : "the overhead of launching kernels one by one";
      break;
    case CauseKind::kGarbageCollection:
      phrase = "garbage collection";
      break;
    case CauseKind::kCompilation:
      phrase = "compiling inside the step";
      break;
    case CauseKind::kProfiler:
      phrase = "the profiler's own work";
      break;
    case CauseKind::kUnevenWork:
      phrase = fmt::format("the few slow calls of {}", name);
      break;
    case CauseKind::kCollectiveWait:
      phrase = fmt::format("waiting in {}", name);
      break;
    case CauseKind::kUnexplained:
      phrase = name.empty() ? "an unexplained wait of the device"
                            : fmt::format("the unexplained wait after {}", name);
      break;
    case CauseKind::kLateRank:
      return "waiting for " + LateRank(cause, labels);
    case CauseKind::kSlowSteps:
      return cause.calls == 1 ? "the one slow step" : "the slow steps";
    case CauseKind::kAllocation:
    case CauseKind::kSynchronization:
    case CauseKind::kRuntimeCall:
    case CauseKind::kCopy:
    case CauseKind::kCommunication:
    case CauseKind::kWork:
      phrase = name;
      break;
  }
  return phrase + OnRank(cause, labels);
}

std::string DetailOf(const Cause& cause, const CausesReport& report) {
  std::vector<std::string> details;
  const uint64_t regions = std::max<uint64_t>(report.regions, 1);
  const uint64_t calls = (cause.calls + regions / 2) / regions;
  switch (cause.kind) {
    case CauseKind::kAllocation:
    case CauseKind::kSynchronization:
    case CauseKind::kRuntimeCall:
    case CauseKind::kGarbageCollection:
      if (calls > 0) details.push_back(Counted(calls, "call", "calls"));
      break;
    case CauseKind::kCopy:
      if (calls > 0) details.push_back(Counted(calls, "copy", "copies"));
      break;
    case CauseKind::kLaunchOverhead:
      if (calls > 0 && cause.on_host) {
        details.push_back(Counted(calls, "operator", "operators"));
      } else if (calls > 0) {
        details.push_back(Counted(calls, "kernel or copy", "kernels and copies"));
      }
      break;
    case CauseKind::kSlowSteps:
      details.push_back(cause.what.empty()
                            ? "step " + cause.worst_region
                            : fmt::format("step {}: {} more in {} than a typical one",
                                          cause.worst_region, Duration(cause.more_ns),
                                          ShortName(cause.what)));
      break;
    default:
      break;
  }
  const bool place = cause.kind != CauseKind::kUnevenWork &&
                     cause.kind != CauseKind::kCollectiveWait &&
                     cause.kind != CauseKind::kSlowSteps;
  if (place && !cause.inside.empty()) details.push_back("in " + ShortName(cause.inside));
  if (place && !cause.called_from.empty())
    details.push_back((cause.kind == CauseKind::kDataLoading ? "mostly in " : "from ") +
                      Readable(cause.called_from));
  return fmt::format("{}", fmt::join(details, ", "));
}

}  // namespace telltale::health
