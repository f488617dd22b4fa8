// SPDX-License-Identifier: Apache-2.0
// HttpServer on Boost.Asio, with Beast's time limits; what the bytes mean is request_reader.h's.
//
// A connection is a Session: wait for the first byte, read header, may it ask, read body, answer,
// again. All of its steps run on the one I/O thread; only the handler and the packing of its answer
// run on a worker. A session lives as long as an operation of it is under way. What goes wrong in a
// step ends its session, never the thread.
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
#include <span>
#include <system_error>
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
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>

#include "server/access.h"
#include "server/admit.h"
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
namespace beast = boost::beast;
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

constexpr size_t kIgnoredRead = 512;
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
constexpr std::chrono::milliseconds kMemoryPause{10};
constexpr std::string_view kHeartbeat = ":\n\n";

using Time = std::chrono::steady_clock::time_point;
Time Now() { return std::chrono::steady_clock::now(); }

class SessionBase {
 public:
  explicit SessionBase(std::string client) : client_(std::move(client)) {}
  SessionBase(const SessionBase&) = delete;
  SessionBase& operator=(const SessionBase&) = delete;
  virtual ~SessionBase() = default;
  virtual void Close() = 0;
  // For those that carry events: send what is new; send that the server is alive.
  virtual void Wake(bool heartbeat) = 0;
  // For those that wait for an answer: is the client still there?
  virtual void LookForClient() = 0;

  [[nodiscard]] const std::string& client() const { return client_; }
  // Since when it does nothing but wait for bytes of its client.
  [[nodiscard]] const std::optional<Time>& waiting_since() const { return waiting_since_; }

 protected:
  std::optional<Time> waiting_since_;

 private:
  const std::string client_;  // its address
};

// The other end has closed its side, or the connection is lost.
bool HasLeft(int socket) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_state != TCP_ESTABLISHED;
}

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

namespace {

// Stream is a PlainStream, or TLS over one. Every read and every write has one type of handler and
// of buffers: each further one would add seconds to the compilation of this file.
template <typename Stream, typename Core>
class Session final : public SessionBase,
                      public std::enable_shared_from_this<Session<Stream, Core>> {
 public:
  template <typename... Arguments>
  explicit Session(Core& core, std::string client, Arguments&&... arguments)
      : SessionBase(std::move(client)),
        core_(core),
        stream_(std::forward<Arguments>(arguments)...),
        reader_(core.limits().request) {
    core_.Add(this);
  }
  ~Session() override { core_.Remove(this); }

  void Start() {
    if constexpr (kIsTls) {
      waiting_since_ = Now();
      lowest().expires_after(core_.limits().read);
      stream_.async_handshake(ssl::stream_base::server,
                              [then = Then{this->shared_from_this(), &Session::OnHandshake}](
                                  AsioError error) { then(error, 0); });
    } else {
      WaitForRequest(core_.limits().read);
    }
  }

  // Too many connections.
  void Reject() {
    if constexpr (kIsTls) {
      Close();
    } else {
      WriteLast(Later("too_many_connections", "too many connections are open; try again later"));
    }
  }

  void Close() override {
    waiting_since_.reset();
    lowest().close();
  }

  void Wake(bool heartbeat) override {
    if (sending_events_ && !writing_) SendEvents(heartbeat);
  }

  void LookForClient() override {
    if (abandoned_ != nullptr && HasLeft(lowest().socket().native_handle())) *abandoned_ = true;
  }

 private:
  static constexpr bool kIsTls = !std::is_same_v<Stream, PlainStream>;
  using Step = void (Session::*)(AsioError, size_t);
  struct Then {
    std::shared_ptr<Session> self;
    Step step;
    void operator()(AsioError error, size_t bytes) const {
      self->Guarded([&] { (self.get()->*step)(error, bytes); });
    }
  };

  // A step that cannot be done, for lack of memory most likely, is the end of this connection.
  template <typename Work>
  void Guarded(Work work) {
    try {
      work();
    } catch (const std::exception&) {
      Close();
    }
  }

  PlainStream& lowest() { return beast::get_lowest_layer(stream_); }

  static HttpResponse Later(std::string_view code, std::string_view message) {
    HttpResponse response = ErrorResponse(503, code, message);
    response.headers.emplace_back("Retry-After", "5");
    return response;
  }

  void Read(std::span<char> room, Step step) {
    stream_.async_read_some(asio::mutable_buffer(room.data(), room.size()),
                            Then{this->shared_from_this(), step});
  }
  void Send(const std::vector<asio::const_buffer>& buffers, Step step) {
    asio::async_write(stream_, buffers, Then{this->shared_from_this(), step});
  }

  void OnHandshake(AsioError error, size_t) {
    if (!error) WaitForRequest(core_.limits().read);
  }

  void WaitForRequest(std::chrono::milliseconds patience) {
    waiting_since_ = Now();
    answered_ = {};
    answered_.client = client();
    if (reader_.has_bytes()) return OnBegin();
    lowest().expires_after(patience);
    Read(reader_.Room(), &Session::OnFirstBytes);
  }

  void OnFirstBytes(AsioError error, size_t bytes) {
    if (error) return Close();
    reader_.Add(bytes);
    OnBegin();
  }

  // The time for the header runs from here, however many pieces it comes in.
  void OnBegin() {
    begin_ = Now();
    lowest().expires_after(core_.limits().read);
    Parse();
  }

  void OnBytes(AsioError error, size_t bytes) {
    if (error) return Close();  // gone, or too slow
    reader_.Add(bytes);
    Parse();
  }

  void Parse() {
    switch (reader_.Parse()) {
      case RequestReader::State::kNeedsMore:
        return Read(reader_.Room(), &Session::OnBytes);
      case RequestReader::State::kHeader:
        return OnHeader();
      case RequestReader::State::kDone:
        return OnRequest();
      case RequestReader::State::kRefused:
        return WriteLast(reader_.refusal());
    }
  }

  // Who may not ask is told so before a body is taken.
  void OnHeader() {
    keep_alive_ = reader_.keep_alive() && !core_.stopping();
    HttpRequest& request = reader_.request();
    answered_.method = request.method;
    answered_.target = reader_.target();
    request.of_owner = OfOwner();
    if (std::optional<HttpResponse> response = core_.Admit(reader_.target(), request)) {
      // The body, if one is there, is not worth reading.
      if (request.Header("content-length").value_or("0") != "0") keep_alive_ = false;
      return Write(core_.Pack(request, std::move(*response), keep_alive_));
    }
    lowest().expires_after(core_.limits().read);
    if (reader_.expects_continue()) {
      static constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
      return Send({asio::buffer(kContinue)}, &Session::OnContinueSent);
    }
    Parse();
  }

  void OnContinueSent(AsioError error, size_t) {
    if (error) return Close();
    Parse();
  }

  bool OfOwner() {
    if (core_.policy().owner_needs_token || core_.token().empty()) return false;
    if (!of_owner_) of_owner_ = UserOfPeer(lowest().socket().native_handle()) == ::geteuid();
    return *of_owner_;
  }

  void OnRequest() {
    HttpRequest request = std::move(reader_.request());
    lowest().expires_never();
    waiting_since_.reset();
    if (core_.options().events != nullptr && request.path == core_.options().events_path &&
        request.method == "GET") {
      return StartEvents();
    }
    abandoned_ = std::make_shared<std::atomic<bool>>(false);
    request.abandoned = abandoned_;
    const bool taken = core_.Answer(this, std::move(request), keep_alive_,
                                    [self = this->shared_from_this()](WireResponse wire) {
                                      self->Guarded([&] { self->OnAnswer(std::move(wire)); });
                                    });
    if (!taken) {
      Write(core_.Pack({}, Later("too_busy", "too much is being asked at once; try again later"),
                       keep_alive_));
    }
  }

  void OnAnswer(WireResponse wire) {
    core_.Answered(this);
    Write(std::move(wire));
  }

  void WriteLast(HttpResponse response) {
    keep_alive_ = false;
    Write(core_.Pack({}, std::move(response), false));
  }

  void Write(WireResponse wire) {
    waiting_since_.reset();
    wire_ = std::move(wire);
    answered_.status = wire_.status;
    answered_.body_bytes = wire_.end - wire_.begin;
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
    LogAnswer();
    if (!keep_alive_) return SayFarewell();
    reader_.Next();
    WaitForRequest(core_.limits().idle);
  }

  void LogAnswer() {
    answered_.took = Now() - begin_;
    core_.Log(answered_);
  }

  void SayFarewell() {
    waiting_since_ = Now();
    lowest().expires_after(kFarewell);
    if constexpr (kIsTls) {
      stream_.async_shutdown([then = Then{this->shared_from_this(), &Session::OnFarewell}](
                                 AsioError error) { then(error, 0); });
    } else {
      AsioError ignored;
      lowest().socket().shutdown(asio::socket_base::shutdown_send, ignored);
      OnDropped({}, 0);
    }
  }

  void OnFarewell(AsioError, size_t) { Close(); }

  void OnDropped(AsioError error, size_t) {
    if (error) return Close();
    Read(ignored_, &Session::OnDropped);
  }

  void StartEvents() {
    if (!core_.AddEvents(this, this->weak_from_this())) {
      return WriteLast(
          Later("too_many_streams", "too many event streams are open; ask for the list instead"));
    }
    wire_.head = StreamHead("text/event-stream; charset=utf-8");
    answered_.status = 200;
    LogAnswer();
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
    Read(ignored_, &Session::OnIgnoredInput);
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
  RequestReader reader_;
  std::array<char, kIgnoredRead> ignored_{};
  WireResponse wire_;
  AnsweredRequest answered_;
  Time begin_;
  bool keep_alive_ = false;
  std::optional<bool> of_owner_;
  std::shared_ptr<std::atomic<bool>> abandoned_;

  bool sending_events_ = false;
  bool writing_ = false;
  uint64_t cursor_ = 0;
  std::vector<EventStream::Message> sent_;
};

}  // namespace

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
                "the system grants no thread to the server; close other programs");
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
