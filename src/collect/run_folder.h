// SPDX-License-Identifier: Apache-2.0
// The folder of a run: made once, nothing is ever overwritten.
//   run.json, args.txt, logs/, events/, monitor/, profiler/, outputs/
//   .live/    while processes record into it (0700): socket, lock, PID-START.ring, *.taken
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale {

struct RunFolder {
  std::string path;  // absolute
  [[nodiscard]] std::string RunJson() const { return path + "/run.json"; }
  [[nodiscard]] std::string Args() const { return path + "/args.txt"; }
  [[nodiscard]] std::string Live() const { return path + "/.live"; }
  [[nodiscard]] std::string Log() const { return path + "/logs/driver.log"; }
};

// <root>/<UTC start>_<name>, with -2, -3 … behind it where that is taken: the system decides, so
// that two that start at once never share one. The root is made, too.
[[nodiscard]] Result<RunFolder> MakeRunFolder(const std::string& root, std::string_view name,
                                              int64_t start_ns);

// Twelve letters and digits, by chance.
[[nodiscard]] std::string MakeRunId();

}  // namespace telltale
