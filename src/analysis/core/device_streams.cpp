// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/device_streams.h"

#include <map>

namespace telltale {

DeviceStreams FindDeviceStreams(const Trace& trace, const DeviceLinks& links) {
  DeviceStreams streams;
  streams.of_event.resize(links.size());
  std::map<DeviceStream, uint32_t> numbers;  // in order of first use
  DeviceStream last;                         // most events are on the stream of the one before
  uint32_t last_number = kNoRow;
  for (size_t i = 0; i < links.size(); ++i) {
    const DeviceDetail* detail = trace.DeviceOf(links.device[i]);
    if (detail == nullptr || detail->device == kNoInt) {
      streams.of_event[i] = kNoRow;
      continue;
    }
    const DeviceStream key = {detail->device, detail->stream};
    if (last_number == kNoRow || key != last) {
      last = key;
      last_number = numbers.try_emplace(key, static_cast<uint32_t>(numbers.size())).first->second;
    }
    streams.of_event[i] = last_number;
  }
  // From the order of first use to ascending order.
  std::vector<uint32_t> places(numbers.size());
  for (const auto& [key, number] : numbers) {
    places[number] = static_cast<uint32_t>(streams.keys.size());
    streams.keys.push_back(key);
  }
  for (uint32_t& stream : streams.of_event) {
    if (stream != kNoRow) stream = places[stream];
  }
  return streams;
}

}  // namespace telltale
