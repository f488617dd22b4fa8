// SPDX-License-Identifier: Apache-2.0
// SQL over a profile in memory. The SQL comes from anyone: it can only read, and its time, memory
// and rows are bounded.
#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/json/value.h"
#include "base/json_writer.h"
#include "query/database.h"
#include "server/route.h"
#include "views/query/message.h"
#include "views/query/output.h"

namespace telltale {

namespace {

using Clock = std::chrono::steady_clock;

// From the request to the last row, preparing included.
constexpr auto kLongestQuery = std::chrono::seconds(10);
// Of one query, and of all that run at a time: one that takes what it can leaves room for another.
constexpr int64_t kQueryMemory = int64_t{512} << 20;
constexpr int64_t kAllQueriesMemory = int64_t{1} << 30;
// Functions look at no clock. What they do with texts of this size takes a second at worst.
constexpr int kLargestValue = 1'250'000;
constexpr int kLongestSql = 64 << 10;
constexpr int64_t kMostRows = 100'000;
constexpr size_t kLargestResult = size_t{32} << 20;
constexpr size_t kLargestBody = size_t{1} << 20;

struct QueryRequest {
  std::string sql;
  int64_t limit = kTableRows;
};

Result<QueryRequest> Parse(const std::string& body) {
  const auto wrong = [](std::string message) {
    return Fail(ErrorCode::kUsage, std::move(message));
  };
  constexpr std::string_view kExpected =
      R"(expected a body such as {"sql": "SELECT * FROM steps", "limit": 100})";
  if (body.size() > kLargestBody) return wrong("the request is too long: the limit is 1 MiB");
  const Result<JsonValue> json = ParseJson(body, {.bytes = kLargestBody});
  if (!json || !json->IsObject()) return wrong(std::string(kExpected));
  QueryRequest request;
  for (const auto& [key, value] : json->members()) {
    if (key == "sql" && value.IsString()) {
      request.sql = value.AsString();
    } else if (key == "limit" && value.IsNumber()) {
      const std::optional<int64_t> limit = value.WholeNumber();
      if (!limit || *limit < 1 || *limit > kMostRows)
        return wrong(fmt::format("limit takes a whole number from 1 to {}", kMostRows));
      request.limit = *limit;
    } else {
      return wrong(std::string(kExpected));
    }
  }
  if (request.sql.empty()) return wrong(std::string(kExpected));
  return request;
}

struct ProblemCode {
  std::string_view code;
  unsigned status;
};

ProblemCode CodeOf(QueryError::Kind kind) {
  switch (kind) {
    case QueryError::Kind::kSql:
    case QueryError::Kind::kRefused:
      return {"wrong_sql", 400};
    case QueryError::Kind::kTime:
      return {"out_of_time", 503};
    case QueryError::Kind::kMemory:
      return {"out_of_memory", 503};
    case QueryError::Kind::kCanceled:
      return {"canceled", 503};
    case QueryError::Kind::kInternal:
      break;
  }
  return {"internal", 500};
}

HttpResponse Problem(ProblemCode code, std::string_view message, std::optional<size_t> offset) {
  JsonWriter json(false);
  json.BeginObject();
  json.Key("error");
  json.BeginObject();
  json.Field("code", code.code);
  json.Field("message", message);
  json.Field("offset", offset);
  json.EndObject();
  json.EndObject();
  return JsonResponse(json.Take(), code.status);
}

HttpResponse QueryProblem(const QueryError& error, std::string_view sql) {
  return Problem(CodeOf(error.kind),
                 error.kind == QueryError::Kind::kTime
                     ? fmt::format("the query took longer than {} seconds; filter with WHERE, or "
                                   "ask for less",
                                   kLongestQuery.count())
                     : QueryMessage(error, sql, true, Spelling::kParameter),
                 error.offset);
}

// What a request may take from now on.
QueryLimits LimitsOf(const HttpRequest& http, Clock::time_point deadline) {
  QueryLimits limits;
  // None at all is 0 there.
  limits.time =
      std::max(std::chrono::milliseconds(1),
               std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()));
  limits.memory_bytes = kQueryMemory;
  limits.all_memory_bytes = kAllQueriesMemory;
  limits.value_bytes = kLargestValue;
  limits.sql_bytes = kLongestSql;
  limits.canceled = [&http] { return http.Abandoned(); };
  return limits;
}

HttpResponse Run(const OpenProfile& open, const QueryRequest& request, const QueryLimits& limits) {
  const Clock::time_point start = Clock::now();
  QueryInput input;
  input.subject = open.subject();
  input.contexts = open.contexts();
  input.analysis.threads = open.threads();
  Database database(input, limits);
  QueryResult<Statement> statement = database.Prepare(request.sql);
  if (!statement) return QueryProblem(statement.error(), request.sql);

  JsonWriter json(false);
  json.BeginObject();
  json.Key("columns");
  WriteColumnNames(*statement, json);
  json.Key("rows");
  json.BeginArray();
  int64_t rows = 0;
  bool truncated = false;
  while (true) {
    const QueryResult<bool> more = statement->Next();
    if (!more) return QueryProblem(more.error(), request.sql);
    if (!*more) break;
    const size_t room = kLargestResult - std::min(kLargestResult, json.size());
    truncated = rows == request.limit || !RowFits(*statement, room);
    if (truncated) break;
    WriteRowValues(*statement, json);
    ++rows;
  }
  if (truncated && rows == 0) {
    return Problem(
        {"too_large", 503},
        fmt::format("the first row is larger than an answer may be, {} MiB; select fewer "
                    "columns, or parts of them with substr(x, 1, 1000)",
                    kLargestResult >> 20U),
        std::nullopt);
  }
  json.EndArray();
  json.Field("truncated", truncated);
  const std::chrono::duration<double> took = Clock::now() - start;
  json.Field("seconds", took.count());
  json.EndObject();
  return JsonResponse(json.Take());
}

HttpResponse Query(const RouteContext& context, const RouteRequest& asked) {
  const HttpRequest& http = asked.http;
  const Clock::time_point deadline = Clock::now() + kLongestQuery;
  const Result<QueryRequest> request = Parse(http.body);
  if (!request) return ErrorResponse(request.error());
  // Wrong SQL is wrong whatever the profile holds: said before one is loaded for it.
  {
    Database empty({}, LimitsOf(http, deadline));
    if (const QueryResult<Statement> statement = empty.Prepare(request->sql); !statement) {
      return QueryProblem(statement.error(), request->sql);
    }
  }
  return WithProfile(context, asked.values[0], [&](const OpenProfile& open) {
    return Run(open, *request, LimitsOf(http, deadline));
  });
}

HttpResponse Schema(const RouteContext& /*context*/, const RouteRequest& /*request*/) {
  JsonWriter json(false);
  WriteSchemaJson(json);
  return JsonResponse(json.Take());
}

}  // namespace

std::span<const Route> QueryRoutes() {
  static constexpr std::array<Route, 2> kRoutes = {{
      {"POST", "/api/v1/profiles/{id}/query", Query, NoParams, Lane::kQuery},
      {"GET", "/api/v1/schema", Schema},
  }};
  return kRoutes;
}

}  // namespace telltale
