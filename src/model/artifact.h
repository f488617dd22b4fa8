// SPDX-License-Identifier: Apache-2.0
// What one source holds, whatever its format.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "model/function_profile.h"
#include "model/memory_profile.h"
#include "model/trace.h"

namespace telltale {

using Content = std::variant<Trace, FunctionProfile, MemoryProfile>;

// In the order of Content.
enum class ContentKind : uint8_t { kTrace, kFunctions, kMemory };
[[nodiscard]] constexpr std::string_view NameOf(ContentKind kind) {
  switch (kind) {
    case ContentKind::kTrace:
      return "trace";
    case ContentKind::kFunctions:
      return "functions";
    case ContentKind::kMemory:
      break;
  }
  return "memory";
}

}  // namespace telltale
