// SPDX-License-Identifier: Apache-2.0
// What the views of ranks, devices and streams have in common: labels, paragraphs and cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "report/display.h"
#include "report/fields.h"
#include "report/profile.h"
#include "report/profile_text.h"
#include "report/section.h"
#include "report/terminal.h"
#include "report/units.h"

namespace telltale {

template <typename T>
[[nodiscard]] FieldValue OrMissing(const std::optional<T>& value) {
  return value ? FieldValue(*value) : FieldValue();
}

// Labels of the traces: "rank 3", else the worker's or the file's name.
[[nodiscard]] inline std::vector<std::string> LabelsOf(const SectionInput& input) {
  std::vector<std::string> labels;
  for (size_t i = 0; i < input.traces.size() && i < input.profile.files.size(); ++i)
    labels.push_back(LabelOf(input.profile.files[i]));
  return labels;
}

// Lines of the width, a newline behind each.
[[nodiscard]] inline std::string Paragraph(std::string_view text, const OutputStyle& style,
                                           size_t indent = 0) {
  std::string out;
  const size_t room = style.width > indent ? style.width - indent : 1;
  for (const std::string& line : Wrap(text, room)) out += std::string(indent, ' ') + line + "\n";
  return out;
}

// A view that has nothing to show, with the reason.
[[nodiscard]] inline std::string EmptyView(std::string_view title, std::string_view reason,
                                           const OutputStyle& style) {
  return Heading(title, "", style) + Paragraph(reason, style, 2);
}

// How many rows a view shows; 0: all.
[[nodiscard]] inline size_t RowLimit(std::optional<int64_t> limit, size_t usual) {
  if (!limit) return usual;
  return *limit <= 0 ? 0 : static_cast<size_t>(*limit);
}

// "by idle time", with what is left out: "by idle time · 20 of 56".
[[nodiscard]] inline std::string Remark(std::string_view order, size_t shown, size_t rows,
                                        const OutputStyle& style) {
  if (shown == 0 || rows <= shown) return std::string(order);
  return fmt::format("{}{}{} of {}", order, style.unicode ? " · " : ", ", shown, rows);
}

[[nodiscard]] inline std::string Plural(uint64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", FormatCount(static_cast<int64_t>(count)), noun,
                     count == 1 ? "" : "s");
}

}  // namespace telltale
