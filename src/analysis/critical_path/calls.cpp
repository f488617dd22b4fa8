// SPDX-License-Identifier: Apache-2.0
#include "analysis/critical_path/calls.h"

#include "base/cancel.h"

#include <algorithm>
#include <array>
#include <string>

namespace telltale {

CallKind CallKindOf(std::string_view call_name) {
  // Longer than any call; names of kernels and modules need no look.
  constexpr size_t kLongestCall = 64;
  if (call_name.size() > kLongestCall) return CallKind::kOther;
  std::string name(call_name);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const auto has = [&](std::string_view part) { return name.find(part) != std::string::npos; };
  if (has("synchronize")) {
    if (has("event") || has("fence")) return CallKind::kWaitForEvent;
    return has("stream") || has("queue") ? CallKind::kWaitForStream : CallKind::kWaitForDevice;
  }
  if (has("eventrecord")) return CallKind::kRecordEvent;
  if (has("streamwaitevent")) return CallKind::kStreamWait;
  if (has("memcpy")) return has("async") ? CallKind::kAsyncCopy : CallKind::kCopy;
  // They return only when all the device's work is done.
  static constexpr std::array<std::string_view, 5> kFrees = {"cudafree", "hipfree", "cumemfree",
                                                             "cumemfree_v2", "cudafreehost"};
  if (std::find(kFrees.begin(), kFrees.end(), name) != kFrees.end()) {
    return CallKind::kWaitForDevice;
  }
  return CallKind::kOther;
}

Column<uint8_t> FindCallKinds(const Trace& trace) {
  Column<uint8_t> kinds(trace.strings.size());
  Column<uint8_t> seen(trace.strings.size());
  const SpanTable& spans = trace.spans;
  CancelCheck cancel;
  for (size_t row = 0; row < spans.size(); ++row) {
    cancel.Tick();
    if (spans.category[row] != Category::kRuntime) continue;
    const auto name = static_cast<size_t>(spans.name[row]);
    if (name >= seen.size() || seen[name] != 0) continue;
    seen[name] = 1;
    kinds[name] = static_cast<uint8_t>(CallKindOf(trace.Text(spans.name[row])));
  }
  return kinds;
}

}  // namespace telltale
