// SPDX-License-Identifier: Apache-2.0
// The part of YAML in which tools write their settings (hparams.yaml, .hydra/config.yaml,
// meta.yaml): block and flow mappings and lists, plain and quoted scalars, | and > blocks,
// comments, several documents of which the first counts. Tags such as !!python/object are kept as
// text in front of a scalar and passed over in front of a mapping or list; anchors are passed over,
// an alias is its own text. What is not understood is counted, and reading goes on with the next
// line. Never throws but std::bad_alloc; depth and number of values are bounded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/json/value.h"

namespace telltale {

struct YamlDocument {
  JsonValue value;
  uint64_t bad_lines = 0;  // that could not be understood
  std::optional<uint64_t> first_bad_offset;
};

[[nodiscard]] YamlDocument ParseYaml(std::string_view text, const JsonLimits& limits = {});

// What a plain scalar means: nothing, true and false, whole and other numbers (1e-3, too), .inf and
// .nan; else itself.
[[nodiscard]] JsonValue YamlScalar(std::string_view text);

}  // namespace telltale
