// SPDX-License-Identifier: Apache-2.0
#include "server/select_part.h"

#include <fmt/format.h>

#include "views/render/display.h"

namespace telltale {

Result<std::shared_ptr<const PreparedProfile>> SelectPart(const OpenProfile& open,
                                                          ProfileRequest& request) {
  const Loaded& loaded = open.loaded();
  if (loaded.traces.empty()) {
    const bool memory = loaded.functions.empty() && !loaded.memory.empty();
    const Result<void> fits = memory ? AdaptToMemory(request) : AdaptToFunctions(request);
    if (!fits) return tl::unexpected(fits.error());
  }
  Result<std::shared_ptr<const PreparedProfile>> prepared =
      open.Prepared(request.analysis, request.rank);
  if (!prepared) return prepared;
  const Profile& base = (*prepared)->base;
  if (!request.steps_text.empty() && base.report.steps.rows.empty()) {
    return Fail(ErrorCode::kUsage, fmt::format("steps {} matches no step of this trace",
                                               Printable(request.steps_text, true)));
  }
  if (base.nothing_selected) {
    return Fail(ErrorCode::kUsage, fmt::format("inside '{}' matches no range of this trace",
                                               Printable(request.analysis.inside, true)));
  }
  return prepared;
}

}  // namespace telltale
