// SPDX-License-Identifier: Apache-2.0
// What runtime and driver calls do, by their names.
#pragma once

#include <string_view>

namespace telltale {

// Calls that do not return before the device has done its work: cudaStreamSynchronize,
// cuCtxSynchronize, hipEventSynchronize …, and copies that are not asynchronous.
[[nodiscard]] inline bool WaitsForDevice(std::string_view call) {
  return call.find("Synchronize") != std::string_view::npos || call == "cudaMemcpy" ||
         call == "hipMemcpy" || call == "hipMemcpyWithStream" || call == "cuMemcpyDtoH_v2" ||
         call == "cuMemcpyHtoD_v2";
}

// One call that starts all kernels of a captured graph.
[[nodiscard]] inline bool LaunchesGraph(std::string_view call) {
  return call.find("GraphLaunch") != std::string_view::npos;
}

}  // namespace telltale
