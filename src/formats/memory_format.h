// SPDX-License-Identifier: Apache-2.0
// A file format that holds memory over time: how to tell it from the first bytes, and how to read
// it. One folder per format; memory_formats.cpp lists them.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "formats/read_options.h"
#include "io/byte_source.h"
#include "model/memory_profile.h"

namespace telltale {

struct MemoryFormat {
  std::string_view name;  // files[].format of the JSON output
  bool (*matches)(std::string_view head) = nullptr;
  // Sets everything but the path. Fails (kUnreadable) only if nothing of the input can be used.
  Result<MemoryProfile> (*read)(ByteSource& source, const ReadOptions& options) = nullptr;
};

// nullptr: none of them.
[[nodiscard]] const MemoryFormat* FindMemoryFormat(std::string_view head);

}  // namespace telltale
