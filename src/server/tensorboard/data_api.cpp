// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/data_api.h"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/cancel.h"

namespace telltale {

namespace {

HttpResponse Answer(const DataContext& context, const std::vector<DataRoute>& routes,
                    const HttpRequest& request) {
  const std::optional<std::string_view> path = DataPath(request.path);
  const auto route = path ? std::ranges::find(routes, *path, &DataRoute::path) : routes.end();
  if (route == routes.end()) return NotFound("");
  const bool posted = request.method == "POST";
  const bool got = request.method == "GET" || request.method == "HEAD";
  if ((posted && route->method == DataMethod::kGet) ||
      (got && route->method == DataMethod::kPost) || (!posted && !got)) {
    HttpResponse response = PlainResponse(405, "this method is not allowed here");
    response.headers.emplace_back("Allow", route->method == DataMethod::kGet ? "GET, HEAD"
                                           : route->method == DataMethod::kPost
                                               ? "POST"
                                               : "GET, HEAD, POST");
    return response;
  }
  std::optional<FormFields> form = posted ? ReadForm(request) : FormFields();
  if (!form) return InvalidArgument("the form is damaged");
  return route->run(context, DataRequest(request, std::move(*form)));
}

}  // namespace

std::vector<DataRoute> DataRoutes() {
  std::vector<DataRoute> routes;
  for (const auto group :
       {CoreDataRoutes, ScalarDataRoutes, TimeSeriesDataRoutes, HistogramDataRoutes,
        MediaDataRoutes, TextDataRoutes, GraphDataRoutes, HparamDataRoutes, CurveDataRoutes,
        LayoutDataRoutes, MeshDataRoutes, ProjectorDataRoutes}) {
    const std::span<const DataRoute> some = group();
    routes.insert(routes.end(), some.begin(), some.end());
  }
  return routes;
}

std::optional<std::string_view> DataPath(std::string_view path) {
  constexpr std::string_view kExperiment = "/experiment/";
  constexpr std::string_view kData = "/data/";
  if (path.starts_with(kExperiment)) {
    // Whatever the experiment is called: there is one.
    path.remove_prefix(kExperiment.size());
    path.remove_prefix(std::min(path.find('/'), path.size()));
  }
  if (!path.starts_with(kData)) return std::nullopt;
  path.remove_prefix(kData.size());
  return path;
}

bool AnswersWhole(std::string_view data_path) {
  static const std::vector<DataRoute> routes = DataRoutes();
  const auto route = std::ranges::find(routes, data_path, &DataRoute::path);
  return route != routes.end() && route->whole;
}

HttpHandler MakeDataApi(const Workspace& workspace, DataOptions options) {
  return [context = DataContext{Board(workspace), std::move(options)},
          routes = DataRoutes()](const HttpRequest& request) {
    HttpResponse response;
    try {
      response = Answer(context, routes, request);
    } catch (const std::bad_alloc&) {
      response = PlainResponse(503, "there is not enough memory to answer this; ask for less");
    } catch (const Canceled&) {
      response = PlainResponse(503, "the client has left");  // nobody reads it
    } catch (const std::exception& error) {
      response = PlainResponse(500, error.what());
    }
    // What people logged is shown, never run.
    response.headers.emplace_back("Content-Security-Policy", "default-src 'none'; sandbox");
    return response;
  };
}

}  // namespace telltale
