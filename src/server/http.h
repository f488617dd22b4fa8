// SPDX-License-Identifier: Apache-2.0
// HTTP as the rest of the server sees it: a request comes in, a handler answers with a value.
// Whatever library speaks the protocol stays behind http_server.h; routes can be tested without a
// socket.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace telltale {

struct HttpRequest {
  std::string method;  // GET, POST …
  std::string path;    // percent-decoded, below --path_prefix, no query: "/api/v1/profiles"
  // Decoded, in the order given; a name may come twice.
  std::vector<std::pair<std::string, std::string>> query;
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case
  std::string body;
  // The connection is known to be of the user who runs the server, from this machine.
  bool of_owner = false;
  // Becomes true when nobody waits for the answer any more. Null: that is not known.
  std::shared_ptr<const std::atomic<bool>> abandoned;

  // Long work may stop: its client has left.
  [[nodiscard]] bool Abandoned() const { return abandoned != nullptr && *abandoned; }
  // The first value of that name; nullopt if it was not given.
  [[nodiscard]] std::optional<std::string_view> Query(std::string_view name) const;
  [[nodiscard]] std::optional<std::string_view> Header(std::string_view name) const;
};

// The gzip form of a body, made by whoever first sends it to a client that takes it.
struct PackedBody {
  std::once_flag once;
  std::shared_ptr<const std::string> bytes;
};

struct HttpResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  // Shared, so that a kept answer is sent without a copy. Never null.
  std::shared_ptr<const std::string> body = std::make_shared<const std::string>();
  std::vector<std::pair<std::string, std::string>> headers;  // further ones
  // The body is gzip already (assets in the binary); such a body is only sent to clients that take
  // it.
  bool gzipped = false;
  // Of an answer that is kept, so that it is packed once; else null.
  std::shared_ptr<PackedBody> packed;
};

// Of ASCII letters.
[[nodiscard]] std::string LowerCase(std::string_view text);

[[nodiscard]] HttpResponse JsonResponse(std::string json, unsigned status = 200);
[[nodiscard]] HttpResponse BinaryResponse(std::string bytes);
// {"error": {"code": "not_found", "message": "…"}}: a sentence for a person, what to do included.
[[nodiscard]] HttpResponse ErrorResponse(unsigned status, std::string_view code,
                                         std::string_view message);

// Called on worker threads, several at a time. Must not throw.
using HttpHandler = std::function<HttpResponse(const HttpRequest&)>;

}  // namespace telltale
