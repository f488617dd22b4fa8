// SPDX-License-Identifier: Apache-2.0
// Files that are dropped on the page. The server reads below its roots alone; what its own user
// drops is sent in pieces, each no larger than any request's body, and kept in a folder that goes
// with the server. Nobody else may write here, with or without a token.
#include <array>
#include <optional>
#include <string>

#include "base/json_writer.h"
#include "formats/registry.h"
#include "io/given_files.h"
#include "server/route.h"

namespace telltale {

namespace {

std::optional<HttpResponse> Refusal(const RouteContext& context, const RouteRequest& request) {
  if (context.options.given == nullptr) {
    return ErrorResponse(404, "no_drop",
                         "this server takes no files: there is no folder for temporary ones; open "
                         "the file with telltale view FILE");
  }
  if (!request.http.of_owner) {
    return ErrorResponse(403, "not_owner",
                         "only whoever runs the server, on its own machine, may give it files; "
                         "open the file with telltale view FILE there");
  }
  return std::nullopt;
}

std::span<const ParamSpec> BeginParams() {
  static const std::array<ParamSpec, 2> specs = {{
      {.name = "name", .type = ParamType::kText},
      {.name = "bytes",
       .type = ParamType::kInteger,
       .help = "the size of the file",
       .least = 0,
       .required = true},
  }};
  return specs;
}

std::span<const ParamSpec> AppendParams() {
  static const std::array<ParamSpec, 1> specs = {{{.name = "offset",
                                                   .type = ParamType::kInteger,
                                                   .help = "bytes before this piece",
                                                   .least = 0,
                                                   .required = true}}};
  return specs;
}

// Checked not to be negative.
uint64_t Bytes(const RouteRequest& request, std::string_view name) {
  return static_cast<uint64_t>(request.params.Number(name));
}

// 507: the request is right, there is no room for it.
HttpResponse Failed(const Error& error) {
  return error.code == ErrorCode::kUnwritable ? ErrorResponse(507, "no_room", error.message)
                                              : ErrorResponse(error);
}

HttpResponse Begin(const RouteContext& context, const RouteRequest& request) {
  if (std::optional<HttpResponse> refusal = Refusal(context, request)) return *refusal;
  const Result<std::string> id =
      context.options.given->Begin(request.params.Text("name"), Bytes(request, "bytes"));
  if (!id) return Failed(id.error());
  JsonWriter json(false);
  json.BeginObject();
  json.Field("id", *id);
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse Append(const RouteContext& context, const RouteRequest& request) {
  if (std::optional<HttpResponse> refusal = Refusal(context, request)) return *refusal;
  const Result<void> done =
      context.options.given->Append(request.values[0], Bytes(request, "offset"), request.http.body);
  return done ? JsonResponse("{}") : Failed(done.error());
}

HttpResponse Finish(const RouteContext& context, const RouteRequest& request) {
  if (std::optional<HttpResponse> refusal = Refusal(context, request)) return *refusal;
  GivenFiles& given = *context.options.given;
  const Result<std::string> path = given.Finish(request.values[0]);
  if (!path) return Failed(path.error());
  const Result<Sniffed> sniffed = SniffFile(*path, context.catalogue.gate());
  if (!sniffed || sniffed->format == nullptr) {
    given.Discard(*path);
    return ErrorResponse(422, "no_profile",
                         "this is no file that can be read: expected a trace (.json, .json.gz, "
                         ".pftrace), a .prof, speedscope, collapsed stacks or another profile");
  }
  JsonWriter json(false);
  json.BeginObject();
  json.Field("path", *path);
  json.EndObject();
  return JsonResponse(json.Take());
}

}  // namespace

std::span<const Route> GivenRoutes() {
  static constexpr std::array<Route, 3> kRoutes = {{
      {"POST", "/api/v1/given", Begin, BeginParams},
      {"POST", "/api/v1/given/{file}", Append, AppendParams},
      {"POST", "/api/v1/given/{file}/done", Finish},
  }};
  return kRoutes;
}

}  // namespace telltale
