// SPDX-License-Identifier: Apache-2.0
// What the fuzzers of all function formats do; each names its format.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "formats/collapsed/writer.h"
#include "formats/function_dump.h"
#include "formats/speedscope/reader.h"
#include "formats/speedscope/writer.h"

namespace telltale {

namespace fuzzing {

inline void Check(bool good, const std::string& what) {
  if (good) return;
  std::cerr << what << '\n';
  std::abort();
}

inline std::string Outcome(const Result<FunctionProfile>& profile) {
  return profile ? DumpFunctions(*profile) : "error: " + profile.error().message;
}

}  // namespace fuzzing

// Any bytes, in pieces of any size, give the same result or the same error, and a sound profile;
// both writers take it. Aborts if not. The first byte chooses the size of pieces.
inline void FuzzFunctionFormat(const Format& format, const uint8_t* data, size_t size) {
  using fuzzing::Check;
  using fuzzing::Outcome;
  if (size < 1) return;
  ReadOptions pieces;
  pieces.block_bytes = size_t{1} + data[0] * 3U;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  (void)format.matches(text.substr(0, kHeadBytes), "");
  const Result<FunctionProfile> whole = ReadFunctions(format, text);
  const std::string expected = Outcome(whole);
  const std::string found = Outcome(ReadFunctions(format, text, 7, pieces));
  Check(expected == found, "in pieces it differs:\n" + expected + "--- in pieces:\n" + found);
  if (!whole) return;
  const std::string broken = CheckFunctions(*whole);
  Check(broken.empty(), broken + ":\n" + expected);
  if (whole->shape != FunctionShape::kTree) return;
  const Result<std::string> speedscope = WriteSpeedscope(*whole);
  Check(speedscope.has_value(), "no speedscope file of a tree");
  const Result<FunctionProfile> again = ReadFunctions(SpeedscopeFormat(), *speedscope);
  Check(again.has_value(), "our own speedscope file cannot be read:\n" + *speedscope);
  Check(WriteCollapsed(*whole).has_value(), "no collapsed stacks of a tree");
}

}  // namespace telltale
