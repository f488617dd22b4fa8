// SPDX-License-Identifier: Apache-2.0
// Any bytes as a W&B log, whole and in two parts: both must tell the same.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "formats/wandb/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using telltale::OpenMemory;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  telltale::WandbLog whole, parts;
  const bool good = whole.Read(*OpenMemory(bytes)).has_value();
  if (!parts.Read(*OpenMemory(bytes.substr(0, size / 2)))) return 0;
  const bool also = parts.Read(*OpenMemory(bytes.substr(parts.position()))).has_value();
  if (good && also && whole.logged.series.points() != parts.logged.series.points()) std::abort();
  return 0;
}
