// SPDX-License-Identifier: Apache-2.0
// Any bytes through the detection and the zstd source, in chunks whose size the first byte picks:
// must end, and the size of the chunks must not change text or verdict.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "io/sources.h"

namespace {

// A few bytes of zstd can hold gigabytes: enough is enough.
constexpr size_t kTextLimit = size_t{4} << 20;

struct Decoded {
  std::string text;
  bool problem = false;
};

Decoded DecodeAll(std::string_view bytes, size_t chunk) {
  const auto source = telltale::MakeZstdSource(telltale::MakeMemorySource(bytes, chunk));
  Decoded decoded;
  std::string& text = decoded.text;
  std::string buffer(chunk < 4096 ? chunk * 16 : 65536, '\0');
  while (text.size() < kTextLimit) {
    const size_t count = *source->Read(buffer.data(), buffer.size());
    if (count == 0) break;
    text.append(buffer, 0, count);
  }
  text.resize(std::min(text.size(), kTextLimit));
  decoded.problem = source->problem().has_value();
  return decoded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t chunk = size_t{data[0]} * data[0] + 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const Decoded a = DecodeAll(bytes, chunk);
  const Decoded b = DecodeAll(bytes, SIZE_MAX);
  if (a.text.size() == kTextLimit || b.text.size() == kTextLimit) return 0;
  if (a.problem != b.problem) std::abort();
  // How much before the damage comes out depends on the size of the reads.
  const size_t common = a.problem ? std::min(a.text.size(), b.text.size()) : std::string::npos;
  if (a.text.compare(0, common, b.text, 0, common) != 0) std::abort();
  return 0;
}
