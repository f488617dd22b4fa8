// SPDX-License-Identifier: Apache-2.0
// Times of the system's clock as the files of a run spell them, in UTC.
#pragma once

#include <cstdint>
#include <string>

namespace telltale {

// Now, ns since 1970.
[[nodiscard]] int64_t WallNow();
// Now, ns of a clock that never jumps.
[[nodiscard]] int64_t SteadyNow();

// "2026-11-15T20:45:01.123456789Z"
[[nodiscard]] std::string FormatTime(int64_t wall_ns);
// "2026-11-15T20:45:01.123Z"
[[nodiscard]] std::string FormatLogTime(int64_t wall_ns);
// "2026-11-15T204501Z", which any file system takes.
[[nodiscard]] std::string FormatFolderTime(int64_t wall_ns);
// "83 ms", "12.4 s", "3 min 20 s", "2 h 5 min"
[[nodiscard]] std::string FormatDuration(int64_t duration_ns);

}  // namespace telltale
