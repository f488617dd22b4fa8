// SPDX-License-Identifier: Apache-2.0
#include "server/parameters.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "views/render/display.h"

namespace telltale {

namespace {

bool IsFlag(const CommandSpec& command, std::string_view name) {
  return std::ranges::any_of(command.options, [&](const OptionSpec& option) {
    return option.type == OptionType::kFlag &&
           (option.name == name || std::ranges::find(option.aliases, name) != option.aliases.end());
  });
}

bool Has(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

Result<Arguments> ParametersAsArguments(const HttpRequest& request, const ParameterRules& rules,
                                        std::span<const std::string> positionals,
                                        std::span<const std::string_view> flags) {
  std::vector<std::string> words;
  for (const std::string_view flag : flags) words.push_back(fmt::format("--{}", flag));
  for (const auto& [given, value] : request.query) {
    std::string name = given;
    std::ranges::replace(name, '_', '-');
    if (Has(rules.own, name)) continue;
    if (Has(rules.refused, name) || name.empty() || name.find('=') != std::string::npos) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("'{}' is no parameter of this path", Printable(given, true)));
    }
    if (!IsFlag(rules.command, name)) {
      words.push_back(fmt::format("--{}={}", name, value));
    } else if (value.empty() || value == "1" || value == "true") {
      words.push_back(fmt::format("--{}", name));
    } else if (value != "0" && value != "false") {
      return Fail(ErrorCode::kUsage,
                  fmt::format("{} takes true or false, not '{}'", name, Printable(value, true)));
    }
  }
  words.emplace_back("--");
  words.insert(words.end(), positionals.begin(), positionals.end());
  return ParseArguments(rules.command, words);
}

}  // namespace telltale
