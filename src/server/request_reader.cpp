// SPDX-License-Identifier: Apache-2.0
// RequestReader on the parser of Boost.Beast.
#include "server/request_reader.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace telltale {

namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using BeastError = boost::system::error_code;
using Message = http::request<http::string_body>;

constexpr size_t kHeaderRead = 4096;
constexpr size_t kBodyRead = size_t{64} << 10;

struct Refused {
  unsigned status = 400;
  std::string_view code = "bad_request";
  std::string_view message = "this is no HTTP/1.1 request";
};

void TakeHeader(const Message& message, HttpRequest& request) {
  request.method = std::string_view(message.method_string());
  for (const auto& field : message) {
    request.headers.emplace_back(LowerCase(std::string_view(field.name_string())),
                                 std::string_view(field.value()));
  }
}

// Any coding: what a proxy in front of us makes of one that we do not know could differ.
std::optional<Refused> RefusedCoding(const Message& message) {
  const auto [begin, end] = message.equal_range(http::field::transfer_encoding);
  if (begin == end) return std::nullopt;
  if (message.version() < 11) return Refused();
  if (std::next(begin) == end && beast::iequals(begin->value(), "chunked")) {
    return Refused{411, "no_length",
                   "a body in chunks is not read here; send it with a Content-Length"};
  }
  return Refused{501, "unknown_coding",
                 "this transfer coding is not known here; send the body as it is, with a "
                 "Content-Length"};
}

Refused RefusedFor(const BeastError& error) {
  if (error == http::error::header_limit) {
    return {431, "header_too_large", "the header of the request is too large"};
  }
  if (error == http::error::body_limit) {
    return {413, "body_too_large", "the body of the request is too large"};
  }
  return {};
}

}  // namespace

class RequestReader::Parsing {
 public:
  explicit Parsing(RequestLimits limits)
      : limits_(limits), buffer_(limits.header_bytes + kBodyRead) {
    Next();
  }

  std::span<char> Room() {
    const size_t wanted = parser_->is_header_done() ? kBodyRead : kHeaderRead;
    const auto room = buffer_.prepare(std::min(wanted, buffer_.max_size() - buffer_.size()));
    return {static_cast<char*>(room.data()), room.size()};
  }
  void Add(size_t bytes) { buffer_.commit(bytes); }
  [[nodiscard]] bool has_bytes() const { return buffer_.size() > 0; }

  State Parse() {
    if (refused_) return State::kRefused;
    try {
      return Put();
    } catch (const std::length_error&) {
      // Beast's word for a field that is longer than it can hold.
      refused_ = Refused{431, "header_too_large", "the header of the request is too large"};
    }
    return State::kRefused;
  }

  void Next() {
    request_ = {};
    target_.clear();
    refused_.reset();
    header_said_ = false;
    parser_.emplace();
    parser_->header_limit(limits_.header_bytes);
    parser_->body_limit(limits_.body_bytes);
    // The parser stops behind the header: what follows is looked at only if it may be there.
    parser_->eager(false);
  }

  [[nodiscard]] HttpRequest& request() { return request_; }
  [[nodiscard]] const std::string& target() const { return target_; }
  [[nodiscard]] bool keep_alive() const { return keep_alive_; }
  [[nodiscard]] bool expects_continue() const {
    return !done_ && beast::iequals(parser_->get()[http::field::expect], "100-continue");
  }
  [[nodiscard]] const Refused& refused() const { return *refused_; }

 private:
  State Put() {
    BeastError error;
    while (buffer_.size() > 0 && !error && !parser_->is_done()) {
      if (parser_->is_header_done() && !header_said_) break;
      buffer_.consume(parser_->put(buffer_.data(), error));
    }
    if (error && error != http::error::need_more) {
      refused_ = RefusedFor(error);
      return State::kRefused;
    }
    done_ = parser_->is_done();
    if (parser_->is_header_done() && !std::exchange(header_said_, true)) return OnHeader();
    if (done_) {
      request_.body = std::move(parser_->get().body());
      return State::kDone;
    }
    // A header that fills its room without an end is too long, whatever the parser thinks.
    if (buffer_.size() == buffer_.max_size()) {
      refused_ = RefusedFor(http::error::header_limit);
      return State::kRefused;
    }
    return State::kNeedsMore;
  }

  State OnHeader() {
    if (refused_ = RefusedCoding(parser_->get()); refused_) return State::kRefused;
    TakeHeader(parser_->get(), request_);
    target_ = std::string_view(parser_->get().target());
    keep_alive_ = parser_->keep_alive();
    parser_->eager(true);
    return State::kHeader;
  }

  const RequestLimits limits_;
  beast::flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  HttpRequest request_;
  std::string target_;
  std::optional<Refused> refused_;
  bool header_said_ = false;
  bool keep_alive_ = false;
  bool done_ = false;
};

RequestReader::RequestReader(RequestLimits limits) : parsing_(std::make_unique<Parsing>(limits)) {}
RequestReader::~RequestReader() = default;
std::span<char> RequestReader::Room() { return parsing_->Room(); }
void RequestReader::Add(size_t bytes) { parsing_->Add(bytes); }
bool RequestReader::has_bytes() const { return parsing_->has_bytes(); }
RequestReader::State RequestReader::Parse() { return parsing_->Parse(); }
HttpRequest& RequestReader::request() { return parsing_->request(); }
const std::string& RequestReader::target() const { return parsing_->target(); }
bool RequestReader::keep_alive() const { return parsing_->keep_alive(); }
bool RequestReader::expects_continue() const { return parsing_->expects_continue(); }
HttpResponse RequestReader::refusal() const {
  const Refused& refused = parsing_->refused();
  return ErrorResponse(refused.status, refused.code, refused.message);
}
void RequestReader::Next() { parsing_->Next(); }

}  // namespace telltale
