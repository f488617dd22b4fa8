// SPDX-License-Identifier: Apache-2.0
// The parameters of a request, read by the table of its route (views/params.h): what is not in the
// table does not come in.
#pragma once

#include <span>

#include "base/result.h"
#include "server/http.h"
#include "views/params.h"

namespace telltale {

// A flag takes no value, 1, true, 0 or false. Unknown names are an Error that names the nearest;
// all are kUsage.
[[nodiscard]] Result<ParamValues> ReadParameters(std::span<const ParamSpec> known,
                                                 const HttpRequest& request);

}  // namespace telltale
