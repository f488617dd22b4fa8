// SPDX-License-Identifier: Apache-2.0
// The profilers of `telltale run`: which there are, what can be set of them, and what a command
// line asks for. All is checked here, before the program starts; the program finds the result in
// its environment, as TELLTALE_PROFILE (names, with commas between them) and TELLTALE_PROFILER
// (a JSON object: every setting of those profilers, with its value in force).
//
//   --profile simple,ops    --profile-steps 100..105    profiler.with_stack=true    profiler=simple
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/value.h"
#include "base/result.h"
#include "cli/options.h"
#include "views/params.h"

namespace telltale {

struct RunProfiler {
  std::string_view name;
  std::string_view what;                       // one line, no full stop
  std::vector<std::string_view> aliases = {};  // as other tools call it
};

// Something to be set: profiler.KEY=VALUE. Numbers and choices are checked as parameters are.
struct RunProfilerSetting {
  std::string_view profiler;
  ParamSpec spec;  // with its whole name, profiler.KEY
  std::string_view usual;
  bool is_flag = false;  // true or false

  [[nodiscard]] std::string Key() const;
};

[[nodiscard]] std::span<const RunProfiler> RunProfilers();
[[nodiscard]] std::span<const RunProfilerSetting> RunProfilerSettings();

// --profile and --profile-steps.
[[nodiscard]] std::vector<ParamSpec> RunProfilerOptions();
// What help says of them behind the options.
[[nodiscard]] std::vector<HelpSection> RunProfilerHelp();

struct ProfilerChoice {
  std::vector<std::string> names;            // in the order of the table; empty: none was asked for
  JsonValue settings = JsonValue::Object();  // KEY: value in force, of these profilers

  [[nodiscard]] bool Has(std::string_view name) const;
  // "simple,ops"
  [[nodiscard]] std::string Names() const;
  // As run.json has it: { "profilers": [...], "settings": {...} }; null where nothing was asked
  // for.
  [[nodiscard]] JsonValue ToRecord() const;
  // As args.txt has it: telltale.profile, telltale.profiler.KEY.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> ToArgs() const;
};

// A value as it is given: true, 3, cpu_time_total.
[[nodiscard]] std::string TextOfSetting(const JsonValue& value);

// Of what was given; errors are kUsage.
[[nodiscard]] Result<ProfilerChoice> ChooseProfilers(const Arguments& arguments);

}  // namespace telltale
