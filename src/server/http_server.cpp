// SPDX-License-Identifier: Apache-2.0
// HttpServer on Boost.Asio, with Beast's time limits: listens, keeps the sessions (http_session.h),
// and has their requests answered on workers.
#include "server/http_server.h"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <map>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "server/access.h"
#include "server/admit.h"
#include "server/http_session.h"
#include "server/listen.h"
#include "server/peer_user.h"
#include "server/respond.h"
#include "server/tls_context.h"
#include "server/url.h"

// Asio returns the error that it also hands out through a parameter, which is the one looked at.
// NOLINTBEGIN(bugprone-unused-return-value)
namespace telltale {

namespace {

namespace asio = boost::asio;
namespace ssl = asio::ssl;
using http_session::AsioError;
using http_session::Executor;
using http_session::Now;
using http_session::PlainStream;
using http_session::Session;
using http_session::SessionBase;
using http_session::Tcp;
using http_session::Time;
using http_session::TlsStream;
using Socket = asio::basic_stream_socket<Tcp, Executor>;
using ListeningSocket = asio::basic_socket_acceptor<Tcp, Executor>;
using Timer = asio::steady_timer::rebind_executor<Executor>::other;

// Connections beyond the limit that are told so at the same time; others are just closed.
constexpr size_t kMostRejections = 64;
// Sessions that are woken before other work gets its turn.
constexpr size_t kWakeBatch = 64;
// A peer that went away without a word: its machine sleeps, its cable is out.
constexpr unsigned kUserTimeoutMs = 60'000;
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::chrono::milliseconds kMemoryPause{10};

// For the little that must not fail.
template <typename Work>
void OnceThereIsMemory(Work work) {
  while (true) {
    try {
      return work();
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kMemoryPause);
    }
  }
}

// A browser that came once by https is not to be led back to http. On loopback only for a minute:
// browsers do not tell ports apart, and other servers of this machine may have no https.
std::string_view TransportSecurity(const HttpRequest& request) {
  const auto host = ParseAuthority(request.Header("host").value_or(""));
  return host && IsLoopbackHost(host->host) ? "max-age=60" : "max-age=31536000";
}

}  // namespace

class HttpServer::Core {
 public:
  Core(HttpServerOptions options, HttpHandler handler)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        io_(1),
        heartbeat_(io_),
        look_(io_),
        lanes_(options_.limits.lanes) {}
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core() {
    if (options_.events != nullptr) options_.events->Listen({});
    (void)Stop(std::chrono::hours(24 * 365));
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  [[nodiscard]] Result<void> Start();
  [[nodiscard]] bool Stop(std::chrono::milliseconds patience);

  [[nodiscard]] const HttpServerOptions& options() const { return options_; }
  [[nodiscard]] const HttpLimits& limits() const { return options_.limits; }
  [[nodiscard]] uint16_t port() const { return port_; }
  [[nodiscard]] bool beyond_loopback() const { return policy_.any_address; }
  [[nodiscard]] const std::string& token() const { return policy_.token; }
  [[nodiscard]] bool owner_needs_token() const { return policy_.owner_needs_token; }
  [[nodiscard]] const AccessPolicy& policy() const { return policy_; }

  // Below: for sessions, on the I/O thread.
  void Add(SessionBase* session) { sessions_.insert(session); }
  void Remove(SessionBase* session) {
    sessions_.erase(session);
    event_sessions_.erase(session);
    answered_sessions_.erase(session);
  }
  // False: whoever is there has too many of them.
  [[nodiscard]] bool AddEvents(SessionBase* session, std::weak_ptr<SessionBase> weak);
  [[nodiscard]] bool stopping() const { return stopping_; }
  // nullopt: the handler is to be asked.
  [[nodiscard]] std::optional<HttpResponse> Admit(const std::string& target, HttpRequest& request);
  [[nodiscard]] WireResponse Pack(const HttpRequest& request, HttpResponse response,
                                  bool keep_alive) const;
  void Log(const AnsweredRequest& answered) const {
    if (options_.on_answer) options_.on_answer(answered);
  }

  // Runs the handler on a worker, then `done` on the I/O thread. False: it cannot be run now.
  template <typename Done>
  [[nodiscard]] bool Answer(SessionBase* session, HttpRequest request, bool keep_alive, Done done);
  void Answered(SessionBase* session) { answered_sessions_.erase(session); }

 private:
  struct Acceptor {
    explicit Acceptor(asio::io_context& io) : socket(io), pause(io) {}
    ListeningSocket socket;
    Timer pause;
  };

  [[nodiscard]] Result<void> SetPolicy(bool beyond_loopback);
  [[nodiscard]] bool KnowsWhoseConnections() const;
  void Run();
  void Accept(Acceptor& acceptor);
  void OnAccepted(Acceptor& acceptor, const AsioError& error, Socket socket);
  void AcceptLater(Acceptor& acceptor);
  void Serve(Socket socket);
  [[nodiscard]] bool MakeRoom();
  void WakeAll(bool heartbeat);
  void WakeSome(std::shared_ptr<std::vector<std::weak_ptr<SessionBase>>> sessions, size_t from,
                bool heartbeat);
  void Beat();
  void LookForClients();
  [[nodiscard]] WireResponse HandleAndPack(HttpRequest& request, bool keep_alive) const;
  [[nodiscard]] HttpResponse Handle(const HttpRequest& request) const;

  HttpServerOptions options_;
  HttpHandler handler_;
  AccessPolicy policy_;
  std::unique_ptr<ssl::context> tls_;
  uint16_t port_ = 0;
  bool stopping_ = false;
  bool stranger_said_ = false;
  bool looking_ = false;
  std::atomic<bool> wake_posted_ = false;

  // Sessions take themselves out when they die, the last ones with io_.
  std::unordered_set<SessionBase*> sessions_;
  std::unordered_map<SessionBase*, std::weak_ptr<SessionBase>> event_sessions_;
  std::unordered_set<SessionBase*> answered_sessions_;  // their handlers run
  asio::io_context io_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  Timer heartbeat_;
  Timer look_;
  WorkerLanes lanes_;
  std::thread thread_;
};

Result<void> HttpServer::Core::SetPolicy(bool beyond_loopback) {
  policy_.any_address = beyond_loopback;
  if (policy_.any_address) {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) == 0) {
      if (const auto machine = ParseAuthority(name.data())) {
        policy_.bound_hosts.push_back(machine->host);
      }
    }
  }
  if (const auto bound = ParseAuthority(options_.host)) policy_.bound_hosts.push_back(bound->host);
  policy_.allowed_hosts = options_.allowed_hosts;
  policy_.token = options_.token;
  policy_.cookie_name = fmt::format("telltale_{}", port_);
  policy_.path_prefix = options_.path_prefix;
  policy_.tls = tls_ != nullptr;
  if (options_.no_token) {
    if (!beyond_loopback) return {};
    return Fail(ErrorCode::kUsage,
                "beyond this machine nothing is shown without a token: leave --no-token out, or "
                "listen on localhost and let a proxy decide who may ask");
  }
  policy_.owner_needs_token =
      beyond_loopback || !options_.token.empty() || !KnowsWhoseConnections();
  if (policy_.token.empty()) {
    Result<std::string> token = MakeToken();
    if (!token) return tl::unexpected<Error>(token.error());
    policy_.token = std::move(*token);
  }
  return {};
}

// Not every system tells: asked about a connection of our own.
bool HttpServer::Core::KnowsWhoseConnections() const {
  AsioError error;
  asio::io_context io;
  const Tcp::endpoint here = acceptors_.front()->socket.local_endpoint(error);
  if (error) return false;
  Tcp::acceptor listening(io);
  listening.open(here.protocol(), error);
  if (!error) listening.bind(Tcp::endpoint(here.address(), 0), error);
  if (!error) listening.listen(1, error);
  if (error) return false;
  Tcp::socket ours(io);
  Tcp::socket theirs(io);
  ours.connect(listening.local_endpoint(error), error);
  if (!error) listening.accept(theirs, error);
  return !error && UserOfPeer(theirs.native_handle()) == ::geteuid();
}

Result<void> HttpServer::Core::Start() {
  if (!options_.certificate_file.empty()) {
    Result<TlsContext> tls = MakeTlsContext(options_.certificate_file, options_.key_file);
    if (!tls) return tl::unexpected<Error>(tls.error());
    tls_ = std::make_unique<ssl::context>(tls->release());
  }
  Result<Listeners> listeners = Listen({options_.host, options_.port, options_.further_ports});
  if (!listeners) return tl::unexpected<Error>(listeners.error());
  port_ = listeners->port();
  for (const Listeners::One& one : listeners->Take()) {
    acceptors_.push_back(std::make_unique<Acceptor>(io_));
    AsioError error;
    acceptors_.back()->socket.assign(one.is_v6 ? Tcp::v6() : Tcp::v4(), one.socket, error);
  }
  if (Result<void> set = SetPolicy(listeners->beyond_loopback()); !set) return set;

  const auto no_thread = [] {
    return Fail(ErrorCode::kUnreadable,
                "the system grants no thread to the server: memory is short, or no more threads "
                "are allowed; close other programs");
  };
  if (!lanes_.Start()) return no_thread();
  for (const std::unique_ptr<Acceptor>& acceptor : acceptors_) Accept(*acceptor);
  if (options_.events != nullptr) {
    options_.events->Listen([this] {
      // Many messages at a time wake once.
      if (!wake_posted_.exchange(true)) asio::post(io_, [this] { WakeAll(false); });
    });
    Beat();
  }
  try {
    thread_ = std::thread([this] { Run(); });
  } catch (const std::system_error&) {
    return no_thread();
  }
  return {};
}

// Sessions look after themselves. What is thrown past them (the library's own lack of memory) must
// not end the others.
void HttpServer::Core::Run() {
  while (true) {
    try {
      io_.run();
      return;
    } catch (const std::exception&) {
      std::this_thread::yield();
    }
  }
}

bool HttpServer::Core::Stop(std::chrono::milliseconds patience) {
  asio::post(io_, [this] {
    stopping_ = true;
    for (const std::unique_ptr<Acceptor>& acceptor : acceptors_) {
      AsioError ignored;
      acceptor->socket.close(ignored);
      acceptor->pause.cancel();
    }
    heartbeat_.cancel();
    look_.cancel();
    // Closing ends their operations, and with those the sessions, but not before this function
    // does.
    for (SessionBase* session : sessions_) session->Close();
  });
  return lanes_.Stop(patience);
}

void HttpServer::Core::Accept(Acceptor& acceptor) {
  acceptor.socket.async_accept([this, &acceptor](AsioError error, Socket socket) {
    try {
      OnAccepted(acceptor, error, std::move(socket));
    } catch (const std::exception&) {
      AcceptLater(acceptor);
    }
  });
}

void HttpServer::Core::OnAccepted(Acceptor& acceptor, const AsioError& error, Socket socket) {
  if (!acceptor.socket.is_open()) return;
  if (!error) {
    Serve(std::move(socket));
  } else if (error != asio::error::connection_aborted) {
    // Out of descriptors or memory: others must end first.
    return AcceptLater(acceptor);
  }
  Accept(acceptor);
}

void HttpServer::Core::AcceptLater(Acceptor& acceptor) {
  acceptor.pause.expires_after(kAcceptPause);
  acceptor.pause.async_wait([this, &acceptor](AsioError canceled) {
    if (!canceled && acceptor.socket.is_open()) Accept(acceptor);
  });
}

void HttpServer::Core::Serve(Socket socket) {
  AsioError error;
  socket.set_option(Tcp::no_delay(true), error);
  socket.set_option(asio::socket_base::keep_alive(true), error);
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs,
               sizeof(kUserTimeoutMs));
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  const Tcp::endpoint from = socket.remote_endpoint(error);
  if (error) return;  // gone already
  const bool full = sessions_.size() >= limits().connections && !MakeRoom();
  if (full && sessions_.size() >= limits().connections + kMostRejections) return;
  const auto start = [&](const auto& session) {
    if (full) {
      session->Reject();
    } else {
      session->Start();
    }
  };
  std::string client = from.address().to_string();
  if (tls_) {
    start(std::make_shared<Session<TlsStream, Core>>(*this, std::move(client),
                                                     PlainStream(std::move(socket)), *tls_));
  } else {
    start(
        std::make_shared<Session<PlainStream, Core>>(*this, std::move(client), std::move(socket)));
  }
}

// Of the client with the most connections that only wait, the one that has waited longest.
bool HttpServer::Core::MakeRoom() {
  struct Waiting {
    size_t count = 0;
    SessionBase* longest = nullptr;
  };
  std::map<std::string_view, Waiting> clients;
  const Time latest = Now() - limits().least_wait;
  for (SessionBase* session : sessions_) {
    if (!session->waiting_since() || *session->waiting_since() > latest) continue;
    Waiting& waiting = clients[session->client()];
    ++waiting.count;
    if (waiting.longest == nullptr ||
        *session->waiting_since() < *waiting.longest->waiting_since()) {
      waiting.longest = session;
    }
  }
  const auto most =
      std::ranges::max_element(clients, {}, [](const auto& client) { return client.second.count; });
  if (most == clients.end()) return false;
  most->second.longest->Close();
  return true;
}

bool HttpServer::Core::AddEvents(SessionBase* session, std::weak_ptr<SessionBase> weak) {
  const auto of_client =
      static_cast<size_t>(std::ranges::count_if(event_sessions_, [&](const auto& other) {
        return other.first->client() == session->client();
      }));
  if (of_client >= std::max<size_t>(limits().connections / 2, 1)) return false;
  event_sessions_.emplace(session, std::move(weak));
  return true;
}

std::optional<HttpResponse> HttpServer::Core::Admit(const std::string& target,
                                                    HttpRequest& request) {
  std::optional<HttpResponse> response = telltale::Admit(policy_, target, request);
  if (response && response->status == 401 && !policy_.owner_needs_token &&
      !std::exchange(stranger_said_, true) && options_.on_stranger) {
    options_.on_stranger();
  }
  return response;
}

WireResponse HttpServer::Core::Pack(const HttpRequest& request, HttpResponse response,
                                    bool keep_alive) const {
  if (policy_.tls) {
    response.headers.emplace_back("Strict-Transport-Security", TransportSecurity(request));
  }
  return MakeWireResponse(request, std::move(response), keep_alive);
}

void HttpServer::Core::WakeAll(bool heartbeat) {
  if (!heartbeat) wake_posted_ = false;
  auto sessions = std::make_shared<std::vector<std::weak_ptr<SessionBase>>>();
  sessions->reserve(event_sessions_.size());
  for (const auto& [session, weak] : event_sessions_) sessions->push_back(weak);
  WakeSome(std::move(sessions), 0, heartbeat);
}

void HttpServer::Core::WakeSome(std::shared_ptr<std::vector<std::weak_ptr<SessionBase>>> sessions,
                                size_t from, bool heartbeat) {
  const size_t to = std::min(from + kWakeBatch, sessions->size());
  for (size_t i = from; i < to; ++i) {
    if (const std::shared_ptr<SessionBase> session = (*sessions)[i].lock()) {
      session->Wake(heartbeat);
    }
  }
  if (to == sessions->size()) return;
  asio::post(io_, [this, sessions = std::move(sessions), to, heartbeat]() mutable {
    WakeSome(std::move(sessions), to, heartbeat);
  });
}

void HttpServer::Core::Beat() {
  heartbeat_.expires_after(limits().heartbeat);
  heartbeat_.async_wait([this](AsioError canceled) {
    if (canceled || stopping_) return;
    WakeAll(true);
    Beat();
  });
}

void HttpServer::Core::LookForClients() {
  looking_ = !answered_sessions_.empty() && !stopping_;
  if (!looking_) return;
  look_.expires_after(limits().look_for_clients);
  look_.async_wait([this](AsioError canceled) {
    if (canceled) return;
    for (SessionBase* session : answered_sessions_) session->LookForClient();
    LookForClients();
  });
}

template <typename Done>
bool HttpServer::Core::Answer(SessionBase* session, HttpRequest request, bool keep_alive,
                              Done done) {
  const size_t lane = options_.lane ? options_.lane(request) : 0;
  // The job may be copied, what it works on need not be.
  struct Asked {
    HttpRequest request;
    Done done;
    WireResponse wire;
  };
  auto asked = std::make_shared<Asked>(Asked{std::move(request), std::move(done), {}});
  const bool taken = lanes_.Post(lane, [this, asked, keep_alive] {
    try {
      asked->wire = HandleAndPack(asked->request, keep_alive);
    } catch (const std::exception&) {
      OnceThereIsMemory([&] {
        asked->wire = Pack({}, ErrorResponse(503, "out_of_memory", "out of memory"), keep_alive);
      });
    }
    // The session must end where all of it happens: it leaves with `done`, whoever lets go of the
    // rest last.
    OnceThereIsMemory([&] {
      asio::post(io_, [asked] {
        const Done last = std::move(asked->done);
        last(std::move(asked->wire));
      });
    });
  });
  if (!taken) return false;
  answered_sessions_.insert(session);
  if (!looking_) LookForClients();
  return true;
}

// On a worker.
WireResponse HttpServer::Core::HandleAndPack(HttpRequest& request, bool keep_alive) const {
  const std::string sent_method = request.method;
  if (request.method == "HEAD") request.method = "GET";
  HttpResponse response = Handle(request);
  request.method = sent_method;
  return Pack(request, std::move(response), keep_alive);
}

HttpResponse HttpServer::Core::Handle(const HttpRequest& request) const {
  try {
    return handler_(request);
  } catch (const std::bad_alloc&) {
    return ErrorResponse(503, "out_of_memory",
                         "there is not enough memory for this; close other profiles or programs");
  } catch (const std::exception& problem) {
    return ErrorResponse(500, "internal_error",
                         std::string("something went wrong that should not have: ") +
                             problem.what() + "; please report it");
  }
}

HttpServer::HttpServer(std::unique_ptr<Core> core) : core_(std::move(core)) {}
HttpServer::~HttpServer() = default;

Result<std::unique_ptr<HttpServer>> HttpServer::Start(HttpServerOptions options,
                                                      HttpHandler handler) {
  auto core = std::make_unique<Core>(std::move(options), std::move(handler));
  if (Result<void> started = core->Start(); !started) {
    return tl::unexpected<Error>(started.error());
  }
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(core)));
}

uint16_t HttpServer::port() const { return core_->port(); }
bool HttpServer::beyond_loopback() const { return core_->beyond_loopback(); }
const std::string& HttpServer::token() const { return core_->token(); }
bool HttpServer::owner_needs_token() const { return core_->owner_needs_token(); }
bool HttpServer::Stop(std::chrono::milliseconds patience) { return core_->Stop(patience); }

}  // namespace telltale
// NOLINTEND(bugprone-unused-return-value)
