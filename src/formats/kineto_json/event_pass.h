// SPDX-License-Identifier: Apache-2.0
// Reads a JSON trace once more for the text of its events: what no column holds, in file order, one
// event at a time. Finds the same events at the same offsets as reader.h, because it is the same
// parser. One thread; memory does not grow with the text.
#pragma once

#include "base/result.h"
#include "formats/event_listener.h"
#include "formats/kineto_json/reader.h"
#include "io/byte_source.h"

namespace telltale {

// Of the options, `canceled`, `progress` and the sizes count.
[[nodiscard]] Result<void> ReadKinetoEvents(ByteSource& source, const ReadOptions& options,
                                            EventListener& listener);

}  // namespace telltale
