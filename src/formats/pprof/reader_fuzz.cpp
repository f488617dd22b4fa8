// SPDX-License-Identifier: Apache-2.0
// libFuzzer target (function_fuzz.h says what must hold).
#include "formats/pprof/reader.h"

#include "formats/function_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  telltale::FuzzFunctionFormat(telltale::PprofFormat(), data, size);
  return 0;
}
