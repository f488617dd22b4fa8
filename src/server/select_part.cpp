// SPDX-License-Identifier: Apache-2.0
#include "server/select_part.h"

#include "views/part.h"

namespace telltale {

Result<std::shared_ptr<const PreparedProfile>> SelectPart(const OpenProfile& open,
                                                          ProfileRequest& request) {
  if (const Result<void> fits = AdaptToInput(open.subject(), request); !fits) {
    return tl::unexpected(fits.error());
  }
  Result<std::shared_ptr<const PreparedProfile>> prepared =
      open.Prepared(request.analysis, request.rank);
  if (!prepared) return prepared;
  if (const Result<void> there = CheckPart(request.params, (*prepared)->base); !there) {
    return tl::unexpected(there.error());
  }
  return prepared;
}

}  // namespace telltale
