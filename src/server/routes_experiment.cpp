// SPDX-License-Identifier: Apache-2.0
// Runs beside each other by their configuration, the graph of a model, and embeddings.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/series/importance.h"
#include "base/json_writer.h"
#include "base/utf8.h"
#include "formats/tfevents/decode.h"
#include "formats/tfevents/fields.h"
#include "formats/tfevents/graph.h"
#include "formats/tfevents/keras_model.h"
#include "formats/tfevents/projector_tensor.h"
#include "server/blob_response.h"
#include "server/largest_answer.h"
#include "server/route.h"
#include "server/run_json.h"
#include "server/run_routes.h"
#include "server/run_select.h"
#include "server/run_values.h"
#include "server/tensorboard/projector_files.h"

namespace telltale {

namespace {

constexpr size_t kUsualMetrics = 20;
constexpr size_t kMostValues = 100;
constexpr size_t kMostGraphNodes = 5000;
constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

std::span<const ParamSpec> HparamParams() {
  static const std::vector<ParamSpec> specs = {
      {.name = "where", .type = ParamType::kText},
      {.name = "metrics", .type = ParamType::kText},
      {.name = "limit",
       .type = ParamType::kInteger,
       .least = 1,
       .most = 10'000,
       .clamps = true,
       .usual = "2000"},
      {.name = "raw"},
  };
  return specs;
}

// A setting over the runs that were asked for.
struct Hparam {
  std::string name;
  std::vector<ConfigValue> values;  // by run; monostate where it has none
  std::set<ConfigValue> distinct;
  bool numeric = true;
};

double NumberOf(const ConfigValue& value) {
  if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
  if (const auto* number = std::get_if<double>(&value)) return *number;
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? 1 : 0;
  return kMissing;
}

std::vector<Hparam> HparamsOf(const SelectedRuns& runs) {
  std::map<std::string, Hparam> by_name;
  for (size_t i = 0; i < runs.size(); ++i) {
    for (const auto& [name, value] : runs[i]->info.config) {
      Hparam& hparam = by_name[name];
      hparam.values.resize(runs.size());
      hparam.values[i] = value;
      hparam.distinct.insert(value);
      if (std::holds_alternative<std::string>(value)) hparam.numeric = false;
    }
  }
  std::vector<Hparam> hparams;
  for (auto& [name, hparam] : by_name) {
    hparam.name = name;
    hparams.push_back(std::move(hparam));
  }
  // Those that differ first.
  std::ranges::stable_sort(hparams, [](const Hparam& left, const Hparam& right) {
    return (left.distinct.size() > 1) > (right.distinct.size() > 1);
  });
  return hparams;
}

// Those that were asked for, or those that most runs have.
std::vector<std::string> MetricsOf(const SelectedRuns& runs, std::string_view asked) {
  if (!asked.empty()) return Listed(asked);
  std::map<std::string, size_t> counts;
  for (const std::shared_ptr<const ListedRun>& run : runs) {
    for (const MetricSummary& metric : run->metrics) ++counts[metric.tag];
  }
  std::vector<std::pair<size_t, std::string>> order;
  for (const auto& [tag, count] : counts) order.emplace_back(count, tag);
  std::ranges::stable_sort(order, std::greater<>(), &std::pair<size_t, std::string>::first);
  std::vector<std::string> metrics;
  for (size_t i = 0; i < std::min(order.size(), kUsualMetrics); ++i) {
    metrics.push_back(order[i].second);
  }
  return metrics;
}

std::optional<Importance> ImportanceOf(const Hparam& hparam, const std::vector<double>& metric) {
  if (hparam.distinct.size() < 2) return std::nullopt;
  if (hparam.numeric) {
    std::vector<double> numbers;
    for (const ConfigValue& value : hparam.values) numbers.push_back(NumberOf(value));
    return NumberImportance(numbers, metric);
  }
  std::vector<std::string> texts;
  texts.reserve(hparam.values.size());
  std::vector<double> known;
  for (size_t i = 0; i < hparam.values.size(); ++i) {
    if (hparam.values[i].index() == 0) continue;
    JsonWriter json(false);
    WriteConfigValue(hparam.values[i], json);
    texts.push_back(json.Take());
    known.push_back(metric[i]);
  }
  const std::vector<std::string_view> names(texts.begin(), texts.end());
  return NameImportance(names, known);
}

void WriteHparamRows(const SelectedRuns& runs, size_t rows, const std::vector<std::string>& metrics,
                     JsonWriter& json) {
  json.Key("rows");
  json.BeginArray();
  for (size_t i = 0; i < std::min(rows, runs.size()); ++i) {
    const ListedRun& run = *runs[i];
    json.BeginObject();
    json.Field("id", run.info.id);
    json.Field("name", RepairUtf8(run.info.name));
    json.Key("hparams");
    json.BeginObject();
    for (const auto& [name, value] : run.info.config) {
      json.Key(RepairUtf8(name));
      WriteConfigValue(value, json);
    }
    json.EndObject();
    json.Key("metrics");
    json.BeginObject();
    for (const std::string& name : metrics) {
      const MetricSummary* const metric = run.Metric(name);
      if (metric == nullptr) continue;
      json.Key(RepairUtf8(name));
      WriteNumber(metric->last, json);
    }
    json.EndObject();
    json.EndObject();
  }
  json.EndArray();
}

HttpResponse Hparams(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  const std::shared_ptr<const RunList> list =
      context.runs->workspace().runs(request.params.Has("raw"));
  const Result<SelectedRuns> runs = SelectRuns(*list, request.params.Text("where"), "", false);
  if (!runs) return ErrorResponse(runs.error());
  const std::vector<Hparam> hparams = HparamsOf(*runs);
  const std::vector<std::string> metrics = MetricsOf(*runs, request.params.Text("metrics"));
  return JsonResponse(WriteWithin(request.params.Number("limit"), [&](int64_t rows) {
    JsonWriter json(false);
    json.BeginObject();
    json.Field("total", runs->size());
    json.Key("hparams");
    json.BeginArray();
    for (const Hparam& hparam : hparams) {
      json.BeginObject();
      json.Field("name", RepairUtf8(hparam.name));
      json.Field("kind", hparam.numeric ? "number" : "text");
      json.Field("distinct", hparam.distinct.size());
      json.Key("values");
      json.BeginArray();
      size_t told = 0;
      for (const ConfigValue& value : hparam.distinct) {
        if (told++ == kMostValues) break;
        WriteConfigValue(value, json);
      }
      json.EndArray();
      json.EndObject();
    }
    json.EndArray();
    json.Key("metrics");
    json.BeginArray();
    for (const std::string& metric : metrics) json.String(RepairUtf8(metric));
    json.EndArray();
    json.Key("importance");
    json.BeginArray();
    for (const std::string& name : metrics) {
      std::vector<double> values;
      for (const std::shared_ptr<const ListedRun>& run : *runs) {
        const MetricSummary* const metric = run->Metric(name);
        values.push_back(metric == nullptr ? kMissing : metric->last);
      }
      for (const Hparam& hparam : hparams) {
        const std::optional<Importance> importance = ImportanceOf(hparam, values);
        if (!importance) continue;
        json.BeginObject();
        json.Field("metric", RepairUtf8(name));
        json.Field("hparam", RepairUtf8(hparam.name));
        json.Field("correlation", importance->correlation);
        json.Field("n", importance->runs);
        json.EndObject();
      }
    }
    json.EndArray();
    WriteHparamRows(*runs, static_cast<size_t>(rows), metrics, json);
    json.EndObject();
    return json.Take();
  }));
}

std::span<const ParamSpec> GraphParams() {
  static const std::vector<ParamSpec> specs = {
      {.name = "run", .type = ParamType::kText, .help = "the id of a run", .required = true},
      {.name = "tag", .type = ParamType::kText},
      {.name = "scope", .type = ParamType::kText},
      {.name = "raw"},
  };
  return specs;
}

void WriteCounts(std::string_view key, const std::vector<std::pair<std::string, size_t>>& counts,
                 JsonWriter& json) {
  json.Key(key);
  json.BeginArray();
  for (const auto& [name, count] : counts) {
    if (json.size() > kLastRowBegins) break;
    json.BeginArray();
    json.String(RepairUtf8(name));
    json.Int(count);
    json.EndArray();
  }
  json.EndArray();
}

void WriteNode(const tfevents::GraphScope::Node& node, const tfevents::Graph& graph,
               JsonWriter& json) {
  json.BeginObject();
  json.Field("name", RepairUtf8(node.name));
  json.Field("children", node.children);
  if (node.node < graph.nodes.size()) {
    const tfevents::GraphNode& of = graph.nodes[node.node];
    json.Field("op", RepairUtf8(of.op));
    json.Field("device", RepairUtf8(of.device));
    json.Field("shape", RepairUtf8(of.shape));
    json.Key("inputs");
    json.BeginArray();
    for (const std::string& input : of.inputs) json.String(RepairUtf8(input));
    json.EndArray();
    json.Key("attrs");
    json.BeginObject();
    for (const auto& [name, value] : of.attrs) json.Field(RepairUtf8(name), RepairUtf8(value));
    json.EndObject();
  }
  json.EndObject();
}

// The value of a tag of that plugin.
Result<tfevents::Graph> DecodedGraph(std::string_view plugin, std::string_view value) {
  if (plugin == tfevents::plugin::kMetaGraphs) {
    return tfevents::DecodeGraph(tfevents::GraphOfMetaGraph(value));
  }
  if (plugin != tfevents::kKerasModelPlugin) return tfevents::DecodeGraph(value);
  const Result<tfevents::Tensor> json = tfevents::DecodeValueTensor(value);
  if (!json) return tl::unexpected(json.error());
  if (json->strings.empty()) return Fail(ErrorCode::kUnreadable, "the Keras model is empty");
  const Result<std::string> layers = tfevents::GraphOfKerasModel(json->strings[0]);
  if (!layers) return tl::unexpected(layers.error());
  Result<tfevents::Graph> graph = tfevents::DecodeGraph(*layers);
  if (!graph) return graph;
  // What a layer does is its class, which TensorBoard has as an attribute.
  for (tfevents::GraphNode& node : graph->nodes) {
    for (const auto& [name, text] : node.attrs) {
      if (name == "keras_class") node.op = text;
    }
  }
  return graph;
}

HttpResponse Graph(const RouteContext& context, const RouteRequest& request) {
  if (context.runs == nullptr) return NoRuns();
  const std::string_view run = request.params.Text("run");
  const bool raw = request.params.Has("raw");
  std::string_view tag = request.params.Text("tag");
  if (tag.empty()) tag = tfevents::kGraphTag;
  std::optional<RunValues> found = FindRunValues(context, run, tag, "", raw);
  if (!found || found->values.empty()) {
    found = FindRunValues(context, run, tfevents::kMetaGraphTag, "", raw);
  }
  if (!found || found->values.empty()) {
    return ErrorResponse(404, "no_graph", "the run logged no graph");
  }
  const std::optional<std::string> bytes =
      BytesOf(context.runs->workspace().gate(), found->values.back());
  if (!bytes) return ErrorResponse(422, "unreadable", "the graph cannot be read any more");
  const Result<tfevents::Graph> graph = DecodedGraph(found->plugin, *bytes);
  if (!graph) return ErrorResponse(graph.error());
  const tfevents::GraphScope scope = tfevents::ScopeOf(*graph, request.params.Text("scope"));
  JsonWriter json(false);
  json.BeginObject();
  json.Field("scope", RepairUtf8(request.params.Text("scope")));
  json.Field("total", scope.nodes.size());
  json.Field("nodes_total", graph->nodes.size());
  json.Key("nodes");
  json.BeginArray();
  size_t shown = 0;
  for (const tfevents::GraphScope::Node& node : scope.nodes) {
    if (shown == kMostGraphNodes || json.size() > kLastRowBegins / 2) break;
    WriteNode(node, *graph, json);
    ++shown;
  }
  json.EndArray();
  json.Key("edges");
  json.BeginArray();
  for (const tfevents::GraphScope::Edge& edge : scope.edges) {
    if (edge.from >= shown || edge.to >= shown) continue;
    if (json.size() > kLastRowBegins) break;
    json.BeginArray();
    json.Int(edge.from);
    json.Int(edge.to);
    json.Int(edge.count);
    json.EndArray();
  }
  json.EndArray();
  WriteCounts("inputs", scope.inputs, json);
  WriteCounts("outputs", scope.outputs, json);
  json.EndObject();
  return JsonResponse(json.Take());
}

std::span<const ParamSpec> EmbeddingParams() {
  static const std::vector<ParamSpec> specs = {
      {.name = "run", .type = ParamType::kText, .help = "the id of a run", .required = true},
      {.name = "name", .type = ParamType::kText},
      {.name = "part", .type = ParamType::kChoice, .choices = {"tensor", "metadata", "sprite"}},
      {.name = "raw"},
  };
  return specs;
}

HttpResponse EmbeddingPart(const std::string& folder, const tfevents::ProjectorEmbedding& embedding,
                           std::string_view part, const FileGate& gate) {
  const std::string& named = part == "metadata" ? embedding.metadata_path
                             : part == "sprite" ? embedding.sprite_path
                                                : embedding.tensor_path;
  Result<std::string> bytes = ReadAsset(folder, named, gate);
  if (!bytes) return ErrorResponse(bytes.error());
  if (part == "sprite") return BlobAnswer(std::move(*bytes));
  if (part == "metadata") return FileAnswer(std::move(*bytes), "metadata.tsv", true);
  const Result<tfevents::ProjectorTensor> tensor =
      tfevents::ReadProjectorTensor(*bytes, embedding.tensor_shape);
  if (!tensor) return ErrorResponse(tensor.error());
  // Rows, columns, and the numbers as float32.
  const std::array<uint32_t, 2> head = {static_cast<uint32_t>(tensor->rows),
                                        static_cast<uint32_t>(tensor->columns)};
  std::string body(sizeof(head) + tensor->values.size() * sizeof(float), '\0');
  std::memcpy(body.data(), head.data(), sizeof(head));
  std::memcpy(body.data() + sizeof(head), tensor->values.data(),
              tensor->values.size() * sizeof(float));
  return BinaryResponse(std::move(body));
}

HttpResponse Embeddings(const RouteContext& context, const RouteRequest& request) {
  return WithRun(
      context, request.params.Text("run"), request.params.Has("raw"), [&](const ListedRun& run) {
        const FileGate& gate = context.runs->workspace().gate();
        const std::optional<tfevents::ProjectorConfig> config =
            ReadProjectorFolder(run.info.path, gate);
        if (const std::string_view name = request.params.Text("name"); !name.empty()) {
          const tfevents::ProjectorEmbedding* const embedding =
              config ? tfevents::FindEmbedding(*config, name) : nullptr;
          if (embedding == nullptr) {
            return ErrorResponse(404, "no_such_embedding", "the run has no such embedding");
          }
          return EmbeddingPart(run.info.path, *embedding, request.params.Text("part"), gate);
        }
        JsonWriter json(false);
        json.BeginObject();
        json.Key("embeddings");
        json.BeginArray();
        for (size_t i = 0; config && i < config->embeddings.size(); ++i) {
          const tfevents::ProjectorEmbedding& embedding = config->embeddings[i];
          if (json.size() > kLastRowBegins) break;
          json.BeginObject();
          json.Field("name", embedding.tensor_name);
          json.Field("metadata", !embedding.metadata_path.empty());
          json.Field("sprite", !embedding.sprite_path.empty());
          json.Key("sprite_size");
          json.BeginArray();
          for (const int64_t size : embedding.sprite_size) json.Int(size);
          json.EndArray();
          json.EndObject();
        }
        json.EndArray();
        json.EndObject();
        return JsonResponse(json.Take());
      });
}

}  // namespace

std::span<const Route> ExperimentRoutes() {
  static constexpr std::array<Route, 3> kRoutes = {{
      {"GET", "/api/v1/series/hparams", Hparams, HparamParams},
      {"GET", "/api/v1/series/graph", Graph, GraphParams},
      {"GET", "/api/v1/series/embeddings", Embeddings, EmbeddingParams},
  }};
  return kRoutes;
}

}  // namespace telltale
