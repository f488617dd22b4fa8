// SPDX-License-Identifier: Apache-2.0
#include "server/parameters.h"

#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "server/access.h"
#include "views/suggest.h"

namespace telltale {

namespace {

tl::unexpected<Error> Unknown(std::span<const ParamSpec> known, std::string_view name) {
  std::vector<std::string_view> names;
  for (const ParamSpec& spec : known) names.push_back(spec.name);
  return Fail(ErrorCode::kUsage,
              fmt::format("there is no parameter {}{}; there are: {}", QuotedWord(name),
                          DidYouMean(name, names),
                          names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "))));
}

}  // namespace

Result<ParamValues> ReadParameters(std::span<const ParamSpec> known, const HttpRequest& request) {
  ParamValues values(Spelling::kParameter);
  for (const auto& [name, text] : request.query) {
    if (name == kTokenParameter) continue;
    const ParamSpec* const spec = FindParam(known, name);
    if (spec == nullptr) return Unknown(known, name);
    if (spec->type == ParamType::kFlag) {
      if (text == "0" || text == "false") continue;
      if (!text.empty() && text != "1" && text != "true") {
        return values.Wrong(spec->name, "takes true or false, not " + QuotedWord(text));
      }
    }
    if (const Result<void> added = values.Add(*spec, text); !added) {
      return tl::unexpected(added.error());
    }
  }
  for (const ParamSpec& spec : known) {
    if (!values.Text(spec.name).empty()) continue;
    if (spec.required) return values.Wrong(spec.name, fmt::format("is missing: {}", spec.help));
    if (spec.usual.empty()) continue;
    if (const Result<void> added = values.Add(spec, spec.usual); !added) {
      return tl::unexpected(added.error());
    }
  }
  return values;
}

}  // namespace telltale
