// SPDX-License-Identifier: Apache-2.0
// Any bytes as gzip, in chunks whose size the first byte picks: both inflaters must end, and must
// agree on the text and on whether there is a problem.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "io/sources.h"

namespace {

struct Decoded {
  std::string text;
  bool problem = false;
};

// A kilobyte of deflate can hold a megabyte: enough is enough.
constexpr size_t kTextLimit = size_t{4} << 20;

Decoded DecodeAll(std::string_view bytes, size_t chunk,
                  std::unique_ptr<telltale::Inflater> inflater) {
  const auto source =
      telltale::MakeGzipSource(telltale::MakeMemorySource(bytes, chunk), std::move(inflater));
  Decoded decoded;
  std::string buffer(chunk * 16, '\0');
  while (decoded.text.size() < kTextLimit) {
    const size_t count = *source->Read(buffer.data(), buffer.size());
    if (count == 0) {
      decoded.problem = source->problem().has_value();
      return decoded;
    }
    decoded.text.append(buffer, 0, count);
  }
  decoded.text.resize(kTextLimit);
  return decoded;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const size_t chunk = size_t{data[0]} * data[0] + 1;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const Decoded a = DecodeAll(bytes, chunk, telltale::MakeInflater());
  const Decoded b = DecodeAll(bytes, chunk, telltale::MakeZlibInflater());
  if (a.text.size() == kTextLimit || b.text.size() == kTextLimit) return 0;
  if (a.problem != b.problem) std::abort();
  // Behind damage the two may stop at different places.
  const size_t common = a.problem ? std::min(a.text.size(), b.text.size()) : std::string::npos;
  if (a.text.compare(0, common, b.text, 0, common) != 0) std::abort();
  return 0;
}
