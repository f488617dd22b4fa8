// SPDX-License-Identifier: Apache-2.0
// Which runtime and driver calls wait for the device, and which record and await events, by name.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/column.h"
#include "model/trace.h"

namespace telltale {

enum class CallKind : uint8_t {
  kOther,
  kWaitForDevice,  // cudaDeviceSynchronize, cuCtxSynchronize, cudaFree …
  kWaitForStream,  // cudaStreamSynchronize, zeCommandQueueSynchronize …
  kWaitForEvent,   // cudaEventSynchronize …
  kCopy,           // cudaMemcpy, hipMemcpyWithStream …: returns when the copy is done
  kAsyncCopy,      // cudaMemcpyAsync …: may return before
  kRecordEvent,    // cudaEventRecord …
  kStreamWait,     // cudaStreamWaitEvent …
};

[[nodiscard]] CallKind CallKindOf(std::string_view call_name);
// By StringId, for every name of the trace.
[[nodiscard]] Column<uint8_t> FindCallKinds(const Trace& trace);

[[nodiscard]] constexpr bool Waits(CallKind kind) {
  return kind == CallKind::kWaitForDevice || kind == CallKind::kWaitForStream ||
         kind == CallKind::kWaitForEvent || kind == CallKind::kCopy;
}

}  // namespace telltale
