// SPDX-License-Identifier: Apache-2.0
#include "server/blob_response.h"

#include <algorithm>

#include "base/media_type.h"
#include "base/utf8.h"
#include "server/url.h"

namespace telltale {

namespace {

HttpResponse Sandboxed(std::string bytes, std::string_view type) {
  HttpResponse response;
  response.content_type = type;
  response.body = std::make_shared<const std::string>(std::move(bytes));
  response.headers.emplace_back("Content-Security-Policy",
                                "default-src 'none'; style-src 'unsafe-inline'; sandbox");
  return response;
}

}  // namespace

bool IsPlainText(std::string_view bytes) {
  const auto is_control = [](char c) {
    return (static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\r' && c != '\t') ||
           c == 0x7f;
  };
  // The end of a part may cut a character.
  for (size_t cut = 0; cut < 4 && cut <= bytes.size(); ++cut) {
    const std::string_view part = bytes.substr(0, bytes.size() - cut);
    if (!ReplaceInvalidUtf8(part)) return std::ranges::none_of(part, is_control);
  }
  return false;
}

HttpResponse BlobAnswer(std::string bytes) {
  const std::string_view type = SafeTypeOf(bytes);
  return Sandboxed(std::move(bytes), type);
}

HttpResponse FileAnswer(std::string bytes, std::string_view name, bool text) {
  std::string_view type = SafeTypeOf(bytes);
  if (type == kUnknownType && text) type = "text/plain; charset=utf-8";
  HttpResponse response = Sandboxed(std::move(bytes), type);
  std::string encoded = PercentEncode(name.substr(name.rfind('/') + 1));
  response.headers.emplace_back(
      "Content-Disposition",
      (type == kUnknownType ? "attachment; filename*=UTF-8''" : "inline; filename*=UTF-8''") +
          encoded);
  return response;
}

}  // namespace telltale
