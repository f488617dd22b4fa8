// SPDX-License-Identifier: Apache-2.0
// What the views of ranks, devices and streams have in common: labels, paragraphs and cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "views/fields.h"
#include "views/profile.h"
#include "views/render/display.h"
#include "views/render/document.h"
#include "views/render/terminal.h"
#include "views/render/units.h"
#include "views/row_range.h"
#include "views/view.h"
#include "views/words.h"

namespace telltale {

template <typename T>
[[nodiscard]] FieldValue OrMissing(const std::optional<T>& value) {
  return value ? FieldValue(*value) : FieldValue();
}

}  // namespace telltale
