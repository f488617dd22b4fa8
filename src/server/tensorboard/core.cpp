// SPDX-License-Identifier: Apache-2.0
// What there is: runs, plugins with data, the folder.
#include <algorithm>
#include <array>
#include <set>

#include "base/json_writer.h"
#include "base/utf8.h"
#include "server/tensorboard/data_request.h"
#include "server/tensorboard/projector_files.h"

namespace telltale {

namespace {

// The version whose API this is.
constexpr std::string_view kTensorboardVersion = "2.21.0";

struct Dashboard {
  std::string_view name;
  std::string_view tab;
  std::string_view element;  // empty: none
  bool disable_reload = false;
  // It is of use where a run has series of one of these.
  std::array<std::string_view, 5> plugins = {};
};

constexpr std::array<Dashboard, 16> kDashboards = {{
    {"timeseries", "Time Series", "", false, {"scalars", "histograms", "images"}},
    {"scalars", "scalars", "tf-scalar-dashboard", false, {"scalars"}},
    {"custom_scalars", "Custom Scalars", "tf-custom-scalar-dashboard", false, {"custom_scalars"}},
    {"images", "images", "tf-image-dashboard", false, {"images"}},
    {"audio", "audio", "tf-audio-dashboard", false, {"audio"}},
    {"debugger-v2", "Debugger V2", "", false, {}},
    {"graphs",
     "graphs",
     "tf-graph-dashboard",
     true,
     {"graphs", "graph_run_metadata", "graph_run_metadata_graph", "graph_keras_model",
      "graph_tagged_run_metadata"}},
    {"distributions", "distributions", "tf-distribution-dashboard", false, {"histograms"}},
    {"histograms", "histograms", "tf-histogram-dashboard", false, {"histograms"}},
    {"text", "text", "tf-text-dashboard", false, {"text"}},
    {"pr_curves", "PR Curves", "tf-pr-curve-dashboard", false, {"pr_curves"}},
    {"profile_redirect", "Profile", "tf-profile-redirect-dashboard", false, {}},
    {"hparams", "hparams", "tf-hparams-dashboard", false, {"hparams"}},
    {"mesh", "mesh", "mesh-dashboard", false, {"mesh"}},
    {"wit_redirect", "What-If Tool", "tf-wit-redirect-dashboard", false, {}},
    {"projector", "projector", "", true, {}},
}};

HttpResponse AnswerEnvironment(const DataContext& context, const DataRequest& /*request*/) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("version", kTensorboardVersion);
  json.Field("data_location", RepairUtf8(context.options.logdir));
  json.Field("window_title", RepairUtf8(context.options.window_title));
  json.Field("experiment_name", "");
  json.Field("experiment_description", "");
  json.Field("creation_time", 0);
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse AnswerLogdir(const DataContext& context, const DataRequest& /*request*/) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("logdir", RepairUtf8(context.options.logdir));
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse AnswerWindowProperties(const DataContext& context, const DataRequest& /*request*/) {
  JsonWriter json(false);
  json.BeginObject();
  json.Field("window_title", RepairUtf8(context.options.window_title));
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse AnswerRuns(const DataContext& context, const DataRequest& /*request*/) {
  JsonWriter json(false);
  json.BeginArray();
  for (const Board::Run& run : context.board.Runs()) json.String(RepairUtf8(run.name));
  json.EndArray();
  return JsonResponse(json.Take());
}

HttpResponse AnswerEmptyList(const DataContext& /*context*/, const DataRequest& /*request*/) {
  return JsonResponse("[]\n");
}

// TensorBoard leads to a file with news of its own here: there are none.
HttpResponse AnswerNotifications(const DataContext& /*context*/, const DataRequest& /*request*/) {
  return JsonResponse("{\"notifications\":[]}\n");
}

HttpResponse AnswerPluginsListing(const DataContext& context, const DataRequest& /*request*/) {
  std::set<std::string, std::less<>> with_data;
  context.board.ForEachRun([&](const BoardRun& run) {
    for (const BoardSeries& series : run.Series("")) with_data.emplace(series.plugin());
  });
  const bool has_embeddings = !ProjectorRuns(context.board).empty();
  JsonWriter json(false);
  json.BeginObject();
  for (const Dashboard& dashboard : kDashboards) {
    const bool enabled = dashboard.name == "projector"
                             ? has_embeddings
                             : std::ranges::any_of(dashboard.plugins, [&](std::string_view plugin) {
                                 return !plugin.empty() && with_data.contains(plugin);
                               });
    json.Key(dashboard.name);
    json.BeginObject();
    json.Field("disable_reload", dashboard.disable_reload);
    json.Field("enabled", enabled);
    json.Field("remove_dom", false);
    json.Field("tab_name", dashboard.tab);
    json.Key("loading_mechanism");
    json.BeginObject();
    if (dashboard.name == "projector") {
      json.Field("type", "IFRAME");
      json.Field("module_path", "/data/plugin/projector/index.js");
    } else if (dashboard.element.empty()) {
      json.Field("type", "NG_COMPONENT");
    } else {
      json.Field("type", "CUSTOM_ELEMENT");
      json.Field("element_name", dashboard.element);
    }
    json.EndObject();
    json.EndObject();
  }
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse AnswerPluginEntry(const DataContext& /*context*/, const DataRequest& /*request*/) {
  return PlainResponse(400, "Plugin is not module loadable");
}

}  // namespace

std::span<const DataRoute> CoreDataRoutes() {
  static constexpr std::array<DataRoute, 9> kRoutes = {{
      {"environment", AnswerEnvironment},
      {"logdir", AnswerLogdir},
      {"runs", AnswerRuns},
      {"experiments", AnswerEmptyList},
      {"experiment_runs", AnswerEmptyList},
      {"plugins_listing", AnswerPluginsListing},
      {"plugin_entry.html", AnswerPluginEntry},
      {"notifications", AnswerNotifications},
      {"window_properties", AnswerWindowProperties},
  }};
  return kRoutes;
}

}  // namespace telltale
