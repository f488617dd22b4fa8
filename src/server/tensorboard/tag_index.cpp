// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/tag_index.h"

#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/protobuf.h"
#include "base/utf8.h"
#include "server/tensorboard/markdown.h"

namespace telltale {

bool HasKnownVersion(const BoardSeries& series) {
  // Of old writers, which had JSON there, it is the first version.
  if (series.first().plugin_content.starts_with('{')) return true;
  protobuf::MessageReader reader(series.first().plugin_content);
  int64_t version = 0;
  while (reader.Next()) {
    if (reader.field().number == 1 && reader.field().IsNumber()) version = reader.field().Signed();
  }
  return version == 0;
}

HttpResponse TagIndex(
    const DataContext& context, std::string_view plugin,
    const std::function<void(const BoardSeries& series, JsonWriter& json)>& more) {
  JsonWriter json(false);
  json.BeginObject();
  context.board.ForEachRun([&](const BoardRun& run) {
    const std::vector<BoardSeries> all = run.Series(plugin);
    if (all.empty()) return;
    json.Key(RepairUtf8(run.name()));
    json.BeginObject();
    for (const BoardSeries& series : all) {
      if (!HasKnownVersion(series)) continue;
      json.Key(RepairUtf8(series.tag()));
      json.BeginObject();
      json.Field("displayName", RepairUtf8(series.first().display_name));
      json.Field("description", SafeHtmlOfMarkdown(RepairUtf8(series.first().description)));
      if (more) more(series, json);
      json.EndObject();
    }
    json.EndObject();
  });
  json.EndObject();
  return JsonResponse(json.Take());
}

void WriteTagDescriptions(const Board& board, std::string_view plugin, JsonWriter& json) {
  std::map<std::string, std::set<std::string>> of_tag;
  std::map<std::string, std::set<std::string>> runs_with;
  board.ForEachRun([&](const BoardRun& run) {
    for (const BoardSeries& series : run.Series(plugin)) {
      if (series.first().description.empty() || !HasKnownVersion(series)) continue;
      const std::string description = RepairUtf8(series.first().description);
      of_tag[RepairUtf8(series.tag())].insert(description);
      runs_with[description].insert(RepairUtf8(run.name()));
    }
  });
  json.BeginObject();
  for (const auto& [tag, descriptions] : of_tag) {
    std::string text;
    if (descriptions.size() == 1) {
      text = *descriptions.begin();
    } else {
      text = "# Multiple descriptions\n";
      for (const std::string& description : descriptions) {
        const std::set<std::string>& runs = runs_with[description];
        if (!text.ends_with("descriptions\n")) text += '\n';
        text += fmt::format("## For run{}: {}\n{}", runs.size() > 1 ? "s" : "",
                            fmt::join(runs, ", "), description);
      }
    }
    json.Field(tag, SafeHtmlOfMarkdown(text));
  }
  json.EndObject();
}

}  // namespace telltale
