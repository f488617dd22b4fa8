// SPDX-License-Identifier: Apache-2.0
// What a piece of a step is, seen by somebody who wants the step to be shorter: time that could be
// gone (waiting, allocating, launching, host code between operators …), or the work that the
// training exists to do. Names are judged here once.
#pragma once

#include <cstdint>
#include <string_view>

namespace telltale {

enum class CauseKind : uint8_t {
  kDataLoading,        // in the range of a data loader
  kAllocation,         // calls that get or give back memory of the device or pinned memory
  kSynchronization,    // calls that wait for the device
  kRuntimeCall,        // any other call of the runtime that takes long
  kHostCode,           // host code in no operator: an annotation's, a Python function's, nobody's
  kHostOperator,       // an operator's long host time, beside a device
  kLaunchOverhead,     // what the host does to launch: operators, calls, the Python between them
  kCopy,               // between host and device
  kGarbageCollection,  // Python's
  kCompilation,        // torch.compile at work
  kProfiler,           // the profiler at work
  kUnevenWork,         // calls that take far longer than others like them
  kCollectiveWait,     // collectives that take longer than the fastest of their kind
  kLateRank,           // a rank for which the others wait
  kSlowSteps,          // steps that take longer than the typical one, for want of a better reason
  kCommunication,  // in collectives: moving bytes, or waiting that only other ranks' traces show
  kUnexplained,    // waiting of the device that the capture does not explain
  kWork,           // kernels, operators on a trace without device, bytes that must be moved
};
constexpr size_t kCauseKindCount = 18;

// The rule that speaks about it: "allocation_calls".
[[nodiscard]] std::string_view RuleOf(CauseKind kind);

// Time that is said, though nobody can know what of it could be gone.
[[nodiscard]] constexpr bool IsUnknown(CauseKind kind) { return kind == CauseKind::kCommunication; }

// Whether it could be gone.
[[nodiscard]] constexpr bool IsAvoidable(CauseKind kind) {
  return kind != CauseKind::kWork && !IsUnknown(kind);
}

// cudaMalloc, hipFree, cudaHostAlloc, cuMemCreate …
[[nodiscard]] bool IsAllocationCall(std::string_view call);
// A phase of torch.compile: "entire_frame_compile", "… (dynamo_timed)".
[[nodiscard]] bool IsCompileRange(std::string_view name);
// A call that begins to record launches into a graph instead of making them.
[[nodiscard]] bool BeginsCapture(std::string_view call);
// A range or frame in which Python collects garbage.
[[nodiscard]] bool IsGarbageCollection(std::string_view name);
// A frame of torch.profiler's own.
[[nodiscard]] bool IsProfilerFrame(std::string_view name);
// From host memory to a device or back; not within devices.
[[nodiscard]] bool IsHostCopy(std::string_view copy);

}  // namespace telltale
