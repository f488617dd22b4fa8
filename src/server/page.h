// SPDX-License-Identifier: Apache-2.0
// What a person sees where the page itself cannot be shown: a heading and a sentence. No script and
// no style, so that it passes our own content policy.
#pragma once

#include <string_view>

#include "server/http.h"

namespace telltale {

[[nodiscard]] HttpResponse MessagePage(unsigned status, std::string_view title,
                                       std::string_view message);

// An error as a page for a browser that asks for one, else as JSON.
[[nodiscard]] HttpResponse Refusal(const HttpRequest& request, unsigned status,
                                   std::string_view code, std::string_view title,
                                   std::string_view message);

}  // namespace telltale
