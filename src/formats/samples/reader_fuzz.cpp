// SPDX-License-Identifier: Apache-2.0
// libFuzzer target for files of samples (function_fuzz.h says what must hold). Checksums would keep
// a fuzzer out: blocks are given right ones first.
#include "formats/samples/reader.h"

#include <cstring>
#include <string>

#include "base/crc32c.h"
#include "formats/function_fuzz.h"
#include "formats/samples/layout.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using telltale::samples::kBlockHeadBytes;
  using telltale::samples::kBlockMark;
  std::string bytes(reinterpret_cast<const char*>(data), size);
  // The first byte is not the file's: FuzzFunctionFormat. An even one leaves the checksums alone.
  for (size_t at = 1; !bytes.empty() && (data[0] & 1) != 0 && at + kBlockHeadBytes <= size;) {
    uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at + kBlockMark.size(), sizeof length);
    if (length > size - at - kBlockHeadBytes) break;
    const uint32_t checksum =
        telltale::Crc32c(std::string_view(bytes).substr(at + kBlockHeadBytes, length));
    std::memcpy(bytes.data() + at + kBlockHeadBytes - sizeof checksum, &checksum, sizeof checksum);
    at += kBlockHeadBytes + length;
  }
  telltale::FuzzFunctionFormat(telltale::SamplesFormat(),
                               reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return 0;
}
