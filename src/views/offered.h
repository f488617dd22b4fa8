// SPDX-License-Identifier: Apache-2.0
// Which views have something to say about a profile, and what the others lack.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "views/view.h"

namespace telltale {

struct OfferedView {
  std::string_view name;
  std::string_view missing;  // in the words of who made the capture; empty: it has something to say
};

// `captured`: of the input's traces (captured.h). In the order of Views().
[[nodiscard]] std::vector<OfferedView> OfferedViews(const ViewInput& input,
                                                    std::span<const std::string_view> captured);

}  // namespace telltale
