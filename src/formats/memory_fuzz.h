// SPDX-License-Identifier: Apache-2.0
// What the fuzzers of all memory formats do; each names its format.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "formats/memory_dump.h"

namespace telltale {

// Any bytes, in pieces of any size, give the same result or the same error, and a sound profile.
// Aborts if not. The first byte chooses the size of pieces.
inline void FuzzMemoryFormat(const Format& format, const uint8_t* data, size_t size) {
  const auto check = [](bool good, const std::string& what) {
    if (good) return;
    std::cerr << what << '\n';
    std::abort();
  };
  const auto outcome = [](const Result<MemoryProfile>& profile) {
    return profile ? DumpMemory(*profile) : "error: " + profile.error().message;
  };
  if (size < 1) return;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  static_cast<void>(format.matches(text, ""));
  const Result<MemoryProfile> whole = ReadMemory(format, text);
  if (whole) {
    const std::string broken = CheckMemory(*whole);
    check(broken.empty(), broken);
  }
  const std::string pieces = outcome(ReadMemory(format, text, size_t{data[0]} + 1));
  check(pieces == outcome(whole), "pieces give another result:\n" + pieces);
}

}  // namespace telltale
