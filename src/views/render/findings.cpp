// SPDX-License-Identifier: Apache-2.0
#include "views/render/findings.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <variant>

#include <fmt/format.h>

#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/units.h"

namespace telltale {

namespace {

// By what the name of a number ends in.
std::string EvidenceWords(std::string_view key, const EvidenceValue& value,
                          const OutputStyle& style) {
  return std::visit(
      [&](const auto& v) {
        using T = std::decay_t<decltype(v)>;
        if constexpr (std::is_same_v<T, int64_t>) {
          // A moment is no duration: it is for looking up, digit by digit.
          if (key.ends_with("start_ns") || key.ends_with("end_ns")) return std::to_string(v);
          if (key.ends_with("_ns")) return FormatDuration(v, style.unicode);
          if (key.ends_with("_bytes")) return FormatBytes(v);
          return FormatCount(v);
        } else if constexpr (std::is_same_v<T, double>) {
          return key.ends_with("_share") ? FormatShare(v) : fmt::format("{:.4g}", v);
        } else {
          return std::string(v);
        }
      },
      value);
}

}  // namespace

std::string FindingsText(std::span<const Recommendation> rows, bool with_evidence,
                         const OutputStyle& style) {
  std::string out;
  size_t severity_width = 0;
  for (const Recommendation& row : rows)
    severity_width = std::max(severity_width, NameOf(row.severity).size());
  const size_t number_width = std::to_string(rows.size()).size();
  const size_t indent = 2 + number_width + 2 + severity_width + 2;
  const auto wrapped = [&](std::string_view text, Ink ink, bool first) {
    for (const std::string& line : Wrap(Printable(text, style.unicode), style.width - indent)) {
      if (!first) out.append(indent, ' ');
      out += Paint(ink, line, style) + "\n";
      first = false;
    }
  };
  for (size_t i = 0; i < rows.size(); ++i) {
    const Recommendation& row = rows[i];
    out += fmt::format(
        "  {}  {}  ", PadLeft(std::to_string(i + 1), number_width),
        Paint(InkOf(row.severity), PadRight(NameOf(row.severity), severity_width), style));
    wrapped(row.text, Ink::kPlain, true);
    if (!with_evidence) continue;
    wrapped(fmt::format("rule {}: {}", row.rule, row.threshold), Ink::kDim, false);
    for (const auto& [name, value] : row.evidence) {
      wrapped(fmt::format("{}: {}", name, EvidenceWords(name, value, style)), Ink::kDim, false);
    }
    if (i + 1 < rows.size()) out += '\n';
  }
  return out;
}

}  // namespace telltale
