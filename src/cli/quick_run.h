// SPDX-License-Identifier: Apache-2.0
// The flags of `telltale run` that make a run short: one table of them, what their values mean, how
// they are said to the program, and what became of them. What they do stands in the Python package
// (python/telltale/_inject/telltale_hooks/quick).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json/value.h"
#include "base/result.h"
#include "cli/options.h"
#include "collect/environment.h"

namespace telltale {

// In the order of the help text.
[[nodiscard]] std::vector<ParamSpec> QuickRunOptions();
[[nodiscard]] HelpSection QuickRunHelp();

// The values that were asked for, by the flags' names with underscores: a count of batches is an
// integer, a share of them is not. Null: none. Errors are kUsage.
[[nodiscard]] Result<JsonValue> MakeQuickRun(const ParamValues& arguments);

// What the program finds in its environment: TELLTALE_QUICK, and the variables that libraries read
// themselves.
void SetQuickRun(Environment& environment, const JsonValue& values);

// "quick run: --fast-dev-run=2, --seed=1".
[[nodiscard]] std::string QuickRunLine(const JsonValue& values);
// "key: value" lines for args.txt.
[[nodiscard]] std::string QuickRunArgs(const JsonValue& values);

// run.json's quick_run before anything has happened: nothing is applied, and why that would be.
[[nodiscard]] JsonValue QuickRunAtStart(const JsonValue& values);
// What is to be said at the end, a line each: what was not applied, and what else is worth knowing.
[[nodiscard]] std::vector<std::string> QuickRunRemarks(const JsonValue& quick_run);

}  // namespace telltale
