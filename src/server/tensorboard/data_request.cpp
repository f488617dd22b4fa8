// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/data_request.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/utf8.h"
#include "server/url.h"

namespace telltale {

namespace {

constexpr size_t kMostFields = 10'000;

std::optional<FormFields> ReadUrlEncoded(std::string_view body) {
  FormFields fields;
  while (!body.empty()) {
    const size_t end = std::min(body.find('&'), body.size());
    const std::string_view pair = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = PercentDecode(pair.substr(0, equals), true);
    std::optional<std::string> value =
        PercentDecode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value || fields.size() >= kMostFields) return std::nullopt;
    fields.emplace_back(std::move(*name), std::move(*value));
  }
  return fields;
}

// name="…" of the part's head.
std::optional<std::string> NameOfPart(std::string_view head) {
  constexpr std::string_view kName = " name=\"";
  const size_t begin = head.find(kName);
  if (begin == std::string_view::npos) return std::nullopt;
  const size_t end = head.find('"', begin + kName.size());
  if (end == std::string_view::npos) return std::nullopt;
  return RepairUtf8(head.substr(begin + kName.size(), end - begin - kName.size()));
}

std::optional<FormFields> ReadMultipart(std::string_view body, std::string_view boundary) {
  if (boundary.empty()) return std::nullopt;
  const std::string mark = fmt::format("--{}", boundary);
  FormFields fields;
  size_t at = body.find(mark);
  while (at != std::string_view::npos) {
    body.remove_prefix(at + mark.size());
    if (body.starts_with("--")) return fields;
    const size_t head_end = body.find("\r\n\r\n");
    const size_t end = body.find("\r\n" + mark);
    if (head_end == std::string_view::npos || end == std::string_view::npos || head_end + 4 > end ||
        fields.size() >= kMostFields) {
      return std::nullopt;
    }
    std::optional<std::string> name = NameOfPart(body.substr(0, head_end));
    if (!name) return std::nullopt;
    fields.emplace_back(std::move(*name),
                        RepairUtf8(body.substr(head_end + 4, end - head_end - 4)));
    at = end + 2;
  }
  return std::nullopt;
}

}  // namespace

std::optional<FormFields> ReadForm(const HttpRequest& request) {
  const std::string_view type = request.Header("content-type").value_or("");
  if (type.starts_with("multipart/form-data")) {
    constexpr std::string_view kBoundary = "boundary=";
    const size_t begin = type.find(kBoundary);
    if (begin == std::string_view::npos) return std::nullopt;
    std::string_view boundary = type.substr(begin + kBoundary.size());
    boundary = boundary.substr(0, boundary.find(';'));
    if (boundary.size() > 1 && boundary.front() == '"' && boundary.back() == '"') {
      boundary = boundary.substr(1, boundary.size() - 2);
    }
    return ReadMultipart(request.body, boundary);
  }
  if (type.empty() || type.starts_with("application/x-www-form-urlencoded")) {
    return ReadUrlEncoded(request.body);
  }
  return FormFields();
}

std::vector<std::string_view> DataRequest::Arguments(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : http_.query) {
    if (key == name) values.push_back(value);
  }
  return values;
}

std::vector<std::string_view> DataRequest::Posted(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : form_) {
    if (key == name) values.push_back(value);
  }
  return values;
}

std::optional<int64_t> DataRequest::Number(std::string_view name, int64_t usual) const {
  const std::optional<std::string_view> text = Argument(name);
  if (!text) return usual;
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  return error == std::errc() && stop == text->data() + text->size() ? std::optional(number)
                                                                     : std::nullopt;
}

HttpResponse PlainResponse(unsigned status, std::string_view message) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/plain; charset=utf-8";
  response.body = std::make_shared<const std::string>(RepairUtf8(message));
  return response;
}

HttpResponse NotFound(std::string_view message) {
  return PlainResponse(404, fmt::format("Not found{}{}", message.empty() ? "" : ": ", message));
}

HttpResponse InvalidArgument(std::string_view message) {
  return PlainResponse(400, fmt::format("Invalid argument: {}", message));
}

HttpResponse BodyResponse(std::string body, std::string_view content_type) {
  HttpResponse response;
  response.content_type = content_type;
  response.body = std::make_shared<const std::string>(std::move(body));
  return response;
}

}  // namespace telltale
