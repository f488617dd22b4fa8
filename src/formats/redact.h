// SPDX-License-Identifier: Apache-2.0
// Takes out of a profile what says who recorded it and where: hosts, users, jobs, environment,
// paths of files. What it removes is listed in docs/convert.md. Times, names of functions,
// operators and kernels, shapes and devices stay.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "formats/trace_events.h"
#include "formats/trace_plan.h"
#include "model/function_profile.h"
#include "model/trace.h"

namespace telltale {

class Redactor {
 public:
  // For profiles that say nothing about where they come from but in paths.
  Redactor() = default;
  explicit Redactor(const Trace& trace);

  // Top-level values: only those known to be technical stay.
  [[nodiscard]] static bool KeepsMetadata(std::string_view key);
  // Text or JSON without private words and with files instead of paths. `is_code`: it names places
  // in source files, where relative paths go too.
  [[nodiscard]] std::string Clean(std::string_view text, bool is_code) const;
  // A path that is known to be one of a file: its last part.
  [[nodiscard]] std::string CleanFile(std::string_view path) const;
  // Valid until the next call.
  void Clean(TraceEvent& event);
  // No two functions become one: where only folders told files apart, a number does.
  void Clean(FunctionProfile& profile) const;
  void Clean(TracePlan& plan) const;

 private:
  std::vector<std::string> secrets_;  // longest first
  std::deque<std::string> texts_;
};

}  // namespace telltale
