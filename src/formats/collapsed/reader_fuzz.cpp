// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for collapsed stacks (function_fuzz.h says what must hold).
#include "formats/collapsed/reader.h"

#include "formats/function_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  telltale::FuzzFunctionFormat(telltale::CollapsedFormat(), data, size);
  return 0;
}
