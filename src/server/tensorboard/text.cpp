// SPDX-License-Identifier: Apache-2.0
// Texts: as HTML that is safe to show, a table where they are several.
#include <array>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "formats/tfevents/decode.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/markdown.h"
#include "server/tensorboard/python_text.h"
#include "server/tensorboard/safe_html.h"
#include "server/tensorboard/stored_values.h"
#include "server/tensorboard/tag_index.h"

namespace telltale {

namespace {

HttpResponse AnswerTags(const DataContext& context, const DataRequest& /*request*/) {
  JsonWriter json(false);
  json.BeginObject();
  context.board.ForEachRun([&](const BoardRun& run) {
    const std::vector<BoardSeries> all = run.Series("text");
    if (all.empty()) return;
    json.Key(RepairUtf8(run.name()));
    json.BeginArray();
    for (const BoardSeries& series : all) {
      if (HasKnownVersion(series)) json.String(RepairUtf8(series.tag()));
    }
    json.EndArray();
  });
  json.EndObject();
  return JsonResponse(json.Take());
}

std::string CellHtml(const tfevents::TextValue& text, size_t row, size_t column, bool markdown) {
  std::string cell = text.Cell(row, column);
  return markdown ? HtmlOfMarkdown(cell) : cell;
}

std::string TableHtml(const tfevents::TextValue& text, bool markdown) {
  std::string out = "<table>\n<tbody>\n";
  for (size_t row = 0; row < text.rows; ++row) {
    out += "<tr>\n";
    for (size_t column = 0; column < text.columns; ++column) {
      out += "<td>" + CellHtml(text, row, column, markdown) + "</td>\n";
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>";
}

std::string HtmlOf(const tfevents::TextValue& text, bool markdown) {
  if (text.shape.empty()) return text.texts.empty() ? "" : SafeHtml(CellHtml(text, 0, 0, markdown));
  std::string warning;
  if (text.shape.size() > 2) {
    warning = SafeHtmlOfMarkdown(
        fmt::format("**Warning:** This text summary contained data of dimensionality {}, but only "
                    "  2d tables are supported. Showing a 2d slice of the data instead.",
                    text.shape.size()));
  }
  return warning + SafeHtml(TableHtml(text, markdown));
}

HttpResponse AnswerTexts(const DataContext& context, const DataRequest& request) {
  const std::string_view run = request.Argument("run").value_or("");
  const std::string_view tag = request.Argument("tag").value_or("");
  const bool markdown = request.Argument("markdown") != "false";
  JsonWriter json(false);
  json.BeginArray();
  const FoundValues found = FindValues(context, run, tag, "text");
  ForEachStored(context.board.gate(), found.values,
                [&](const StoredValue& value, std::string_view bytes) {
                  const Result<tfevents::TextValue> text = tfevents::DecodeText(bytes);
                  if (!text) return;
                  json.BeginObject();
                  json.Key("wall_time");
                  json.Raw(JsonNumber(value.wall_time));
                  json.Field("step", value.step);
                  json.Field("text", HtmlOf(*text, markdown));
                  json.EndObject();
                });
  json.EndArray();
  return JsonResponse(json.Take());
}

}  // namespace

std::span<const DataRoute> TextDataRoutes() {
  static constexpr std::array<DataRoute, 2> kRoutes = {{
      {"plugin/text/tags", AnswerTags},
      {"plugin/text/text", AnswerTexts, DataMethod::kGet, true},
  }};
  return kRoutes;
}

}  // namespace telltale
