// SPDX-License-Identifier: Apache-2.0
// The HTTP/1.1 server: sockets, TLS, time limits, server-sent events. What is asked and answered is
// the handler's business (http.h), who may ask is access.h's, and how an answer is packed
// respond.h's. Boost stays in http_server.cpp, http_session.h and request_reader.cpp.
//
// One thread moves bytes; handlers run on workers, so that one that takes long holds up neither the
// others nor the events.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "server/event_stream.h"
#include "server/http.h"
#include "server/request_reader.h"
#include "server/worker_lanes.h"

namespace telltale {

struct HttpLimits {
  RequestLimits request;
  // One more takes the place of one that only waits for its client, of whoever has the most of
  // those; if there is none, it is answered with 503.
  size_t connections = 2048;
  // Event streams of one address are at most half of the connections; one more is answered with
  // 503.
  // Before a waiting connection gives way: no request of it should be on its way.
  std::chrono::milliseconds least_wait{100};
  // For a request to arrive once it has begun, and for a new connection to begin one.
  std::chrono::milliseconds read{15'000};
  std::chrono::milliseconds idle{75'000};   // between two requests
  std::chrono::milliseconds write{30'000};  // for each 256 KiB of an answer
  std::chrono::milliseconds heartbeat{15'000};
  // How often it is looked whether those who wait for an answer are still there.
  std::chrono::milliseconds look_for_clients{250};
  // Analyses keep cores busy for seconds: enough workers that a small request finds one.
  std::vector<LaneLimits> lanes = {{16, 4096}};
};

// One line of an access log.
struct AnsweredRequest {
  std::string client;  // its address
  std::string method;  // empty where there was no request to be understood
  std::string target;  // as it was sent
  unsigned status = 0;
  size_t body_bytes = 0;
  std::chrono::nanoseconds took{0};
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
  // One is made if this is empty. On loopback whoever runs the server does not need it, as far as
  // the system says whose a connection is, unless one is given here.
  std::string token;
  bool no_token = false;  // on loopback: everybody on this machine may ask
  // GET of `events_path` (below the prefix) is this stream. Must outlive the server.
  EventStream* events = nullptr;
  std::string events_path;
  // Which of the lanes answers; none: the first.
  std::function<size_t(const HttpRequest&)> lane;
  // Called on the I/O thread: after each answer, and when somebody else on this machine was first
  // asked for the token.
  std::function<void(const AnsweredRequest&)> on_answer;
  std::function<void()> on_stranger;
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
  [[nodiscard]] bool owner_needs_token() const;

  // Closes all connections, starts no handler any more, and waits so long for those that run.
  // False if one still does: then nothing that it uses may be destroyed.
  [[nodiscard]] bool Stop(std::chrono::milliseconds patience);

 private:
  class Core;
  explicit HttpServer(std::unique_ptr<Core> core);
  std::unique_ptr<Core> core_;
};

}  // namespace telltale
