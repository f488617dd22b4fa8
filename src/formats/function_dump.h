// SPDX-License-Identifier: Apache-2.0
// For tests and fuzzers (function_fuzz.h): a profile as text, to compare two of them, and what must
// hold for every profile that a reader makes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/format.h"
#include "model/function_profile.h"

namespace telltale {

// Everything the file said; linear in the profile.
[[nodiscard]] std::string DumpFunctions(const FunctionProfile& profile);

// Empty, or the rule that is broken.
[[nodiscard]] std::string CheckFunctions(const FunctionProfile& profile);

[[nodiscard]] Result<FunctionProfile> ReadFunctions(const Format& format, std::string_view text,
                                                    size_t chunk = SIZE_MAX,
                                                    const ReadOptions& options = {});

// Call paths with their own values: "a;b;c 12\n", in the order of the tree; functions with file and
// line as `name (file:line)`.
[[nodiscard]] std::string PathsOf(const FunctionProfile& profile);

}  // namespace telltale
