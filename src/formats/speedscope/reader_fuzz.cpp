// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for speedscope files (function_fuzz.h says what must hold), and for the JSON
// parser under them: what simdjson accepts, it accepts.
#include "formats/speedscope/reader.h"

#include <cstdlib>
#include <iostream>

#include "formats/function_fuzz.h"
#include "formats/json_stream_oracle.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  telltale::FuzzFunctionFormat(telltale::SpeedscopeFormat(), data, size);
  if (size < 1) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string difference = telltale::CompareTokensWithSimdjson(text);
  if (!difference.empty()) {
    std::cerr << difference << '\n';
    std::abort();
  }
  return 0;
}
