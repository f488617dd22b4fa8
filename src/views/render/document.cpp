// SPDX-License-Identifier: Apache-2.0
#include "views/render/document.h"

#include <algorithm>

#include <fmt/format.h>

#include "views/render/colors.h"
#include "views/render/display.h"
#include "views/render/table_json.h"
#include "views/render/table_text.h"
#include "views/render/units.h"

namespace telltale {

namespace {

RowRange RangeOf(const TablePlace& place, RowRange range) {
  if (place.whole) return {};
  return place.main ? range : RowRange(range.limit);
}

}  // namespace

void WriteDocumentJson(const Document& document, RowRange range, JsonWriter& json) {
  if (document.bare()) {
    if (const TableData* table = document.main_table()) WriteTableJson(*table, range, json);
    return;
  }
  const bool any = std::any_of(document.parts().begin(), document.parts().end(),
                               [](const Document::Part& part) { return !part.key.empty(); });
  if (!any) return json.Null();
  std::string_view group;
  json.BeginObject();
  for (const Document::Part& part : document.parts()) {
    if (part.key.empty()) continue;
    if (part.group != group) {
      if (!group.empty()) json.EndObject();
      group = part.group;
      if (!group.empty()) {
        json.Key(group);
        json.BeginObject();
      }
    }
    json.Key(part.key);
    if (part.table != nullptr) {
      WriteTableJson(*part.table, RangeOf(part.place, range), json, range.limit);
    } else if (part.json) {
      part.json(range, json);
    } else {
      WriteJson(part.field, json);
    }
  }
  if (!group.empty()) json.EndObject();
  json.EndObject();
}

void WriteDocumentCsv(const Document& document, int64_t limit, Output& output) {
  if (const TableData* table = document.main_table()) WriteTableCsv(*table, limit, output);
}

std::string DocumentText(const Document& document, std::optional<int64_t> limit,
                         const OutputStyle& style) {
  if (document.text()) return document.text()(limit, style);
  if (document.empty()) return EmptyView(document.title(), document.Sentence(style), style);
  std::string out;
  if (!document.sentence_hidden())
    out += Paragraph(document.Sentence(style), style, 0, document.sentence_ink());
  for (const Document::Part& part : document.parts()) {
    if (part.text) {
      out += part.text(limit, style);
    } else if (part.ShownOnTerminal()) {
      if (!out.empty()) out += '\n';
      out += TablePart(document, part, part.RowsShown(limit), style);
    }
  }
  return out;
}

std::string TablePart(const Document& document, const Document::Part& part, size_t shown,
                      const OutputStyle& style) {
  std::string remark = Remark(part.place.remark, shown, part.table->rows(), style);
  if (!part.place.more.empty()) remark += (style.unicode ? " · " : ", ") + part.place.more;
  if (part.place.words) remark = part.place.words(shown, part.table->rows(), style);
  std::string out;
  if (part.place.headed) out = Heading(part.place.title, remark, style);
  out += TableText(*part.table, {shown, document.labels()}, style);
  if (!part.place.note.empty()) out += Paragraph(part.place.note, style, 2);
  return out;
}

std::string Heading(std::string_view title, std::string_view remark, const OutputStyle& style) {
  std::string out = Paint(Ink::kBold, title, style);
  if (!remark.empty()) {
    const size_t room = style.width > title.size() + 4 ? style.width - title.size() - 2 : 2;
    out += "  " + Paint(Ink::kDim, ShortenMiddle(remark, room, style.unicode), style);
  }
  return out + "\n";
}

std::string Paragraph(std::string_view text, const OutputStyle& style, size_t indent, Ink ink) {
  std::string out;
  const size_t room = style.width > indent ? style.width - indent : 1;
  while (true) {
    const size_t end = text.find('\n');
    for (const std::string& line : Wrap(text.substr(0, end), room))
      out += std::string(indent, ' ') + Paint(ink, line, style) + "\n";
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string Remark(std::string_view order, size_t shown, size_t rows, const OutputStyle& style) {
  if (shown == 0 || rows <= shown) return std::string(order);
  return fmt::format("{}{}{} of {}", order, style.unicode ? " · " : ", ", shown,
                     FormatCount(static_cast<int64_t>(rows)));
}

std::string EmptyView(std::string_view title, std::string_view reason, const OutputStyle& style) {
  return Heading(title, "", style) + Paragraph(reason, style, 2);
}

}  // namespace telltale
