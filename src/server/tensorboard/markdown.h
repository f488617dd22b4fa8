// SPDX-License-Identifier: Apache-2.0
// Markdown as TensorBoard shows texts and descriptions: headings, paragraphs, lists, quotations,
// code (indented or fenced), tables, rules, emphasis, links and images; HTML passes through. The
// result is not safe yet: SafeHtml (safe_html.h) makes it so.
#pragma once

#include <string>
#include <string_view>

namespace telltale {

[[nodiscard]] std::string HtmlOfMarkdown(std::string_view markdown);

// Both steps.
[[nodiscard]] std::string SafeHtmlOfMarkdown(std::string_view markdown);

}  // namespace telltale
