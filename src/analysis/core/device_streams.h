// SPDX-License-Identifier: Apache-2.0
// The streams of the devices, and the stream of each device event: what analyses of queues, gaps
// and counters group by.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "analysis/core/device_links.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

struct DeviceStream {
  int64_t device = kNoInt;
  int64_t stream = kNoInt;  // kNoInt: not captured
  friend auto operator<=>(const DeviceStream&, const DeviceStream&) = default;
};

struct DeviceStreams {
  std::vector<DeviceStream> keys;  // ascending
  Column<uint32_t> of_event;  // by position in the links: into keys; kNoRow: no device captured
};

[[nodiscard]] DeviceStreams FindDeviceStreams(const Trace& trace, const DeviceLinks& links);

}  // namespace telltale
