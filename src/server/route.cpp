// SPDX-License-Identifier: Apache-2.0
#include "server/route.h"

#include <new>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "server/respond.h"

namespace telltale {

namespace {

// Seconds until asking again makes sense.
constexpr std::string_view kRetryAfter = "1";

HttpResponse NotLoaded(const ProfileStatus& status) {
  JsonWriter json(false);
  json.BeginObject();
  json.Key("error");
  json.BeginObject();
  json.Field("code", "loading");
  json.Field("message", fmt::format("{} is being read: {} of {} bytes", status.name,
                                    status.loaded_bytes, status.total_bytes));
  json.EndObject();
  json.Key("profile");
  WriteStatus(status, json);
  json.EndObject();
  HttpResponse response = JsonResponse(json.Take(), 202);
  response.headers.emplace_back("Retry-After", kRetryAfter);
  return response;
}

}  // namespace

HttpResponse ErrorResponse(const Error& error) {
  return error.code == ErrorCode::kUsage ? ErrorResponse(400, "wrong_request", error.message)
                                         : ErrorResponse(422, "unreadable", error.message);
}

HttpResponse WithProfile(const RouteContext& context, std::string_view id,
                         const std::function<HttpResponse(const OpenProfile& profile)>& answer) {
  const Residency::Answer got = context.residency.Get(id);
  if (!got.status && context.catalogue.searching()) {
    HttpResponse response =
        ErrorResponse(202, "searching",
                      fmt::format("it is not found yet: the folders are being looked through, {} "
                                  "files and folders so far",
                                  context.catalogue.searched()));
    response.headers.emplace_back("Retry-After", kRetryAfter);
    return response;
  }
  if (!got.status) {
    return ErrorResponse(404, "no_such_profile",
                         "there is no such profile; /api/v1/profiles lists those there are");
  }
  if (got.profile == nullptr) {
    if (got.status->state == ProfileState::kFailed) {
      return ErrorResponse(422, "unreadable", got.status->error);
    }
    return NotLoaded(*got.status);
  }
  try {
    HttpResponse response = answer(*got.profile);
    // While a changed file is read again, answers come from what was there before.
    response.headers.emplace_back("Telltale-Generation", std::to_string(got.status->generation));
    return response;
  } catch (const std::bad_alloc&) {
    return ErrorResponse(503, "out_of_memory",
                         "there is not enough memory to answer this; ask for less");
  }
}

HttpResponse WithKeptAnswer(const RouteContext& context, const RouteRequest& request,
                            const std::function<HttpResponse(const OpenProfile&)>& answer) {
  return WithProfile(context, request.values[0], [&](const OpenProfile& profile) {
    std::string key(request.pattern);
    for (const std::string& value : request.values) key += '\0' + value;
    key += '\0' + request.params.Key();
    if (std::optional<HttpResponse> kept = profile.answers().Find(key)) return std::move(*kept);
    return profile.under_way().Join(key, request.http.abandoned, [&] {
      // Somebody else may have made it meanwhile.
      if (std::optional<HttpResponse> kept = profile.answers().Find(key)) return std::move(*kept);
      HttpResponse response = answer(profile);
      if (response.status != 200) return response;
      // Once for all who ask: the server answers with 304 by the tag.
      response.headers.emplace_back("ETag", EntityTag(*response.body));
      response.packed = std::make_shared<PackedBody>();
      profile.answers().Keep(key, response);
      return response;
    });
  });
}

}  // namespace telltale
