// SPDX-License-Identifier: Apache-2.0
// A file format that holds a profile of functions: how to tell it from the first bytes, and how to
// read it. One folder per format; function_formats.cpp lists them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.h"
#include "formats/read_options.h"
#include "io/byte_source.h"
#include "model/function_profile.h"

namespace telltale {

// How much of a decoded file a format may look at to tell whether it is its own.
constexpr size_t kHeadBytes = size_t{64} << 10;

struct FunctionFormat {
  std::string_view name;  // files[].format of the JSON output
  // Content decides; the name helps only where content cannot.
  bool (*matches)(std::string_view head, std::string_view path) = nullptr;
  // Sets shape, unit, functions, values and diagnostics. Fails (kUnreadable) only if nothing of the
  // input can be used. Never holds more than a small multiple of what the input really contains,
  // whatever sizes it claims.
  Result<FunctionProfile> (*read)(ByteSource& source, const ReadOptions& options) = nullptr;
};

// In the order in which they are asked.
[[nodiscard]] std::span<const FunctionFormat> FunctionFormats();

// nullptr: none of them.
[[nodiscard]] const FunctionFormat* FindFunctionFormat(std::string_view head,
                                                       std::string_view path);

}  // namespace telltale
