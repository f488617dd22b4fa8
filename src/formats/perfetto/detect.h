// SPDX-License-Identifier: Apache-2.0
// Tells Perfetto traces from other files by their first bytes.
#pragma once

#include <string_view>

namespace telltale {

// Do these first bytes of a decoded file begin a Perfetto trace? Looks into the packets, for other
// protocol buffers (pprof) begin the same way.
[[nodiscard]] bool IsPerfettoTrace(std::string_view head);

}  // namespace telltale
