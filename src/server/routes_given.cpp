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

std::optional<HttpResponse> Refusal(const RouteContext& context, const HttpRequest& request) {
  if (context.options.given == nullptr) {
    return ErrorResponse(404, "no_drop",
                         "this server takes no files: there is no folder for temporary ones; open "
                         "the file with telltale view FILE");
  }
  if (!request.of_owner) {
    return ErrorResponse(403, "not_owner",
                         "only whoever runs the server, on its own machine, may give it files; "
                         "open the file with telltale view FILE there");
  }
  return std::nullopt;
}

template <size_t size>
Result<std::array<uint64_t, size>> Numbers(const HttpRequest& request,
                                           const std::array<std::string_view, size>& names) {
  std::array<uint64_t, size> numbers{};
  for (size_t i = 0; i < size; ++i) {
    const Result<std::optional<int64_t>> number = IntegerParameter(request, names[i], 0);
    if (!number) return tl::unexpected(number.error());
    if (!*number) {
      return Fail(ErrorCode::kUsage, "the parameter " + std::string(names[i]) + " is missing");
    }
    numbers[i] = static_cast<uint64_t>(**number);
  }
  return numbers;
}

// 507: the request is right, there is no room for it.
HttpResponse Failed(const Error& error) {
  return error.code == ErrorCode::kUnwritable ? ErrorResponse(507, "no_room", error.message)
                                              : ErrorResponse(error);
}

HttpResponse Begin(const RouteContext& context, const HttpRequest& request,
                   std::span<const std::string> /*values*/) {
  if (std::optional<HttpResponse> refusal = Refusal(context, request)) return *refusal;
  constexpr std::array<std::string_view, 2> kKnown = {"name", "bytes"};
  if (const Result<void> fine = CheckParameters(request, kKnown); !fine) {
    return ErrorResponse(fine.error());
  }
  const auto numbers = Numbers<1>(request, {"bytes"});
  if (!numbers) return ErrorResponse(numbers.error());
  const Result<std::string> id =
      context.options.given->Begin(request.Query("name").value_or(""), (*numbers)[0]);
  if (!id) return Failed(id.error());
  JsonWriter json(false);
  json.BeginObject();
  json.Field("id", *id);
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse Append(const RouteContext& context, const HttpRequest& request,
                    std::span<const std::string> values) {
  if (std::optional<HttpResponse> refusal = Refusal(context, request)) return *refusal;
  const auto numbers = Numbers<1>(request, {"offset"});
  if (!numbers) return ErrorResponse(numbers.error());
  const Result<void> done = context.options.given->Append(values[0], (*numbers)[0], request.body);
  return done ? JsonResponse("{}") : Failed(done.error());
}

HttpResponse Finish(const RouteContext& context, const HttpRequest& request,
                    std::span<const std::string> values) {
  if (std::optional<HttpResponse> refusal = Refusal(context, request)) return *refusal;
  GivenFiles& given = *context.options.given;
  const Result<std::string> path = given.Finish(values[0]);
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
      {"POST", "/api/v1/given", Begin},
      {"POST", "/api/v1/given/{file}", Append},
      {"POST", "/api/v1/given/{file}/done", Finish},
  }};
  return kRoutes;
}

}  // namespace telltale
