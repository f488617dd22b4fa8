// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for memory snapshots (memory_fuzz.h says what must hold).
#include "formats/memory_snapshot/reader.h"

#include "formats/memory_fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  telltale::FuzzMemoryFormat(telltale::MemorySnapshotFormat(), data, size);
  return 0;
}
