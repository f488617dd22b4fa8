// SPDX-License-Identifier: Apache-2.0
// The server through real sockets on the loopback; tests/server/faults.py treats the whole program
// worse.
#include "server/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class Client {
 public:
  explicit Client(uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ =
        ::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { ::close(socket_); }

  [[nodiscard]] bool connected() const { return connected_; }
  void Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }
  void Get(const std::string& path, const std::string& headers = "") const {
    Send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n" + headers + "\r\n");
  }
  // Up to and with `end`, or to the end of the connection.
  std::string ReadTo(std::string_view end) {
    for (;;) {
      if (const size_t at = received_.find(end); at != std::string::npos) {
        std::string out = received_.substr(0, at + end.size());
        received_.erase(0, at + end.size());
        return out;
      }
      if (!Receive()) return std::exchange(received_, {});
    }
  }
  // A head, and the body it announces.
  std::string ReadResponse() {
    std::string out = ReadTo("\r\n\r\n");
    const size_t at = out.find("Content-Length: ");
    if (at == std::string::npos) return out;
    const size_t length = static_cast<size_t>(std::atol(out.c_str() + at + 16));
    while (received_.size() < length && Receive()) {
    }
    out += received_.substr(0, length);
    received_.erase(0, length);
    return out;
  }
  // False: an end, not more bytes.
  bool Receive() {
    std::array<char, 65536> bytes{};
    const ssize_t got = ::recv(socket_, bytes.data(), bytes.size(), 0);
    if (got <= 0) return false;
    received_.append(bytes.data(), static_cast<size_t>(got));
    return true;
  }

 private:
  int socket_;
  bool connected_ = false;
  std::string received_;
};

HttpResponse Echo(const HttpRequest& request) {
  return JsonResponse(request.method + " " + request.path + " " + request.body);
}

std::unique_ptr<HttpServer> Start(HttpServerOptions options = {}, HttpHandler handler = Echo) {
  options.limits.lanes.front().workers = 4;
  Result<std::unique_ptr<HttpServer>> server =
      HttpServer::Start(std::move(options), std::move(handler));
  EXPECT_TRUE(server) << server.error().message;
  return std::move(*server);
}

TEST(HttpServer, AnswersOneRequestAfterTheOther) {
  const auto server = Start();
  Client client(server->port());
  client.Get("/a");
  EXPECT_THAT(client.ReadResponse(), HasSubstr("\r\n\r\nGET /a "));
  // Two at once, and one in pieces.
  client.Send(
      "GET /b HTTP/1.1\r\nHost: localhost\r\n\r\nPOST /c HTTP/1.1\r\nHost: localhost\r\n"
      "Content-Length: 4\r\n\r\nbo");
  EXPECT_THAT(client.ReadResponse(), HasSubstr("\r\n\r\nGET /b "));
  client.Send("dyGE");
  EXPECT_THAT(client.ReadResponse(), HasSubstr("\r\n\r\nPOST /c body"));
  client.Send("T /d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), HasSubstr("\r\n\r\nGET /d "));
  EXPECT_EQ(client.ReadTo("never"), "");
}

TEST(HttpServer, TellsAClientThatAsksFirstToGoOn) {
  const auto server = Start();
  Client client(server->port());
  client.Send(
      "POST /c HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: "
      "2\r\n\r\n");
  EXPECT_EQ(client.ReadTo("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("hi");
  EXPECT_THAT(client.ReadResponse(), HasSubstr("POST /c hi"));
}

TEST(HttpServer, AHandlerSeesAGetForHead) {
  const auto server = Start();
  Client client(server->port());
  client.Send("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const std::string head = client.ReadTo("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("Content-Length: 7\r\n"));
  client.Get("/b");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServer, AHandlerThatTakesLongHoldsUpNobody) {
  std::promise<void> entered;
  std::promise<void> release;
  const auto server = Start({}, [&](const HttpRequest& request) {
    if (request.path == "/slow") {
      entered.set_value();
      release.get_future().wait();
    }
    return Echo(request);
  });
  Client slow(server->port());
  slow.Get("/slow");
  entered.get_future().wait();
  Client quick(server->port());
  quick.Get("/quick");
  EXPECT_THAT(quick.ReadResponse(), HasSubstr("GET /quick"));
  // Not even the end of the server, which says that something still runs.
  EXPECT_FALSE(server->Stop(std::chrono::milliseconds(1)));
  release.set_value();
  EXPECT_TRUE(server->Stop(std::chrono::hours(1)));
}

TEST(HttpServer, AHandlerThatThrowsIsAnError) {
  const auto server =
      Start({}, [](const HttpRequest&) -> HttpResponse { throw std::runtime_error("oh"); });
  Client client(server->port());
  client.Get("/");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 500"));
}

TEST(HttpServer, SendsLargeBodiesWhole) {
  std::string body;
  for (int i = 0; body.size() < 3'000'000; ++i) body += std::to_string(i);
  const auto server = Start({}, [&](const HttpRequest&) { return BinaryResponse(body); });
  Client client(server->port());
  client.Get("/");
  const std::string response = client.ReadResponse();
  EXPECT_EQ(response.substr(response.find("\r\n\r\n") + 4), body);
}

TEST(HttpServer, RefusesWhatIsNoRequest) {
  const auto server = Start();
  const auto status = [&](const std::string& bytes) {
    Client client(server->port());
    client.Send(bytes);
    return client.ReadResponse().substr(0, 12);
  };
  const std::string host = "Host: localhost\r\n";
  EXPECT_EQ(status("garbage\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET / HTTP/9.9\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET / HTTP/1.1\r\n\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /../x HTTP/1.1\r\n" + host + "\r\n"), "HTTP/1.1 400");
  EXPECT_EQ(status("GET /" + std::string(9000, 'a') + " HTTP/1.1\r\n" + host + "\r\n"),
            "HTTP/1.1 414");
  EXPECT_EQ(status("GET / HTTP/1.1\r\n" + host + "X: " + std::string(40'000, 'a') + "\r\n\r\n"),
            "HTTP/1.1 431");
  EXPECT_EQ(status("POST / HTTP/1.1\r\n" + host + "Content-Length: 1048577\r\n\r\n"),
            "HTTP/1.1 413");
  EXPECT_EQ(status("DELETE / HTTP/1.1\r\n" + host + "\r\n"), "HTTP/1.1 405");
  EXPECT_EQ(status("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"), "HTTP/1.1 403");
  // Two lengths of one body: what a proxy and we make of it could differ.
  EXPECT_EQ(
      status("POST / HTTP/1.1\r\n" + host + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"),
      "HTTP/1.1 400");
}

TEST(HttpServer, ServesBelowThePrefixOnly) {
  HttpServerOptions options;
  options.path_prefix = "/p";
  const auto server = Start(std::move(options));
  Client client(server->port());
  client.Get("/p/a");
  EXPECT_THAT(client.ReadResponse(), HasSubstr("GET /a "));
  client.Get("/p?x=1");
  EXPECT_THAT(client.ReadResponse(), HasSubstr("\r\nLocation: /p/?x=1\r\n"));
  client.Get("/a");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 404"));
}

TEST(HttpServer, OneConnectionTooManyIsToldSo) {
  HttpServerOptions options;
  options.limits.least_wait = std::chrono::hours(1);
  options.limits.connections = 1;
  const auto server = Start(std::move(options));
  Client first(server->port());
  first.Get("/");
  first.ReadResponse();
  Client second(server->port());
  EXPECT_THAT(second.ReadResponse(), StartsWith("HTTP/1.1 503"));
  first.Get("/");
  EXPECT_THAT(first.ReadResponse(), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServer, ClosesWhoSaysNothing) {
  HttpServerOptions options;
  options.limits.read = std::chrono::milliseconds(50);
  options.limits.idle = std::chrono::milliseconds(50);
  const auto server = Start(std::move(options));
  Client silent(server->port());
  EXPECT_EQ(silent.ReadTo("never"), "");
  Client half(server->port());
  half.Send("GET / HTTP/1.1\r\nHost: loc");
  EXPECT_EQ(half.ReadTo("never"), "");
  Client body(server->port());
  body.Send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(body.ReadTo("never"), "");
  Client idle(server->port());
  idle.Get("/");
  EXPECT_THAT(idle.ReadTo("never"), StartsWith("HTTP/1.1 200"));
}

HttpServerOptions WithEvents(EventStream& events) {
  HttpServerOptions options;
  options.events = &events;
  options.events_path = "/changes";
  return options;
}

TEST(HttpServer, EventsReachEveryClient) {
  EventStream events;
  events.Publish("profiles", "0");
  const auto server = Start(WithEvents(events));
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 100; ++i) {
    clients.push_back(std::make_unique<Client>(server->port()));
    clients.back()->Get("/changes");
    EXPECT_THAT(clients.back()->ReadTo("\r\n\r\n"), HasSubstr("text/event-stream"));
    EXPECT_EQ(clients.back()->ReadTo("\n\n"), "event: profiles\ndata: 0\n\n");
  }
  clients.resize(90);
  for (int i = 1; i <= 20; ++i) events.Publish("profiles", std::to_string(i));
  for (const auto& client : clients) {
    for (int i = 1; i <= 20; ++i) {
      EXPECT_EQ(client->ReadTo("\n\n"), "event: profiles\ndata: " + std::to_string(i) + "\n\n");
    }
  }
  EXPECT_TRUE(server->Stop(std::chrono::hours(1)));
  for (const auto& client : clients) EXPECT_EQ(client->ReadTo("never"), "");
}

TEST(HttpServer, SaysThatItIsAlive) {
  EventStream events;
  HttpServerOptions options = WithEvents(events);
  options.limits.heartbeat = std::chrono::milliseconds(5);
  const auto server = Start(std::move(options));
  Client client(server->port());
  client.Get("/changes");
  client.ReadTo("\r\n\r\n");
  EXPECT_EQ(client.ReadTo("\n\n"), ":\n\n");
  EXPECT_EQ(client.ReadTo("\n\n"), ":\n\n");
}

TEST(HttpServer, DropsAClientThatDoesNotReadItsEvents) {
  EventStream events;
  HttpServerOptions options = WithEvents(events);
  options.limits.write = std::chrono::milliseconds(50);
  options.limits.connections = 1;
  const auto server = Start(std::move(options));
  Client client(server->port());
  client.Get("/changes");
  client.ReadTo("\r\n\r\n");
  // More than the buffers of two sockets hold.
  const std::string large(size_t{32} << 20, 'x');
  events.Publish("profiles", large);
  // Nobody else gets in before it is gone.
  std::string answer;
  do {
    Client other(server->port());
    other.Get("/");
    answer = other.ReadResponse();
  } while (!answer.starts_with("HTTP/1.1 200"));
  EXPECT_LT(client.ReadTo("\n\n").size(), large.size());
}

TEST(HttpServer, BeyondLoopbackATokenIsMade) {
  HttpServerOptions options;
  options.host = "0.0.0.0";
  const auto server = Start(std::move(options));
  EXPECT_TRUE(server->beyond_loopback());
  EXPECT_EQ(server->token().size(), 43U);
  Client client(server->port());
  client.Get("/");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 401"));
  client.Get("/?token=" + server->token());
  EXPECT_THAT(client.ReadResponse(), HasSubstr("\r\nLocation: /\r\n"));
  client.Get("/", "Authorization: Bearer " + server->token() + "\r\n");
  EXPECT_THAT(client.ReadResponse(), HasSubstr("GET / "));
  const auto loopback = Start();
  EXPECT_FALSE(loopback->beyond_loopback());
  EXPECT_FALSE(loopback->owner_needs_token());
  EXPECT_EQ(loopback->token().size(), 43U) << "for other users of this machine";
}

TEST(HttpServer, WithoutATokenOnLoopbackOnly) {
  HttpServerOptions options;
  options.no_token = true;
  EXPECT_EQ(Start(options)->token(), "");
  options.host = "0.0.0.0";
  EXPECT_THAT(HttpServer::Start(options, Echo).error().message,
              HasSubstr("nothing is shown without a token"));
}

TEST(HttpServer, SaysWhenAClientHasLeft) {
  std::promise<void> entered;
  std::promise<bool> left;
  HttpServerOptions options;
  options.limits.look_for_clients = std::chrono::milliseconds(1);
  const auto server = Start(std::move(options), [&](const HttpRequest& request) {
    if (request.path == "/long") {
      EXPECT_FALSE(request.Abandoned());
      entered.set_value();
      while (!request.Abandoned()) std::this_thread::yield();
      left.set_value(true);
    }
    return Echo(request);
  });
  {
    const Client client(server->port());
    client.Get("/long");
    entered.get_future().wait();
  }
  EXPECT_TRUE(left.get_future().get());
  Client next(server->port());
  next.Get("/next");
  EXPECT_THAT(next.ReadResponse(), HasSubstr("GET /next"));
}

TEST(HttpServer, AFullLaneIsToldToWaitAndHoldsUpNoOther) {
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  HttpServerOptions options;
  options.limits.lanes = {{2, 100}, {1, 2}};
  options.lane = [](const HttpRequest& request) { return request.path == "/slow" ? 1U : 0U; };
  const auto server = Start(std::move(options), [&](const HttpRequest& request) {
    if (request.path == "/slow") released.wait();
    return Echo(request);
  });
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 8; ++i) {
    clients.push_back(std::make_unique<Client>(server->port()));
    clients.back()->Get("/slow");
  }
  Client quick(server->port());
  quick.Get("/quick");
  EXPECT_THAT(quick.ReadResponse(), HasSubstr("GET /quick"));
  release.set_value();
  size_t answered = 0;
  for (const auto& client : clients) {
    const std::string response = client->ReadResponse();
    if (response.starts_with("HTTP/1.1 200")) {
      ++answered;
    } else {
      EXPECT_THAT(response, StartsWith("HTTP/1.1 503"));
      EXPECT_THAT(response, HasSubstr("Retry-After: "));
    }
  }
  EXPECT_GE(answered, 2U);
  EXPECT_LT(answered, clients.size());
}

TEST(HttpServer, ANewConnectionTakesThePlaceOfASilentOne) {
  HttpServerOptions options;
  options.limits.connections = 2;
  options.limits.least_wait = std::chrono::milliseconds(0);
  const auto server = Start(std::move(options));
  Client oldest(server->port());
  oldest.Get("/");
  oldest.ReadResponse();
  Client silent(server->port());
  for (int i = 0; i < 10; ++i) {
    Client next(server->port());
    next.Get("/");
    EXPECT_THAT(next.ReadResponse(), StartsWith("HTTP/1.1 200"));
  }
  EXPECT_EQ(oldest.ReadTo("never"), "");
}

TEST(HttpServer, StreamsTakeHalfOfTheConnectionsAtMost) {
  EventStream events;
  HttpServerOptions options = WithEvents(events);
  options.limits.connections = 6;
  const auto server = Start(std::move(options));
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 5; ++i) {
    clients.push_back(std::make_unique<Client>(server->port()));
    clients.back()->Get("/changes");
    EXPECT_THAT(clients.back()->ReadTo("\r\n\r\n"),
                StartsWith(i < 3 ? "HTTP/1.1 200" : "HTTP/1.1 503"));
  }
}

TEST(HttpServer, WhoMayNotAskSendsNoBody) {
  const auto server = Start();
  Client client(server->port());
  client.Send(
      "POST / HTTP/1.1\r\nHost: evil.example\r\nExpect: 100-continue\r\nContent-Length: "
      "1000\r\n\r\n");
  EXPECT_THAT(client.ReadResponse(), StartsWith("HTTP/1.1 403"));
  EXPECT_EQ(client.ReadTo("never"), "");
}

TEST(HttpServer, EveryAnswerCanBeLogged) {
  std::promise<AnsweredRequest> said;
  HttpServerOptions options;
  options.on_answer = [&](const AnsweredRequest& answered) { said.set_value(answered); };
  const auto server = Start(std::move(options));
  Client client(server->port());
  client.Get("/a?b=c");
  client.ReadResponse();
  const AnsweredRequest answered = said.get_future().get();
  EXPECT_EQ(answered.client, "127.0.0.1");
  EXPECT_EQ(answered.method + answered.target, "GET/a?b=c");
  EXPECT_EQ(answered.status, 200U);
  EXPECT_EQ(answered.body_bytes, std::string("GET /a ").size());
}

TEST(HttpServer, ATakenPortIsSaidOrTheNextOneTaken) {
  const auto first = Start();
  HttpServerOptions options;
  options.port = first->port();
  const Result<std::unique_ptr<HttpServer>> second = HttpServer::Start(options, Echo);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::kUsage);
  EXPECT_THAT(second.error().message,
              HasSubstr("port " + std::to_string(first->port()) + " is taken"));
  options.further_ports = 50;
  const auto third = Start(options);
  EXPECT_GT(third->port(), first->port());
}

TEST(HttpServer, AWrongHostOrCertificateIsSaid) {
  HttpServerOptions options;
  options.host = "no.such.host.invalid";
  EXPECT_THAT(HttpServer::Start(options, Echo).error().message, HasSubstr("there is no host"));
  options = {};
  options.certificate_file = "/no/such/file.pem";
  options.key_file = "/no/such/key.pem";
  EXPECT_THAT(HttpServer::Start(options, Echo).error().message,
              HasSubstr("the certificate /no/such/file.pem cannot be read: No such file"));
  const std::string path = testing::TempDir() + "/no_certificate.pem";
  std::ofstream(path) << "hello";
  options.certificate_file = path;
  options.key_file = path;
  EXPECT_THAT(HttpServer::Start(options, Echo).error().message, HasSubstr("is no certificate"));
}

}  // namespace
}  // namespace telltale
