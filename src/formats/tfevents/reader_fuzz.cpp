// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: any bytes, in pieces and blocks of any size, on several threads, give the same
// series or the same error; a tail that gets them in two parts has no fewer points than before. The
// first byte chooses the sizes.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <string_view>

#include "formats/tfevents/event_fixture.h"
#include "formats/tfevents/reader.h"
#include "formats/tfevents/tensor.h"

namespace telltale::tfevents {
namespace {

void Check(bool good, const std::string& what) {
  if (good) return;
  std::cerr << what << '\n';
  std::abort();
}

std::string Outcome(const Result<SeriesSet>& set) {
  return set ? Dump(*set) : "error: " + set.error().message;
}

void Fuzz(uint8_t choice, std::string_view bytes) {
  // The decoders of compressed files have targets of their own.
  if (bytes.starts_with("\x1f\x8b") || bytes.starts_with("\x28\xb5\x2f\xfd")) return;
  static_cast<void>(TfeventsFormat().matches(bytes, ""));
  const std::string whole = Outcome(ReadEvents(bytes));
  const std::string pieces = Outcome(ReadEvents(bytes, size_t{choice} + 1, size_t{choice} * 3, 2));
  Check(whole == pieces, "pieces give another result:\n" + whole + "---\n" + pieces);

  EventTail tail;
  const size_t cut = bytes.size() * choice / 255;
  const auto first = OpenMemory(bytes.substr(0, cut));
  if (!tail.Read(*first)) return;
  const size_t points = tail.series().points();
  Check(tail.position() <= cut, "a position behind what was there");
  const auto second = OpenMemory(bytes.substr(tail.position()));
  Check(tail.Read(*second).has_value(), "a tail that fails");
  Check(tail.series().points() >= points, "points that went away");
  for (const SeriesTag& tag : tail.series().tags) {
    for (const StoredValue& value : tag.values) {
      Check(value.offset + value.bytes <= bytes.size(), "a value behind the end");
      static_cast<void>(DecodeTensor(bytes.substr(value.offset, value.bytes)));
    }
  }
}

}  // namespace
}  // namespace telltale::tfevents

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 0) {
    telltale::tfevents::Fuzz(data[0], {reinterpret_cast<const char*>(data) + 1, size - 1});
  }
  return 0;
}
