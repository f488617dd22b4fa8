// SPDX-License-Identifier: Apache-2.0
// All formats. What is looked into, how a file is told, read and written, and what a message says
// could have been read, follows from this one table.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/format.h"
#include "io/file_gate.h"

namespace telltale {

// In the order in which they are asked.
[[nodiscard]] std::span<const Format> Formats();

// By the first bytes, decoded. nullptr: none of ours, or not enough there yet.
[[nodiscard]] const Format* FindFormat(std::string_view head, std::string_view path);
// The same, but what nobody knows goes to the reader of JSON traces, which finds one behind any
// beginning, or says what it found.
[[nodiscard]] const Format& FormatToRead(std::string_view head, std::string_view path);
// By name; nullptr: there is none.
[[nodiscard]] const Format* FormatNamed(std::string_view name);

// In the order of lists for people: traces first, and of these the usual ones.
[[nodiscard]] std::vector<const Format*> FormatsForPeople();
// Goes behind "expected": "a Perfetto trace, …, or …".
[[nodiscard]] std::string ReadableKinds();

// Without .gz and .zst.
[[nodiscard]] std::string_view WithoutCompression(std::string_view path);
// Whether a file of that name may be a profile, so that looking into it is worth it: folders of
// runs also hold weights, sources and data.
[[nodiscard]] bool MayBeProfileName(std::string_view file_name);

// What a file holds, told from its first bytes: enough to list it without reading it. Reading may
// still find that it is something else.
struct Sniffed {
  const Format* format = nullptr;  // nullptr: none of ours
  bool belongs_in_list = false;
  std::string why_not;  // of files that are never read, or are not listed
};
[[nodiscard]] Sniffed Sniff(std::string_view head, std::string_view path);
// Opens the file and reads a few kilobytes. An Error if it cannot be read.
[[nodiscard]] Result<Sniffed> SniffFile(const std::string& path, const FileGate& gate);

}  // namespace telltale
