// SPDX-License-Identifier: Apache-2.0
// A document as JSON, CSV and text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json_writer.h"
#include "views/document.h"
#include "views/render/colors.h"
#include "views/render/output.h"
#include "views/render/terminal.h"
#include "views/row_range.h"

namespace telltale {

// The value of the view's key; null where nothing in the document has a key.
void WriteDocumentJson(const Document& document, RowRange range, JsonWriter& json);
// The main table, with a header; nothing where there is none.
void WriteDocumentCsv(const Document& document, int64_t limit, Output& output);
// The sentence, headings and tables within the width. No limit: what suits each table.
[[nodiscard]] std::string DocumentText(const Document& document, std::optional<int64_t> limit,
                                       const OutputStyle& style);

// One table with its heading; `shown` 0: all rows.
[[nodiscard]] std::string TablePart(const Document& document, const Document::Part& part,
                                    size_t shown, const OutputStyle& style);

// A bold title with a remark behind it.
[[nodiscard]] std::string Heading(std::string_view title, std::string_view remark,
                                  const OutputStyle& style);
// Lines of the width, a newline behind each.
[[nodiscard]] std::string Paragraph(std::string_view text, const OutputStyle& style,
                                    size_t indent = 0, Ink ink = Ink::kPlain);
// "by idle time", with what is left out: "by idle time · 20 of 56". `shown` 0: all.
[[nodiscard]] std::string Remark(std::string_view order, size_t shown, size_t rows,
                                 const OutputStyle& style);
// A view that has nothing to show, with the reason.
[[nodiscard]] std::string EmptyView(std::string_view title, std::string_view reason,
                                    const OutputStyle& style);

}  // namespace telltale
