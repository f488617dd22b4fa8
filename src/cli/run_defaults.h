// SPDX-License-Identifier: Apache-2.0
// telltale.toml: flags of `telltale run` that a project always wants. What is given on the command
// line beats it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace telltale {

inline constexpr std::string_view kRunDefaultsFile = "telltale.toml";

// Every flag, as a remark.
[[nodiscard]] std::string RunDefaultsTemplate();

// The part of TOML that flags need: [run], name = value, remarks; values are texts in quotes,
// numbers, true and false, and lists of texts for flags that repeat. Errors name the line.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> ParseRunDefaults(
    std::string_view text);

// The arguments, with what they leave out as ./telltale.toml has it; no file: as they are.
[[nodiscard]] Result<Arguments> WithRunDefaults(const CommandSpec& command,
                                                const Arguments& arguments);

}  // namespace telltale
