// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the calls of a process, of any bytes, end in profiles that can be written. An
// input is small: the first byte says how much of the file is cut off, then come the header and
// extents, each as a length of two bytes and the bytes that stand at its beginning; the rest is
// zeros.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "collect/call_reader.h"
#include "formats/pprof/writer.h"
#include "formats/pstats/writer.h"

namespace telltale {
namespace {

constexpr size_t kMostParts = 4;

void Check(const FunctionProfile& profile) {
  for (size_t node = 0; node < profile.tree.size(); ++node) {
    const CallNodeId parent = profile.tree.parent[node];
    if ((parent == kNoCallNode || parent < node) && profile.tree.self[node] >= 0) continue;
    std::cerr << "a path makes no sense\n";
    std::abort();
  }
  if (WritePprof(profile) && WritePstats(profile)) return;
  std::cerr << "a profile cannot be written\n";
  std::abort();
}

void Fuzz(uint8_t cut, std::string_view given) {
  std::string bytes;
  for (size_t part = 0; part < kMostParts && given.size() >= 2; ++part) {
    const size_t length = static_cast<unsigned char>(given[0]) |
                          static_cast<size_t>(static_cast<unsigned char>(given[1])) << 8;
    const std::string_view beginning = given.substr(2, length);
    given.remove_prefix(2 + beginning.size());
    bytes += beginning;
    bytes.resize((part + 1) * record::kCallExtentBytes);
  }
  bytes.resize(bytes.size() - bytes.size() * cut / 256);
  const Result<RecordedCalls> calls = ReadCalls(bytes, INT64_MAX);
  if (!calls) return;
  Check(ProfileOf(*calls, false));
  Check(ProfileOf(*calls, true));
  for (const ActionProfile& action : ActionProfilesOf(*calls, 3, 0)) {
    Check(action.profile);
  }
}

}  // namespace
}  // namespace telltale

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) telltale::Fuzz(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  return 0;
}
