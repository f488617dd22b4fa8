// SPDX-License-Identifier: Apache-2.0
#include "server/respond.h"

#include <algorithm>
#include <charconv>
#include <ctime>
#include <optional>
#include <utility>

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include "io/gzip_memory.h"
#include "server/access.h"

namespace telltale {

namespace {

// The gzip form of a body is another entity than the plain one.
constexpr std::string_view kGzipTagEnd = "-gzip\"";
// No asset is near this; a packed body that claims more is not ours.
constexpr size_t kLargestUnpackedBody = size_t{256} << 20;

std::string_view Reason(unsigned status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 206:
      return "Partial Content";
    case 303:
      return "See Other";
    case 304:
      return "Not Modified";
    case 308:
      return "Permanent Redirect";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 411:
      return "Length Required";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 416:
      return "Range Not Satisfiable";
    case 422:
      return "Unprocessable Content";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    default:
      return "Status";
  }
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Calls `use` with each part between commas, trimmed; stops where it returns true.
template <typename Use>
bool AnyListed(std::string_view list, Use use) {
  while (!list.empty()) {
    const size_t end = std::min(list.find(','), list.size());
    if (use(Trim(list.substr(0, end)))) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

// Pictures, fonts and archives are packed already.
bool IsWorthPacking(std::string_view content_type) {
  for (const std::string_view start :
       {"text/", "application/json", "application/javascript", "application/octet-stream",
        "application/xml", "image/svg+xml", "application/wasm"}) {
    if (content_type.starts_with(start)) return true;
  }
  return false;
}

std::string* FindHeader(HttpResponse& response, std::string_view lower_name) {
  for (auto& [name, value] : response.headers) {
    if (LowerCase(name) == lower_name) return &value;
  }
  return nullptr;
}

void SetDefault(HttpResponse& response, std::string_view name, std::string_view value) {
  if (FindHeader(response, LowerCase(name)) == nullptr) response.headers.emplace_back(name, value);
}

// The tag of the plain form: without W/ and without the mark of the packed form.
std::string_view PlainTag(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  if (tag.starts_with('"')) tag.remove_prefix(1);
  if (tag.ends_with(kGzipTagEnd)) {
    tag.remove_suffix(kGzipTagEnd.size());
  } else if (tag.ends_with('"')) {
    tag.remove_suffix(1);
  }
  return tag;
}

bool AlreadyKnown(const HttpRequest& request, std::string_view tag) {
  const auto known = request.Header("if-none-match");
  if (!known) return false;
  return AnyListed(
      *known, [&](std::string_view one) { return one == "*" || PlainTag(one) == PlainTag(tag); });
}

struct Range {
  size_t begin = 0;
  size_t end = 0;  // behind the last byte; 0: cannot be satisfied
};

std::optional<size_t> Number(std::string_view text) {
  size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

// "bytes=3-9", "bytes=3-", "bytes=-5". nullopt: not a single range in bytes, which a server may
// ignore.
std::optional<Range> ParseRange(std::string_view text, size_t size) {
  constexpr std::string_view kUnit = "bytes=";
  if (!text.starts_with(kUnit)) return std::nullopt;
  text.remove_prefix(kUnit.size());
  const size_t dash = text.find('-');
  if (dash == std::string_view::npos || text.find(',') != std::string_view::npos) {
    return std::nullopt;
  }
  const std::string_view first_text = Trim(text.substr(0, dash));
  const std::string_view last_text = Trim(text.substr(dash + 1));
  const std::optional<size_t> first = Number(first_text);
  const std::optional<size_t> last = Number(last_text);
  if ((!first && !first_text.empty()) || (!last && !last_text.empty()) || (!first && !last)) {
    return std::nullopt;
  }
  if (!first) {
    if (*last == 0 || size == 0) return Range{};
    return Range{size - std::min(*last, size), size};
  }
  if (last && *last < *first) return std::nullopt;
  if (*first >= size) return Range{};
  return Range{*first, last ? std::min(*last, size - 1) + 1 : size};
}

std::shared_ptr<const std::string> Packed(const HttpResponse& response) {
  const auto pack = [&] { return std::make_shared<const std::string>(GzipFast(*response.body)); };
  if (response.packed == nullptr) return pack();
  std::call_once(response.packed->once, [&] { response.packed->bytes = pack(); });
  return response.packed->bytes;
}

void Unpack(HttpResponse& response) {
  std::optional<std::string> plain = Gunzip(*response.body, kLargestUnpackedBody);
  if (plain) {
    response.body = std::make_shared<const std::string>(std::move(*plain));
  } else {
    response = ErrorResponse(500, "damaged_asset", "a file inside the program is damaged");
  }
  response.gzipped = false;
}

std::string HttpDate() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  return fmt::format("{}, {:02} {} {} {:02}:{:02}:{:02} GMT", kDays[parts.tm_wday], parts.tm_mday,
                     kMonths[parts.tm_mon], parts.tm_year + 1900, parts.tm_hour, parts.tm_min,
                     parts.tm_sec);
}

void AddHeader(std::string& head, std::string_view name, std::string_view value) {
  head += name;
  head += ": ";
  // A value may hold what a file or a user said: it must not begin a line of its own.
  for (const char c : value) {
    head += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  head += "\r\n";
}

void AddCommonHeaders(std::string& head) {
  AddHeader(head, "Date", HttpDate());
  for (const auto& [name, value] : SecurityHeaders()) AddHeader(head, name, value);
}

}  // namespace

WireResponse MakeWireResponse(const HttpRequest& request, HttpResponse response, bool keep_alive) {
  const bool is_head = request.method == "HEAD";
  const bool is_read = is_head || request.method == "GET";
  const bool may_vary = response.gzipped || IsWorthPacking(response.content_type);
  const bool takes_gzip = TakesGzip(request);
  SetDefault(response, "Cache-Control", response.status == 200 ? "no-cache" : "no-store");
  std::optional<Range> range;

  if (is_read && response.status == 200) {
    if (FindHeader(response, "etag") == nullptr) {
      response.headers.emplace_back("ETag", EntityTag(*response.body));
    }
    const std::string tag = *FindHeader(response, "etag");
    const auto wanted = request.Header("range");
    const auto if_range = request.Header("if-range");
    const bool may_cut = !is_head && wanted && (!if_range || *if_range == tag);
    if (AlreadyKnown(request, tag)) {
      response.status = 304;
      response.body = std::make_shared<const std::string>();
      response.gzipped = false;
    } else if (may_cut) {
      // A part of the packed bytes would be of use to nobody.
      if (response.gzipped) Unpack(response);
      range = ParseRange(*wanted, response.body->size());
    }
  }

  const size_t plain_size = response.body->size();
  if (response.gzipped && !takes_gzip) Unpack(response);
  if (!response.gzipped && !range && takes_gzip && plain_size >= kSmallestPackedBody &&
      IsWorthPacking(response.content_type)) {
    std::shared_ptr<const std::string> packed = Packed(response);
    if (packed->size() < plain_size) {
      response.body = std::move(packed);
      response.gzipped = true;
    }
  }
  if (std::string* tag = FindHeader(response, "etag");
      tag != nullptr && response.gzipped && tag->ends_with('"')) {
    tag->pop_back();
    *tag += kGzipTagEnd;
  }

  WireResponse wire;
  wire.end = response.body->size();
  if (range && range->end == 0) {
    response.headers.emplace_back("Content-Range", fmt::format("bytes */{}", wire.end));
    response.status = 416;
    response.body = std::make_shared<const std::string>();
    wire.end = 0;
  } else if (range) {
    response.headers.emplace_back(
        "Content-Range",
        fmt::format("bytes {}-{}/{}", range->begin, range->end - 1, response.body->size()));
    response.status = 206;
    wire.begin = range->begin;
    wire.end = range->end;
  }

  wire.status = response.status;
  wire.head = fmt::format("HTTP/1.1 {} {}\r\n", response.status, Reason(response.status));
  AddCommonHeaders(wire.head);
  if (response.status != 304) {
    if (!response.content_type.empty()) {
      AddHeader(wire.head, "Content-Type", response.content_type);
    }
    AddHeader(wire.head, "Content-Length", fmt::format("{}", wire.end - wire.begin));
    if (response.gzipped) AddHeader(wire.head, "Content-Encoding", "gzip");
    if (is_read && response.status == 200) AddHeader(wire.head, "Accept-Ranges", "bytes");
  }
  if (may_vary) AddHeader(wire.head, "Vary", "Accept-Encoding");
  for (const auto& [name, value] : response.headers) AddHeader(wire.head, name, value);
  AddHeader(wire.head, "Connection", keep_alive ? "keep-alive" : "close");
  wire.head += "\r\n";
  if (is_head) wire.end = wire.begin;
  wire.body = std::move(response.body);
  return wire;
}

std::string StreamHead(std::string_view content_type) {
  std::string head = "HTTP/1.1 200 OK\r\n";
  AddCommonHeaders(head);
  AddHeader(head, "Content-Type", content_type);
  AddHeader(head, "Cache-Control", "no-store");
  // nginx would collect events until its buffer is full.
  AddHeader(head, "X-Accel-Buffering", "no");
  AddHeader(head, "Connection", "close");
  head += "\r\n";
  return head;
}

std::string EntityTag(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("\"{:016x}{:016x}\"", hash.high64, hash.low64);
}

bool TakesGzip(const HttpRequest& request) {
  const std::string accepted = LowerCase(request.Header("accept-encoding").value_or(""));
  std::optional<bool> gzip;
  std::optional<bool> any;
  AnyListed(accepted, [&](std::string_view coding) {
    const size_t semicolon = std::min(coding.find(';'), coding.size());
    const std::string_view name = Trim(coding.substr(0, semicolon));
    // q=0, q=0.0 …: refused.
    const size_t q = coding.find("q=", semicolon);
    const bool wanted = q == std::string_view::npos ||
                        coding.substr(q + 2).find_first_of("123456789") != std::string_view::npos;
    if (name == "gzip" || name == "x-gzip") gzip = wanted;
    if (name == "*") any = wanted;
    return false;
  });
  return gzip.value_or(any.value_or(false));
}

}  // namespace telltale
