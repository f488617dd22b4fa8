// SPDX-License-Identifier: Apache-2.0
// From a handler's answer to the bytes on the wire: ETag and 304, gzip, a byte range, HEAD, and the
// headers every answer has. Pure: no socket, no file; the clock only for Date.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "server/http.h"

namespace telltale {

// A smaller body costs more to pack than to send: it fits one packet.
constexpr size_t kSmallestPackedBody = 1024;

struct WireResponse {
  unsigned status = 0;
  std::string head;  // status line and headers, with the empty line that ends them
  std::shared_ptr<const std::string> body;
  // The part of the body that is sent: none for HEAD and 304, a part for 206.
  size_t begin = 0;
  size_t end = 0;
};

// `request.method` is as it was sent (HEAD, not GET).
[[nodiscard]] WireResponse MakeWireResponse(const HttpRequest& request, HttpResponse response,
                                            bool keep_alive);

// For an answer without an end (server-sent events): the head alone, without a length.
[[nodiscard]] std::string StreamHead(std::string_view content_type);

// A strong tag of these bytes, with its quotes.
[[nodiscard]] std::string EntityTag(std::string_view bytes);

// By Accept-Encoding.
[[nodiscard]] bool TakesGzip(const HttpRequest& request);

}  // namespace telltale
