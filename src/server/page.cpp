// SPDX-License-Identifier: Apache-2.0
#include "server/page.h"

#include <string>

#include "server/tensorboard/safe_html.h"

namespace telltale {

HttpResponse MessagePage(unsigned status, std::string_view title, std::string_view message) {
  HttpResponse response;
  response.status = status;
  response.content_type = "text/html; charset=utf-8";
  response.headers.emplace_back("Cache-Control", "no-store");
  response.body = std::make_shared<const std::string>(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta "
      "name=\"color-scheme\" "
      "content=\"light dark\"><title>" +
      EscapeHtml(title) + "</title></head>\n<body><h1>" + EscapeHtml(title) + "</h1>\n<p>" +
      EscapeHtml(message) + "</p></body></html>\n");
  return response;
}

HttpResponse Refusal(const HttpRequest& request, unsigned status, std::string_view code,
                     std::string_view title, std::string_view message) {
  const bool is_api = request.path.starts_with("/api/") || request.path.starts_with("/data/");
  if (!is_api &&
      request.Header("accept").value_or("").find("text/html") != std::string_view::npos) {
    return MessagePage(status, title, message);
  }
  HttpResponse response = ErrorResponse(status, code, message);
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

}  // namespace telltale
