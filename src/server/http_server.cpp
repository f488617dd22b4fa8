// SPDX-License-Identifier: Apache-2.0
// HttpServer on Boost.Beast and Asio; the only file that sees them.
//
// A connection is a Session: wait for the first byte, read header, read body, answer, again. All of
// its steps run on the one I/O thread; only the handler and the packing of its answer run on a
// worker. A session lives as long as an operation of it is under way.
#include "server/http_server.h"

#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <type_traits>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "server/access.h"
#include "server/admit.h"
#include "server/listen.h"
#include "server/respond.h"
#include "server/tls_context.h"
#include "server/url.h"

// Asio returns the error that it also hands out through a parameter, which is the one looked at.
// NOLINTBEGIN(bugprone-unused-return-value)
namespace telltale {

namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace ssl = asio::ssl;
using AsioError = boost::system::error_code;
using Tcp = asio::ip::tcp;
// All on one io_context: without its type the library would go through a virtual executor.
using Executor = asio::io_context::executor_type;
using Socket = asio::basic_stream_socket<Tcp, Executor>;
using ListeningSocket = asio::basic_socket_acceptor<Tcp, Executor>;
using Timer = asio::steady_timer::rebind_executor<Executor>::other;
using PlainStream = beast::basic_stream<Tcp, Executor>;
using TlsStream = ssl::stream<PlainStream>;

constexpr size_t kHeaderRead = 4096;
constexpr size_t kBodyRead = size_t{64} << 10;
constexpr size_t kIgnoredRead = 64;
constexpr size_t kWritePiece = size_t{256} << 10;
// After an answer that ends the connection, what the client still sends is read and dropped:
// closing at once would reset the connection and could take the answer with it.
constexpr std::chrono::seconds kFarewell{2};
// Connections beyond the limit that are told so at the same time; others are just closed.
constexpr size_t kMostRejections = 64;
// Sessions that are woken before other work gets its turn.
constexpr size_t kWakeBatch = 64;
// A peer that went away without a word: its machine sleeps, its cable is out.
constexpr unsigned kUserTimeoutMs = 60'000;
constexpr std::chrono::milliseconds kAcceptPause{100};
constexpr std::string_view kHeartbeat = ":\n\n";

class SessionBase {
 public:
  SessionBase() = default;
  SessionBase(const SessionBase&) = delete;
  SessionBase& operator=(const SessionBase&) = delete;
  virtual ~SessionBase() = default;
  virtual void Close() = 0;
  // For those that carry events: send what is new; send that the server is alive.
  virtual void Wake(bool heartbeat) = 0;
};

HttpRequest ToRequest(const http::request<http::string_body>& message) {
  HttpRequest request;
  request.method = std::string_view(message.method_string());
  request.body = message.body();
  for (const auto& field : message) {
    std::string name(std::string_view(field.name_string()));
    for (char& c : name) {
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    request.headers.emplace_back(std::move(name), std::string_view(field.value()));
  }
  return request;
}

}  // namespace

class HttpServer::Core {
 public:
  Core(HttpServerOptions options, HttpHandler handler)
      : options_(std::move(options)),
        handler_(std::move(handler)),
        io_(1),
        heartbeat_(io_),
        workers_(std::max(options_.limits.workers, 1U)) {}
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;
  ~Core() {
    if (options_.events != nullptr) options_.events->Listen({});
    (void)Stop(std::chrono::hours(24));
    workers_.join();
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
  [[nodiscard]] const AccessPolicy& policy() const { return policy_; }

  // Below: for sessions, on the I/O thread.
  void Add(SessionBase* session) { sessions_.insert(session); }
  void Remove(SessionBase* session) {
    sessions_.erase(session);
    event_sessions_.erase(session);
  }
  void AddEvents(SessionBase* session, std::weak_ptr<SessionBase> weak) {
    event_sessions_.emplace(session, std::move(weak));
  }
  [[nodiscard]] bool stopping() const { return stopping_; }

  // Runs the handler on a worker, then `done` on the I/O thread.
  template <typename Done>
  void Answer(HttpRequest request, bool keep_alive, Done done);

 private:
  struct Acceptor {
    explicit Acceptor(asio::io_context& io) : socket(io), pause(io) {}
    ListeningSocket socket;
    Timer pause;
  };

  void SetPolicy(bool beyond_loopback);
  void Accept(Acceptor& acceptor);
  void Serve(Socket socket);
  void WakeAll(bool heartbeat);
  void WakeSome(std::shared_ptr<std::vector<std::weak_ptr<SessionBase>>> sessions, size_t from,
                bool heartbeat);
  void Beat();
  [[nodiscard]] HttpResponse Handle(const HttpRequest& request) const;

  HttpServerOptions options_;
  HttpHandler handler_;
  AccessPolicy policy_;
  std::unique_ptr<ssl::context> tls_;
  uint16_t port_ = 0;
  bool stopping_ = false;
  std::atomic<bool> wake_posted_ = false;

  std::mutex running_mutex_;
  std::condition_variable running_changed_;
  size_t running_ = 0;  // handlers
  bool may_run_ = true;

  // Sessions take themselves out when they die, the last ones with io_.
  std::unordered_set<SessionBase*> sessions_;
  std::unordered_map<SessionBase*, std::weak_ptr<SessionBase>> event_sessions_;
  asio::io_context io_;
  std::vector<std::unique_ptr<Acceptor>> acceptors_;
  Timer heartbeat_;
  asio::thread_pool workers_;
  std::thread thread_;
};

namespace {

// Stream is a PlainStream, or TLS over one. Every read and every write has one type of handler and
// of buffers: each further one would add seconds to the compilation of this file.
template <typename Stream, typename Core>
class Session final : public SessionBase,
                      public std::enable_shared_from_this<Session<Stream, Core>> {
 public:
  template <typename... Arguments>
  explicit Session(Core& core, Arguments&&... arguments)
      : core_(core), stream_(std::forward<Arguments>(arguments)...) {
    core_.Add(this);
  }
  ~Session() override { core_.Remove(this); }

  void Start() {
    if constexpr (kIsTls) {
      lowest().expires_after(core_.limits().read);
      stream_.async_handshake(ssl::stream_base::server,
                              [self = this->shared_from_this()](AsioError error) {
                                if (!error) self->WaitForRequest(self->core_.limits().read);
                              });
    } else {
      WaitForRequest(core_.limits().read);
    }
  }

  // Too many connections.
  void Reject() {
    if constexpr (kIsTls) {
      Close();
    } else {
      HttpResponse response = ErrorResponse(503, "too_many_connections",
                                            "too many connections are open; try again later");
      response.headers.emplace_back("Retry-After", "5");
      WriteLast(std::move(response));
    }
  }

  void Close() override { lowest().close(); }

  void Wake(bool heartbeat) override {
    if (sending_events_ && !writing_) SendEvents(heartbeat);
  }

 private:
  static constexpr bool kIsTls = !std::is_same_v<Stream, PlainStream>;
  using Step = void (Session::*)(AsioError, size_t);
  struct Then {
    std::shared_ptr<Session> self;
    Step step;
    void operator()(AsioError error, size_t bytes) const { (self.get()->*step)(error, bytes); }
  };

  PlainStream& lowest() { return beast::get_lowest_layer(stream_); }

  void Read(size_t at_most, Step step) {
    stream_.async_read_some(buffer_.prepare(at_most), Then{this->shared_from_this(), step});
  }
  void Send(const std::vector<asio::const_buffer>& buffers, Step step) {
    asio::async_write(stream_, buffers, Then{this->shared_from_this(), step});
  }

  void WaitForRequest(std::chrono::milliseconds patience) {
    parser_.emplace();
    parser_->header_limit(core_.limits().header_bytes);
    parser_->body_limit(core_.limits().body_bytes);
    parser_->eager(true);
    if (buffer_.size() > 0) return OnBegin();
    lowest().expires_after(patience);
    Read(kHeaderRead, &Session::OnFirstBytes);
  }

  void OnFirstBytes(AsioError error, size_t bytes) {
    if (error) return Close();
    buffer_.commit(bytes);
    OnBegin();
  }

  // The time for the header runs from here, however many pieces it comes in.
  void OnBegin() {
    lowest().expires_after(core_.limits().read);
    Parse();
  }

  void OnBytes(AsioError error, size_t bytes) {
    if (error) return Close();  // gone, or too slow
    buffer_.commit(bytes);
    Parse();
  }

  void Parse() {
    const bool had_header = parser_->is_header_done();
    AsioError error;
    while (buffer_.size() > 0 && !error && !parser_->is_done()) {
      buffer_.consume(parser_->put(buffer_.data(), error));
    }
    if (error && error != http::error::need_more) return Refuse(error);
    if (parser_->is_done()) return OnRequest();
    if (parser_->is_header_done() && !had_header) {
      lowest().expires_after(core_.limits().read);
      if (beast::iequals(parser_->get()[http::field::expect], "100-continue")) {
        static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
        return Send({asio::buffer(kContinue)}, &Session::OnContinueSent);
      }
    }
    Read(parser_->is_header_done() ? kBodyRead : kHeaderRead, &Session::OnBytes);
  }

  void OnContinueSent(AsioError error, size_t) {
    if (error) return Close();
    Read(kBodyRead, &Session::OnBytes);
  }

  // What cannot be read as a request.
  void Refuse(AsioError error) {
    if (error == http::error::header_limit) {
      WriteLast(ErrorResponse(431, "header_too_large", "the header of the request is too large"));
    } else if (error == http::error::body_limit) {
      WriteLast(ErrorResponse(413, "body_too_large", "the body of the request is too large"));
    } else {
      WriteLast(ErrorResponse(400, "bad_request", "this is no HTTP/1.1 request"));
    }
  }

  void OnRequest() {
    keep_alive_ = parser_->keep_alive() && !core_.stopping();
    const std::string target(std::string_view(parser_->get().target()));
    HttpRequest request = ToRequest(parser_->get());
    parser_.reset();
    lowest().expires_never();
    if (std::optional<HttpResponse> response = Admit(core_.policy(), target, request)) {
      return Write(MakeWireResponse(request, std::move(*response), keep_alive_));
    }
    if (core_.options().events != nullptr && request.path == core_.options().events_path &&
        request.method == "GET") {
      return StartEvents();
    }
    core_.Answer(
        std::move(request), keep_alive_,
        [self = this->shared_from_this()](WireResponse wire) { self->Write(std::move(wire)); });
  }

  void WriteLast(HttpResponse response) {
    keep_alive_ = false;
    Write(MakeWireResponse({}, std::move(response), false));
  }

  void Write(WireResponse wire) {
    wire_ = std::move(wire);
    WritePiece(asio::buffer(wire_.head));
  }

  void WritePiece(asio::const_buffer head) {
    const size_t size = std::min(wire_.end - wire_.begin, kWritePiece);
    const asio::const_buffer body(wire_.body->data() + wire_.begin, size);
    wire_.begin += size;
    lowest().expires_after(core_.limits().write);
    Send({head, body}, &Session::OnPieceWritten);
  }

  void OnPieceWritten(AsioError error, size_t) {
    if (error) return Close();
    if (wire_.begin < wire_.end) return WritePiece({});
    wire_ = {};
    if (!keep_alive_) return SayFarewell();
    WaitForRequest(core_.limits().idle);
  }

  void SayFarewell() {
    lowest().expires_after(kFarewell);
    if constexpr (kIsTls) {
      stream_.async_shutdown([self = this->shared_from_this()](AsioError) { self->Close(); });
    } else {
      AsioError ignored;
      lowest().socket().shutdown(asio::socket_base::shutdown_send, ignored);
      OnDropped({}, 0);
    }
  }

  void OnDropped(AsioError error, size_t) {
    if (error) return Close();
    buffer_.clear();
    Read(kHeaderRead, &Session::OnDropped);
  }

  void StartEvents() {
    core_.AddEvents(this, this->weak_from_this());
    buffer_ = {};
    wire_.head = StreamHead("text/event-stream; charset=utf-8");
    sending_events_ = true;
    writing_ = true;
    // The read that notices that the client has left has no time limit.
    lowest().expires_never();
    OnIgnoredInput({}, 0);
    lowest().expires_after(core_.limits().write);
    Send({asio::buffer(wire_.head)}, &Session::OnEventsSent);
  }

  void OnIgnoredInput(AsioError error, size_t) {
    if (error) return Close();
    buffer_.clear();
    Read(kIgnoredRead, &Session::OnIgnoredInput);
  }

  void SendEvents(bool heartbeat) {
    EventStream::Batch batch = core_.options().events->Since(cursor_);
    cursor_ = batch.next;
    if (batch.messages.empty() && !heartbeat) return;
    writing_ = true;
    sent_ = std::move(batch.messages);
    std::vector<asio::const_buffer> buffers;
    buffers.reserve(sent_.size() + 1);
    for (const EventStream::Message& message : sent_) buffers.push_back(asio::buffer(*message));
    if (buffers.empty()) buffers.push_back(asio::buffer(kHeartbeat));
    // A client that takes nothing for so long is closed by the stream.
    lowest().expires_after(core_.limits().write);
    Send(buffers, &Session::OnEventsSent);
  }

  void OnEventsSent(AsioError error, size_t) {
    writing_ = false;
    wire_ = {};
    sent_.clear();
    if (error) {
      sending_events_ = false;
      return Close();
    }
    SendEvents(false);
  }

  Core& core_;
  Stream stream_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  WireResponse wire_;
  bool keep_alive_ = false;

  bool sending_events_ = false;
  bool writing_ = false;
  uint64_t cursor_ = 0;
  std::vector<EventStream::Message> sent_;
};

}  // namespace

void HttpServer::Core::SetPolicy(bool beyond_loopback) {
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
  SetPolicy(listeners->beyond_loopback());
  if (policy_.any_address && policy_.token.empty()) {
    Result<std::string> token = MakeToken();
    if (!token) return tl::unexpected<Error>(token.error());
    policy_.token = std::move(*token);
  }

  for (const std::unique_ptr<Acceptor>& acceptor : acceptors_) Accept(*acceptor);
  if (options_.events != nullptr) {
    options_.events->Listen([this] {
      // Many messages at a time wake once.
      if (!wake_posted_.exchange(true)) asio::post(io_, [this] { WakeAll(false); });
    });
    Beat();
  }
  thread_ = std::thread([this] { io_.run(); });
  return {};
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
    // Closing ends their operations, and with those the sessions, but not before this function
    // does.
    for (SessionBase* session : sessions_) session->Close();
  });
  std::unique_lock lock(running_mutex_);
  may_run_ = false;
  return running_changed_.wait_for(lock, patience, [this] { return running_ == 0; });
}

void HttpServer::Core::Accept(Acceptor& acceptor) {
  acceptor.socket.async_accept([this, &acceptor](AsioError error, Socket socket) {
    if (!acceptor.socket.is_open()) return;
    if (!error) {
      Serve(std::move(socket));
    } else if (error != asio::error::connection_aborted) {
      // Out of descriptors or memory: others must end first.
      acceptor.pause.expires_after(kAcceptPause);
      acceptor.pause.async_wait([this, &acceptor](AsioError canceled) {
        if (!canceled && acceptor.socket.is_open()) Accept(acceptor);
      });
      return;
    }
    Accept(acceptor);
  });
}

void HttpServer::Core::Serve(Socket socket) {
  AsioError ignored;
  socket.set_option(Tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  ::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_USER_TIMEOUT, &kUserTimeoutMs,
               sizeof(kUserTimeoutMs));
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
  const size_t open = sessions_.size();
  if (open >= limits().connections + kMostRejections) return;
  const auto start = [&](const auto& session) {
    if (open >= limits().connections) {
      session->Reject();
    } else {
      session->Start();
    }
  };
  if (tls_) {
    start(std::make_shared<Session<TlsStream, Core>>(*this, PlainStream(std::move(socket)), *tls_));
  } else {
    start(std::make_shared<Session<PlainStream, Core>>(*this, std::move(socket)));
  }
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

template <typename Done>
void HttpServer::Core::Answer(HttpRequest request, bool keep_alive, Done done) {
  asio::post(workers_, [this, request = std::move(request), keep_alive,
                        done = std::move(done)]() mutable {
    {
      const std::lock_guard lock(running_mutex_);
      if (!may_run_) {
        // The session must end where all of it happens.
        asio::post(io_, [done = std::move(done)] {});
        return;
      }
      ++running_;
    }
    const std::string sent_method = request.method;
    if (request.method == "HEAD") request.method = "GET";
    HttpResponse response = Handle(request);
    request.method = sent_method;
    WireResponse wire;
    try {
      wire = MakeWireResponse(request, std::move(response), keep_alive);
    } catch (const std::exception&) {
      wire = MakeWireResponse({}, ErrorResponse(503, "out_of_memory", "out of memory"), keep_alive);
    }
    asio::post(
        io_, [done = std::move(done), wire = std::move(wire)]() mutable { done(std::move(wire)); });
    const std::lock_guard lock(running_mutex_);
    --running_;
    running_changed_.notify_all();
  });
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
bool HttpServer::Stop(std::chrono::milliseconds patience) { return core_->Stop(patience); }

}  // namespace telltale
// NOLINTEND(bugprone-unused-return-value)
