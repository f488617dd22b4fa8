// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/records.h"

namespace telltale::tfevents {

size_t FindHeader(std::string_view bytes, size_t from) {
  for (size_t at = from; at + kHeaderBytes <= bytes.size(); ++at) {
    // The bytes that must be 0 first: most places are ruled out without a checksum.
    if (LoadU32(bytes.data() + at + 4) == 0 && ReadHeader(bytes.data() + at)) return at;
  }
  return std::string_view::npos;
}

size_t FindSoundRecord(std::string_view bytes, size_t from) {
  for (size_t at = FindHeader(bytes, from); at != std::string_view::npos;
       at = FindHeader(bytes, at + 1)) {
    const uint64_t length = *ReadHeader(bytes.data() + at);
    if (length + kFrameBytes <= bytes.size() - at &&
        PayloadIsSound(bytes.data() + at + kHeaderBytes, length)) {
      return at;
    }
  }
  return std::string_view::npos;
}

}  // namespace telltale::tfevents
