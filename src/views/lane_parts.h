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

// Labels of the traces: "rank 3", else the worker's or the file's name.
[[nodiscard]] inline std::vector<std::string> LabelsOf(const ViewInput& input) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < input.traces.size() && i < input.profile.files.size(); ++i)
    labels.push_back(LabelOf(input.profile.files[i]));
  return labels;
}

}  // namespace telltale
