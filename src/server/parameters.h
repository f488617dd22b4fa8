// SPDX-License-Identifier: Apache-2.0
// Parameters of a request as the words of a command line: the API and the commands share one table
// of options, one check of the values and one set of messages.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "server/http.h"
#include "views/options.h"

namespace telltale {

struct ParameterRules {
  const CommandSpec& command;
  std::span<const std::string_view> own = {};      // taken by the route itself, passed over here
  std::span<const std::string_view> refused = {};  // options that mean nothing here
};

// `positionals` and `flags` (such as "json") are added. An option that is a flag takes no value, 1,
// true, 0 or false. Errors are kUsage.
[[nodiscard]] Result<Arguments> ParametersAsArguments(const HttpRequest& request,
                                                      const ParameterRules& rules,
                                                      std::span<const std::string> positionals,
                                                      std::span<const std::string_view> flags);

}  // namespace telltale
