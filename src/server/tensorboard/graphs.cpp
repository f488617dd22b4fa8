// SPDX-License-Identifier: Apache-2.0
// Graphs and what a session measured of one, in the text form of their messages.
#include <array>
#include <map>

#include <fmt/format.h>

#include "base/json_writer.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "formats/tfevents/decode.h"
#include "formats/tfevents/keras_model.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/graph_text.h"
#include "server/tensorboard/stored_values.h"

namespace telltale {

namespace {

constexpr std::string_view kRunGraph = "graphs";
constexpr std::string_view kRunGraphTag = "__run_graph__";
constexpr std::string_view kMetadata = "graph_run_metadata";
constexpr std::string_view kMetadataWithGraph = "graph_run_metadata_graph";
constexpr std::string_view kKerasModel = tfevents::kKerasModelPlugin;
constexpr std::string_view kTaggedMetadata = "graph_tagged_run_metadata";
constexpr std::string_view kTextType = "text/x-protobuf; charset=utf-8";

struct TagInfo {
  bool conceptual_graph = false;
  bool op_graph = false;
  bool profile = false;
};

HttpResponse AnswerInfo(const DataContext& context, const DataRequest& /*request*/) {
  JsonWriter json(false);
  json.BeginObject();
  context.board.ForEachRun([&](const BoardRun& run) {
    bool run_graph = false;
    std::map<std::string, TagInfo> tags;
    for (const BoardSeries& series : run.Series("")) {
      const std::string tag = RepairUtf8(series.tag());
      const std::string_view plugin = series.plugin();
      const bool known = series.first().plugin_content == "1";
      if (plugin == kRunGraph && tag == kRunGraphTag) run_graph = true;
      if (plugin == kTaggedMetadata) tags[tag].profile = true;
      if (plugin == kMetadata && known) tags[tag].profile = tags[tag].op_graph = true;
      if (plugin == kMetadataWithGraph && known) tags[tag].op_graph = true;
      if (plugin == kKerasModel && known) tags[tag].conceptual_graph = true;
    }
    if (!run_graph && tags.empty()) return;
    json.Key(RepairUtf8(run.name()));
    json.BeginObject();
    json.Field("run", RepairUtf8(run.name()));
    json.Key("tags");
    json.BeginObject();
    for (const auto& [tag, info] : tags) {
      json.Key(tag);
      json.BeginObject();
      json.Field("tag", tag);
      json.Field("conceptual_graph", info.conceptual_graph);
      json.Field("op_graph", info.op_graph);
      json.Field("profile", info.profile);
      json.EndObject();
    }
    json.EndObject();
    json.Field("run_graph", run_graph);
    json.EndObject();
  });
  json.EndObject();
  return JsonResponse(json.Take());
}

// The message of a graph, of what a session measured: as it lies, or as a tensor of one text.
std::optional<std::string> MessageOf(std::string_view value, std::string_view plugin) {
  if (plugin == kRunGraph || plugin == kTaggedMetadata) return std::string(value);
  const Result<tfevents::Tensor> tensor = tfevents::DecodeValueTensor(value);
  if (!tensor || tensor->strings.empty()) return std::nullopt;
  return std::string(tensor->strings[0]);
}

// The latest value of the first of these plugins that has one.
std::optional<std::string> LatestOf(const DataContext& context, std::string_view run,
                                    std::string_view tag,
                                    std::span<const std::string_view> plugins) {
  for (const std::string_view plugin : plugins) {
    FoundValues found = FindValues(context, run, tag, plugin);
    if (found.values.empty()) continue;
    found.values.erase(found.values.begin(), found.values.end() - 1);
    std::optional<std::string> bytes;
    ForEachStored(
        context.board.gate(), found.values,
        [&](const StoredValue&, std::string_view stored) { bytes = MessageOf(stored, plugin); });
    if (bytes) return bytes;
  }
  return std::nullopt;
}

// All graphs of functions before they were optimised, as one.
std::string JoinedGraphs(std::string_view run_metadata) {
  std::string joined;
  for (protobuf::MessageReader reader(run_metadata); reader.Next();) {
    if (reader.field().number != 4) continue;
    for (protobuf::MessageReader graphs(reader.field().bytes); graphs.Next();) {
      if (graphs.field().number == 2) joined += graphs.field().bytes;
    }
  }
  return joined;
}

HttpResponse TextAnswer(GraphMessage message, std::string_view bytes,
                        const GraphTextOptions& options) {
  Result<std::string> text = TextOfGraph(message, bytes, options);
  if (!text) return PlainResponse(422, text.error().message);
  return BodyResponse(std::move(*text), kTextType);
}

HttpResponse AnswerGraph(const DataContext& context, const DataRequest& request) {
  const std::optional<std::string_view> run = request.Argument("run");
  if (!run) return PlainResponse(400, "query parameter \"run\" is required");
  GraphTextOptions options;
  if (request.Argument("limit_attr_size")) {
    const std::optional<int64_t> limit = request.Number("limit_attr_size", 0);
    if (!limit) return PlainResponse(400, "query parameter `limit_attr_size` must be an integer");
    if (*limit <= 0) {
      return PlainResponse(400, fmt::format("limit_attr_size must be > 0, but is {}", *limit));
    }
    if (!request.Argument("large_attrs_key")) {
      return PlainResponse(400, "large_attrs_key must be given with limit_attr_size");
    }
    options.largest_attribute = static_cast<size_t>(*limit);
    options.large_key = RepairUtf8(*request.Argument("large_attrs_key"));
  }
  const std::optional<std::string_view> tag = request.Argument("tag");
  if (request.Argument("conceptual") == "true") {
    const std::array plugins = {kKerasModel};
    const std::optional<std::string> model = LatestOf(context, *run, tag.value_or(""), plugins);
    if (!model) return NotFound("");
    const Result<std::string> graph = tfevents::GraphOfKerasModel(*model);
    if (!graph) return PlainResponse(422, graph.error().message);
    return TextAnswer(GraphMessage::kGraphDef, *graph, options);
  }
  if (!tag) {
    const std::array plugins = {kRunGraph};
    const std::optional<std::string> graph = LatestOf(context, *run, kRunGraphTag, plugins);
    return graph ? TextAnswer(GraphMessage::kGraphDef, *graph, options) : NotFound("");
  }
  const std::array plugins = {kMetadata, kMetadataWithGraph};
  const std::optional<std::string> metadata = LatestOf(context, *run, *tag, plugins);
  return metadata ? TextAnswer(GraphMessage::kGraphDef, JoinedGraphs(*metadata), options)
                  : NotFound("");
}

HttpResponse AnswerRunMetadata(const DataContext& context, const DataRequest& request) {
  const std::optional<std::string_view> run = request.Argument("run");
  const std::optional<std::string_view> tag = request.Argument("tag");
  if (!tag) return PlainResponse(400, "query parameter \"tag\" is required");
  if (!run) return PlainResponse(400, "query parameter \"run\" is required");
  const std::array plugins = {kTaggedMetadata, kMetadata};
  const std::optional<std::string> metadata = LatestOf(context, *run, *tag, plugins);
  return metadata ? TextAnswer(GraphMessage::kRunMetadata, *metadata, {}) : NotFound("");
}

}  // namespace

std::span<const DataRoute> GraphDataRoutes() {
  static constexpr std::array<DataRoute, 3> kRoutes = {{
      {"plugin/graphs/info", AnswerInfo},
      {"plugin/graphs/graph", AnswerGraph, DataMethod::kGet, true},
      {"plugin/graphs/run_metadata", AnswerRunMetadata, DataMethod::kGet, true},
  }};
  return kRoutes;
}

}  // namespace telltale
