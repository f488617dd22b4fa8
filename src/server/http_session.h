// SPDX-License-Identifier: Apache-2.0
// One connection of the server, for http_server.cpp alone: wait for the first byte, read header,
// may it ask, read body, answer, again; or carry events. What the bytes mean is request_reader.h's.
//
// All of its steps run on the one I/O thread; only the handler and the packing of its answer run on
// a worker. A session lives as long as an operation of it is under way. What goes wrong in a step
// ends its session, never the thread.
#pragma once

#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/basic_stream.hpp>

#include "server/event_stream.h"
#include "server/http.h"
#include "server/http_server.h"
#include "server/peer_user.h"
#include "server/request_reader.h"
#include "server/respond.h"

namespace telltale::http_session {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ssl = asio::ssl;
using AsioError = boost::system::error_code;
using Tcp = asio::ip::tcp;
// All on one io_context: without its type the library would go through a virtual executor.
using Executor = asio::io_context::executor_type;
using PlainStream = beast::basic_stream<Tcp, Executor>;
using TlsStream = ssl::stream<PlainStream>;

constexpr size_t kIgnoredRead = 512;
constexpr size_t kWritePiece = size_t{256} << 10;
// After an answer that ends the connection, what the client still sends is read and dropped:
// closing at once would reset the connection and could take the answer with it.
constexpr std::chrono::seconds kFarewell{2};
constexpr std::string_view kHeartbeat = ":\n\n";

using Time = std::chrono::steady_clock::time_point;
inline Time Now() { return std::chrono::steady_clock::now(); }

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
inline bool HasLeft(int socket) {
  tcp_info info{};
  socklen_t size = sizeof(info);
  return ::getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0 &&
         info.tcpi_state != TCP_ESTABLISHED;
}

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

}  // namespace telltale::http_session
