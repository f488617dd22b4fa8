// SPDX-License-Identifier: Apache-2.0
// What a file holds, told from its first bytes: enough to list it without reading it. Reading may
// still find that it is something else; load.h has the last word.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/file_gate.h"

namespace telltale {

enum class ContentKind : uint8_t { kTrace, kFunctions, kMemory };
[[nodiscard]] std::string_view NameOf(ContentKind kind);  // "trace", "functions", "memory"

struct Sniffed {
  ContentKind kind = ContentKind::kTrace;
  std::string_view format;  // as files[].format of the JSON output
};

// By the first bytes, decoded; `path` helps only where content cannot. nullopt: none of ours, or
// not enough there yet.
[[nodiscard]] std::optional<Sniffed> SniffContent(std::string_view head, std::string_view path);

// Opens the file and reads a few kilobytes. An Error if it cannot be read.
[[nodiscard]] Result<std::optional<Sniffed>> SniffFile(const std::string& path,
                                                       const FileGate& gate);

// Whether a file of that name may be a profile, so that looking into it is worth it: folders of
// runs also hold weights, sources and data.
[[nodiscard]] bool MayBeProfileName(std::string_view file_name);

}  // namespace telltale
