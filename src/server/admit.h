// SPDX-License-Identifier: Apache-2.0
// From the target of a request to what a handler is asked: its path below the prefix and its
// parameters, if whoever asks may. Pure functions.
#pragma once

#include <optional>
#include <string_view>

#include "server/access.h"
#include "server/http.h"

namespace telltale {

// Either what to answer without a handler, or nullopt: ask it. Fills in what of the request depends
// on the target; `request` has its method and headers.
[[nodiscard]] std::optional<HttpResponse> Admit(const AccessPolicy& policy,
                                                std::string_view raw_target, HttpRequest& request);

}  // namespace telltale
