// SPDX-License-Identifier: Apache-2.0
#include "server/http.h"

#include "base/json_writer.h"
#include "base/utf8.h"

namespace telltale {

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::optional<std::string_view> First(const Pairs& pairs, std::string_view name) {
  for (const auto& [key, value] : pairs) {
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> HttpRequest::Query(std::string_view name) const {
  return First(query, name);
}

std::optional<std::string_view> HttpRequest::Header(std::string_view name) const {
  return First(headers, name);
}

std::string LowerCase(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

HttpResponse JsonResponse(std::string json, unsigned status) {
  HttpResponse response;
  response.status = status;
  response.body = std::make_shared<const std::string>(std::move(json));
  return response;
}

HttpResponse BinaryResponse(std::string bytes) {
  HttpResponse response;
  response.content_type = "application/octet-stream";
  response.body = std::make_shared<const std::string>(std::move(bytes));
  return response;
}

HttpResponse ErrorResponse(unsigned status, std::string_view code, std::string_view message) {
  const std::optional<std::string> repaired = ReplaceInvalidUtf8(message);
  JsonWriter json(false);
  json.BeginObject();
  json.Key("error");
  json.BeginObject();
  json.Field("code", code);
  json.Field("message", repaired ? std::string_view(*repaired) : message);
  json.EndObject();
  json.EndObject();
  return JsonResponse(json.Take(), status);
}

}  // namespace telltale
