// SPDX-License-Identifier: Apache-2.0
#include "views/render/markdown.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/utf8.h"
#include "views/render/display.h"
#include "views/render/table_text.h"
#include "views/render/units.h"

namespace telltale {

namespace {

void AppendRow(std::string& out, const Table& table, const auto& cell_of) {
  out += '|';
  for (size_t c = 0; c < table.columns().size(); ++c) {
    if (table.columns()[c].kind == ColumnKind::kBar) continue;
    const std::string cell = cell_of(c);
    out += cell.empty() ? " |" : " " + cell + " |";
  }
  out += '\n';
}

}  // namespace

std::string MarkdownText(std::string_view text) {
  std::string out;
  for (const char c : RepairUtf8(text)) {
    if (c == '\n' || c == '\r' || c == '\t') {
      out += ' ';
      continue;
    }
    if (std::string_view("\\`*_[]<>|~&#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string MarkdownCode(std::string_view text) {
  std::string out = "`";
  for (const char c : text) {
    if (c == '|') {
      out += "\\|";  // also inside code a bar ends a cell
    } else if (c == '`') {
      out += '\'';
    } else {
      out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
  }
  return out + "`";
}

void AppendMarkdown(std::string& out, std::string_view piece) {
  if (!out.empty() && !piece.empty()) out += '\n';
  out += piece;
}

std::string MarkdownBlock(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  if (text.empty()) return "";
  // Longer than any row of backticks in the text, which would end the block.
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return fmt::format("{}text\n{}{}{}\n", fence, text, text.ends_with('\n') ? "" : "\n", fence);
}

std::string MarkdownSentence(std::string_view sentence) {
  std::string out;
  while (!sentence.empty()) {
    const size_t end = std::min(sentence.find('\n'), sentence.size());
    if (end > 0)
      AppendMarkdown(out, fmt::format("**{}**\n", MarkdownText(sentence.substr(0, end))));
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
  return out;
}

std::string MarkdownTable(const Table& table) {
  std::string out;
  AppendRow(out, table, [&](size_t c) { return MarkdownText(table.columns()[c].header); });
  AppendRow(out, table, [&](size_t c) -> std::string {
    return table.columns()[c].kind == ColumnKind::kNumber ? "---:" : "---";
  });
  for (const std::vector<TableCell>& row : table.rows()) {
    AppendRow(out, table, [&](size_t c) -> std::string {
      if (row[c].text.empty()) return "";
      return table.columns()[c].kind == ColumnKind::kName ? MarkdownCode(row[c].text)
                                                          : MarkdownText(row[c].text);
    });
  }
  return out;
}

std::string MarkdownPart(const Document& document, const Document::Part& part, size_t shown,
                         int least_importance) {
  TableTextRequest request;
  request.limit = shown;
  request.labels = document.labels();
  request.least_importance = least_importance;
  request.units_in_cells = true;
  std::string out = fmt::format("#### {}\n\n", MarkdownText(part.place.title));
  out += MarkdownTable(TableForPeople(*part.table, request, kMarkdownStyle));
  const size_t rows = part.table->rows();
  if (shown != 0 && shown < rows)
    out += fmt::format("\n… and {} more\n", FormatCount(static_cast<int64_t>(rows - shown)));
  if (!part.place.note.empty()) out += fmt::format("\n{}\n", MarkdownText(part.place.note));
  return out;
}

std::string DocumentMarkdown(const Document& document, std::optional<int64_t> limit) {
  if (document.text()) return MarkdownBlock(document.text()(limit, kMarkdownStyle));
  std::string out;
  if (document.empty() || !document.sentence_hidden())
    out += MarkdownSentence(document.Sentence(kMarkdownStyle));
  if (document.empty()) return out;
  for (const Document::Part& part : document.parts()) {
    if (part.text) {
      AppendMarkdown(out, MarkdownBlock(part.text(limit, kMarkdownStyle)));
    } else if (part.ShownOnTerminal()) {
      AppendMarkdown(out, MarkdownPart(document, part, part.RowsShown(limit)));
    }
  }
  return out;
}

}  // namespace telltale
