// SPDX-License-Identifier: Apache-2.0
// The sentence that opens a page: what its table says, made from the data. The overview's own is in
// answer.h, those of sections are theirs.
#pragma once

#include <string>

#include "views/profile.h"
#include "views/render/terminal.h"
#include "views/sorting.h"

namespace telltale {

// Of View::kSection: of the profile's section. Never empty.
[[nodiscard]] std::string ViewAnswer(const Profile& profile, View view, const OutputStyle& style);

}  // namespace telltale
