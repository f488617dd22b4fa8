// SPDX-License-Identifier: Apache-2.0
// Reads the .prof files of Python's cProfile and profile modules, of 2.7 and of every 3 (FORMAT.md
// beside this file): one marshalled dictionary. Nothing is executed or unpickled. Damage ends the
// reading; the entries before it are kept.
#pragma once

#include <string_view>

#include "base/result.h"
#include "formats/format.h"
#include "formats/read_options.h"
#include "io/byte_source.h"
#include "model/function_profile.h"

namespace telltale {

// By content, or by a name that ends in .prof, .pstats or .cprof (and .gz or .zst) where the
// content is no JSON: then the reader says what is wrong with it. To be asked last.
[[nodiscard]] bool LooksLikePstats(std::string_view head, std::string_view path);

// Fails only if there is no whole entry before the damage: kUnreadable with the byte.
[[nodiscard]] Result<FunctionProfile> ReadPstats(ByteSource& source, const ReadOptions& options);

[[nodiscard]] Format PstatsFormat();

}  // namespace telltale
