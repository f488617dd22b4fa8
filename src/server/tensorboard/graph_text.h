// SPDX-License-Identifier: Apache-2.0
// TensorFlow's GraphDef and RunMetadata in the text form of protocol buffers, which TensorBoard's
// API answers with. Fields that are unknown here are left out, as there.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale {

enum class GraphMessage : uint8_t { kGraphDef, kRunMetadata };

// Values of a node's attributes that are larger than this are left out, and their names noted in
// the attribute `large_key`.
struct GraphTextOptions {
  size_t largest_attribute = SIZE_MAX;
  std::string large_key;
};

[[nodiscard]] Result<std::string> TextOfGraph(GraphMessage message, std::string_view encoded,
                                              const GraphTextOptions& options = {});

}  // namespace telltale
