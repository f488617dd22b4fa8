// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for both reports (function_fuzz.h says what must hold).
#include "formats/lightning/reader.h"

#include "formats/function_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  telltale::FuzzFunctionFormat(telltale::LightningSimpleFormat(), data, size);
  telltale::FuzzFunctionFormat(telltale::LightningAdvancedFormat(), data, size);
  return 0;
}
