// SPDX-License-Identifier: Apache-2.0
// Values that stay on disk, read when somebody asks: through the gate, each from where it lies.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/tensorboard/data_request.h"

namespace telltale {

// Where the values of a series lie, in the order written; empty: there is no such series.
struct FoundValues {
  bool found = false;  // there is such a series
  std::string plugin_content;
  std::vector<BoardValue> values;
};
[[nodiscard]] FoundValues FindValues(const DataContext& context, std::string_view run,
                                     std::string_view tag, std::string_view plugin);

// Calls use(value, bytes) for each that can still be read: files may be cut or replaced meanwhile.
void ForEachStored(
    const FileGate& gate, const std::vector<BoardValue>& values,
    const std::function<void(const StoredValue& value, std::string_view bytes)>& use);

}  // namespace telltale
