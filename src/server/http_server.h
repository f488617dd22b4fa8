// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 server: sockets, TLS, time limits, server-sent events. What is asked and answered is
// the handler's business (http.h), who may ask is access.h's, and how an answer is packed
// respond.h's. Boost stays in http_server.cpp.
//
// One thread moves bytes; handlers run on workers, so that one that takes long holds up neither the
// others nor the events.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/event_stream.h"
#include "server/http.h"

namespace telltale {

struct HttpLimits {
  uint32_t header_bytes = 32 << 10;
  uint64_t body_bytes = 1 << 20;
  size_t connections = 2048;  // one more is answered with 503
  // For a request to arrive once it has begun, and for a new connection to begin one.
  std::chrono::milliseconds read{15'000};
  std::chrono::milliseconds idle{75'000};   // between two requests
  std::chrono::milliseconds write{30'000};  // for each 256 KiB of an answer
  std::chrono::milliseconds heartbeat{15'000};
  // Analyses keep cores busy for seconds: enough workers that a small request finds one.
  unsigned workers = 16;
};

struct HttpServerOptions {
  // A name or an address; "localhost" is both loopback addresses, empty is every address.
  std::string host = "localhost";
  uint16_t port = 0;           // 0: any free one
  uint16_t further_ports = 0;  // if it is taken, so many next ones are tried
  std::string path_prefix;     // normalised, see url.h
  // PEM; both or none.
  std::string certificate_file;
  std::string key_file;
  std::vector<std::string> allowed_hosts;  // further names in Host and Origin, in lower case
  // Beyond loopback, one is made if this is empty. On loopback none is needed unless one is given.
  std::string token;
  // GET of `events_path` (below the prefix) is this stream. Must outlive the server.
  EventStream* events = nullptr;
  std::string events_path;
  HttpLimits limits;
};

class HttpServer {
 public:
  // Listens and serves from now on. Fails (kUsage) if the address or the port cannot be had, or the
  // certificate cannot be used. A HEAD reaches the handler as a GET.
  [[nodiscard]] static Result<std::unique_ptr<HttpServer>> Start(HttpServerOptions options,
                                                                 HttpHandler handler);
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  ~HttpServer();  // stops, and waits for the handlers that run

  [[nodiscard]] uint16_t port() const;
  [[nodiscard]] bool beyond_loopback() const;
  [[nodiscard]] const std::string& token() const;  // empty: none is needed

  // Closes all connections, starts no handler any more, and waits so long for those that run.
  // False if one still does: then nothing that it uses may be destroyed.
  [[nodiscard]] bool Stop(std::chrono::milliseconds patience);

 private:
  class Core;
  explicit HttpServer(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace telltale
