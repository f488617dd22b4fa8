// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for memory timelines, of single changes and of sums (memory_fuzz.h says what
// must hold).
#include "formats/memory_timeline/reader.h"

#include "formats/memory_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  telltale::FuzzMemoryFormat(telltale::MemoryTimelineRawFormat(), data, size);
  telltale::FuzzMemoryFormat(telltale::MemoryTimelineFormat(), data, size);
  return 0;
}
