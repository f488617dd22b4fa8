// SPDX-License-Identifier: Apache-2.0
// `telltale profile --csv`: one view as comma-separated values (RFC 4180, lines end in \n), the
// contract's field names as header. Missing values are empty.
#pragma once

#include <cstdint>

#include "views/profile.h"
#include "views/render/output.h"
#include "views/sorting.h"

namespace telltale {

// Any view with rows but the events, which have their own writer (events.h).
void WriteProfileCsv(const Profile& profile, View view, int64_t limit, Output& output);

}  // namespace telltale
