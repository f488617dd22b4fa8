// SPDX-License-Identifier: Apache-2.0
// Query strings, forms and keys of TensorBoard's API, over a folder without runs: whatever is
// asked, the answer is an answer. The first byte chooses the route.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/tfevents/projector.h"
#include "runs/workspace.h"
#include "server/tensorboard/data_api.h"
#include "server/tensorboard/markdown.h"
#include "server/tensorboard/media_values.h"
#include "server/url.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace telltale;
  static const Workspace workspace(WorkspaceOptions{});
  static const HttpHandler api = MakeDataApi(workspace, {"logs", "", true});
  static const std::vector<DataRoute> routes = DataRoutes();
  if (size < 2) return 0;
  const DataRoute& route = routes[data[0] % routes.size()];
  const bool posts = (data[1] & 1) != 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 2), size - 2);
  HttpRequest request;
  request.method = posts ? "POST" : "GET";
  request.path = "/data/" + std::string(route.path);
  if (posts) {
    request.body = text;
    constexpr std::string_view kTypes[] = {"application/x-www-form-urlencoded", "application/json",
                                           "multipart/form-data; boundary=x"};
    request.headers.emplace_back("content-type", kTypes[(data[1] >> 1) % 3]);
  } else {
    const auto target = ParseTarget("/data?" + std::string(text));
    if (!target) return 0;
    request.query = target->query;
  }
  const HttpResponse response = api(request);
  if (response.status < 200 || response.body == nullptr) __builtin_trap();
  static_cast<void>(ReadBlobKey(text));
  static_cast<void>(tfevents::ParseProjectorConfig(text));
  static_cast<void>(SafeHtmlOfMarkdown(text));
  return 0;
}
