// SPDX-License-Identifier: Apache-2.0
#include "server/admit.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "server/page.h"
#include "server/url.h"

namespace telltale {

std::optional<HttpResponse> Admit(const AccessPolicy& policy, std::string_view raw_target,
                                  HttpRequest& request) {
  tl::expected<Target, TargetProblem> target = ParseTarget(raw_target);
  if (!target) {
    return target.error() == TargetProblem::kTooLong
               ? ErrorResponse(414, "address_too_long", "the address is too long")
               : ErrorResponse(400, "bad_address", "the address of the request is not valid");
  }
  const std::optional<std::string_view> below = BelowPrefix(target->path, policy.path_prefix);
  request.path = below.value_or("");
  request.query = std::move(target->query);
  if (std::optional<HttpResponse> response = CheckAccess(policy, request, *target)) {
    return response;
  }
  std::erase_if(request.query, [](const auto& pair) { return pair.first == "token"; });
  if (!below) {
    return Refusal(request, 404, "not_found", "Nothing here",
                   fmt::format("everything is below {}/ (--path_prefix)", policy.path_prefix));
  }
  if (below->empty()) {
    HttpResponse response;
    response.status = 308;
    response.content_type = "text/plain; charset=utf-8";
    const std::string query = target->raw_query.empty() ? "" : "?" + target->raw_query;
    response.headers.emplace_back("Location", policy.path_prefix + "/" + query);
    return response;
  }
  if (request.method != "GET" && request.method != "HEAD" && request.method != "POST") {
    HttpResponse response =
        ErrorResponse(405, "method_not_allowed", "only GET, HEAD and POST are known here");
    response.headers.emplace_back("Allow", "GET, HEAD, POST");
    return response;
  }
  return std::nullopt;
}

}  // namespace telltale
