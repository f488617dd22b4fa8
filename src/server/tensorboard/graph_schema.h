// SPDX-License-Identifier: Apache-2.0
// The fields of TensorFlow's messages about graphs, by number. "1 node NodeDef*": number, name and
// type; * is repeated, % a map, ? a member of a oneof, which is told even where it is zero.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace telltale {

struct GraphMessageSchema {
  std::string_view name;
  std::string_view fields;
};
[[nodiscard]] std::span<const GraphMessageSchema> GraphSchema();

// "DT_FLOAT"; empty: there is none of that number. `type` is DataType or FullTypeId.
[[nodiscard]] std::string_view GraphEnumName(std::string_view type, int64_t value);

}  // namespace telltale
