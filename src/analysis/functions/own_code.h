// SPDX-License-Identifier: Apache-2.0
// A function profile seen from a user's own code: the time of libraries is given to the nearest own
// function above them. Exact for call paths. Pairs of caller and callee say whose time it is only
// where all ways up lead to one own function; the rest stays with the library function and is
// counted as undetermined. Nothing is divided by guess. Used by JoinFunctions.
#pragma once

#include <string_view>

#include "analysis/functions/functions.h"
#include "model/function_profile.h"

namespace telltale {

// Installed packages, the standard library, frozen modules and built-in functions.
[[nodiscard]] bool IsLibrary(std::string_view file, std::string_view name);

// The same of a frame as torch writes it: "train.py(81): save". A module's frame is a name for what
// runs in it, not a place in anybody's code.
[[nodiscard]] bool IsLibraryFrame(std::string_view frame);

// A tree of the profile without library functions, except those with no own function above. Adds to
// `folded`.
[[nodiscard]] CallTree FoldTree(const FunctionProfile& profile, const CallTree& tree,
                                FoldedTime& folded);

// The same for a table of rows and pairs, as far as these determine it. Rows that are folded whole
// are no longer in_profile; pairs lead from own functions where that is known.
void FoldPairs(FunctionTable& table);

}  // namespace telltale
