// SPDX-License-Identifier: Apache-2.0
// The folder of a run: made once, nothing is ever overwritten.
//   run.json, args.txt, logs/, events/, monitor/, profiler/, outputs/
//   .live/    while processes record into it (0700): socket, lock, PID-START.ring, *.taken
// In a joint run (joint_run.h) each member has a .live-MEMBER/ and a nodes/MEMBER.json; all but the
// first also have a log and a monitor/MEMBER/ of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale {

struct RunFolder {
  std::string path;      // absolute
  std::string member;    // of a joint run; empty: a run with one collector
  bool is_first = true;  // of its members
  [[nodiscard]] std::string RunJson() const { return path + "/run.json"; }
  // What one collector says of the run.
  [[nodiscard]] std::string RecordJson() const {
    return member.empty() ? RunJson() : path + "/nodes/" + member + ".json";
  }
  [[nodiscard]] std::string Args() const { return path + "/args.txt"; }
  [[nodiscard]] std::string LiveName() const {
    return member.empty() ? ".live" : ".live-" + member;
  }
  [[nodiscard]] std::string Live() const { return path + "/" + LiveName(); }
  // A file in Live() of the first member of a joint run.
  [[nodiscard]] std::string FirstMark() const { return Live() + "/first"; }
  [[nodiscard]] std::string Log() const {
    return path + (is_first ? "/logs/driver.log" : "/logs/driver-" + member + ".log");
  }
  [[nodiscard]] std::string Monitor() const {
    return path + (is_first ? "/monitor" : "/monitor/" + member);
  }
};

// <root>/<UTC start>_<name>, with -2, -3 … behind it where that is taken: the system decides, so
// that two that start at once never share one. The root is made, too.
[[nodiscard]] Result<RunFolder> MakeRunFolder(const std::string& root, std::string_view name,
                                              int64_t start_ns);

// Twelve letters and digits, by chance.
[[nodiscard]] std::string MakeRunId();

}  // namespace telltale
