// SPDX-License-Identifier: Apache-2.0
// For tests and fuzzers: a memory profile as text, to compare two of them, and what must hold for
// every one that a reader makes.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "formats/format.h"

namespace telltale {

// Everything the file said; linear in the profile.
[[nodiscard]] std::string DumpMemory(const MemoryProfile& profile);

// Empty, or the rule that is broken.
[[nodiscard]] std::string CheckMemory(const MemoryProfile& profile);

[[nodiscard]] Result<MemoryProfile> ReadMemory(const Format& format, std::string_view text,
                                               size_t chunk = SIZE_MAX);

}  // namespace telltale
