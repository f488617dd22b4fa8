// SPDX-License-Identifier: Apache-2.0
// Documents and tables as Markdown, to be pasted into an issue or a pull request. What is no table
// (bars, lists of advice) stands there as the terminal shows it, in a block of code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "views/document.h"
#include "views/render/table.h"
#include "views/render/terminal.h"
#include "views/table_data.h"

namespace telltale {

// Lines of code in a comment are about as long as this before they scroll.
inline constexpr OutputStyle kMarkdownStyle = {.width = 100, .color = false, .unicode = true};

// Text that is shown as it is, in one line: nothing in it is markup.
[[nodiscard]] std::string MarkdownText(std::string_view text);
// The same as code.
[[nodiscard]] std::string MarkdownCode(std::string_view text);

// Adds a piece of those below, behind an empty line.
void AppendMarkdown(std::string& out, std::string_view piece);

// Text as the terminal shows it; nothing where there is none.
[[nodiscard]] std::string MarkdownBlock(std::string_view text);

// Header and rows; names are code, bars are left out.
[[nodiscard]] std::string MarkdownTable(const Table& table);
// A table of a document under its title; `shown` 0: all rows. The number of those left out follows.
[[nodiscard]] std::string MarkdownPart(const Document& document, const Document::Part& part,
                                       size_t shown, int least_importance = 1);
// The sentence, a paragraph for each of its lines.
[[nodiscard]] std::string MarkdownSentence(std::string_view sentence);
// The sentence, then all that the terminal has. No limit: what suits each table.
[[nodiscard]] std::string DocumentMarkdown(const Document& document, std::optional<int64_t> limit);

}  // namespace telltale
