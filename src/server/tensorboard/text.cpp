// SPDX-License-Identifier: Apache-2.0
// Texts: as HTML that is safe to show, a table where they are several.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/decoded_values.h"
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

// Of more than two dimensions, the first plane is shown.
std::string TableHtml(const std::vector<std::string>& cells, size_t rows, size_t columns) {
  std::string out = "<table>\n<tbody>\n";
  for (size_t row = 0; row < rows; ++row) {
    out += "<tr>\n";
    for (size_t column = 0; column < columns; ++column) {
      out += "<td>" + cells[row * columns + column] + "</td>\n";
    }
    out += "</tr>\n";
  }
  return out + "</tbody>\n</table>";
}

std::string HtmlOf(const DecodedText& text, bool markdown) {
  std::vector<std::string> cells;
  for (const std::string_view cell : text.texts) {
    const std::string repaired = RepairUtf8(cell);
    cells.push_back(markdown ? HtmlOfMarkdown(repaired) : repaired);
  }
  if (text.shape.empty()) return cells.empty() ? "" : SafeHtml(cells[0]);
  std::string warning;
  if (text.shape.size() > 2) {
    warning = SafeHtmlOfMarkdown(
        fmt::format("**Warning:** This text summary contained data of dimensionality {}, but only "
                    "2d tables are supported. Showing a 2d slice of the data instead.",
                    text.shape.size()));
  }
  const size_t dimensions = text.shape.size();
  const size_t columns = dimensions == 1 ? 1 : text.shape[dimensions - 1];
  size_t rows = dimensions == 1 ? text.shape[0] : text.shape[dimensions - 2];
  if (columns > 0) rows = std::min(rows, cells.size() / columns);
  return warning + SafeHtml(TableHtml(cells, rows, columns));
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
                  const Result<DecodedText> text = DecodeText(bytes);
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
