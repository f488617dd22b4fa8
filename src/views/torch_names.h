// SPDX-License-Identifier: Apache-2.0
// The sort keys of torch's key_averages().table() beside our own fields.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale {

struct SortAlias {
  std::string_view name;   // torch's, with `device` for every vendor
  std::string_view field;  // ours
};

// The field of a view that `text` names, under our names or torch's; an Error says what is valid.
// An Error is what to say behind the name of the parameter.
[[nodiscard]] Result<std::string> SortFieldOf(std::string_view view,
                                              std::span<const std::string_view> fields,
                                              std::span<const SortAlias> aliases,
                                              std::string_view text);

}  // namespace telltale
