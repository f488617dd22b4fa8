// SPDX-License-Identifier: Apache-2.0
#include "server/url.h"

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace telltale {

namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool IsControl(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

bool IsUnreserved(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

// As sent: an encoded slash or backslash is neither of them for us.
bool HidesASeparator(std::string_view raw) {
  for (size_t i = 0; i + 2 < raw.size(); ++i) {
    if (raw[i] != '%') continue;
    const int byte = HexDigit(raw[i + 1]) * 16 + HexDigit(raw[i + 2]);
    if (byte == '/' || byte == '\\') return true;
  }
  return false;
}

// No segment is empty, "." or ".."; the last one may be empty.
bool SegmentsAreNames(std::string_view path) {
  if (!path.starts_with('/')) return false;
  size_t begin = 1;
  for (;;) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view segment = path.substr(begin, end - begin);
    if (segment == "." || segment == "..") return false;
    if (end == path.size()) return true;
    if (segment.empty()) return false;
    begin = end + 1;
  }
}

std::optional<std::string> DecodePath(std::string_view raw) {
  if (HidesASeparator(raw)) return std::nullopt;
  std::optional<std::string> path = PercentDecode(raw, false);
  if (!path || path->find('\\') != std::string::npos || !SegmentsAreNames(*path) ||
      std::any_of(path->begin(), path->end(), IsControl)) {
    return std::nullopt;
  }
  return path;
}

}  // namespace

tl::expected<Target, TargetProblem> ParseTarget(std::string_view target) {
  const auto wrong = [] { return tl::unexpected<TargetProblem>(TargetProblem::kWrong); };
  if (target.size() > kLongestTarget) return tl::unexpected<TargetProblem>(TargetProblem::kTooLong);
  // What a URL cannot hold unless it is escaped.
  for (const char c : target) {
    if (c == ' ' || c == '#' || IsControl(c) || static_cast<unsigned char>(c) >= 0x80) {
      return wrong();
    }
  }
  Target out;
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    target.remove_prefix(scheme.size());
    const size_t end = std::min(target.find_first_of("/?"), target.size());
    out.authority = target.substr(0, end);
    if (out.authority.empty()) return wrong();
    target.remove_prefix(end);
    break;
  }
  const size_t question = std::min(target.find('?'), target.size());
  out.raw_path = target.substr(0, question);
  if (out.raw_path.empty() && !out.authority.empty()) out.raw_path = "/";
  if (question < target.size()) out.raw_query = target.substr(question + 1);

  std::optional<std::string> path = DecodePath(out.raw_path);
  if (!path) return wrong();
  out.path = std::move(*path);

  for (std::string_view rest = out.raw_query; !rest.empty();) {
    const size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (pair.empty()) continue;
    const size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = PercentDecode(pair.substr(0, equals), true);
    std::optional<std::string> value =
        PercentDecode(equals < pair.size() ? pair.substr(equals + 1) : "", true);
    if (!name || !value || out.query.size() == kMostParameters) return wrong();
    out.query.emplace_back(std::move(*name), std::move(*value));
  }
  return out;
}

std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = HexDigit(text[i + 1]);
      const int low = HexDigit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    out += c;
  }
  if (!IsUtf8(out)) return std::nullopt;
  return out;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (IsUnreserved(c) || c == '/') {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += '%';
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
    }
  }
  return out;
}

std::optional<std::string> NormalizePrefix(std::string_view prefix) {
  while (prefix.ends_with('/')) prefix.remove_suffix(1);
  while (prefix.starts_with('/')) prefix.remove_prefix(1);
  if (prefix.empty()) return std::string();
  std::string out = "/" + std::string(prefix);
  // It stands in headers and in the page: only what needs no escape anywhere.
  for (const char c : out) {
    if (!IsUnreserved(c) && c != '/') return std::nullopt;
  }
  if (!SegmentsAreNames(out)) return std::nullopt;
  return out;
}

std::optional<std::string_view> BelowPrefix(std::string_view path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return std::nullopt;
  path.remove_prefix(prefix.size());
  if (!path.empty() && path.front() != '/') return std::nullopt;
  return path;
}

std::string WithoutParameter(std::string_view raw_query, std::string_view name) {
  std::string out;
  while (!raw_query.empty()) {
    const size_t end = std::min(raw_query.find('&'), raw_query.size());
    const std::string_view pair = raw_query.substr(0, end);
    raw_query.remove_prefix(std::min(end + 1, raw_query.size()));
    if (pair.empty() || PercentDecode(pair.substr(0, pair.find('=')), true) == name) continue;
    if (!out.empty()) out += '&';
    out += pair;
  }
  return out;
}

std::optional<Authority> ParseAuthority(std::string_view text) {
  Authority out;
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    out.is_v6 = true;
    out.host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
    if (!text.empty() && text.front() != ':') return std::nullopt;
    has_port = !text.empty();
    port = has_port ? text.substr(1) : text;
  } else {
    const size_t colon = text.find(':');
    out.host = text.substr(0, colon);
    has_port = colon != std::string_view::npos;
    if (has_port) port = text.substr(colon + 1);
    if (out.host.size() > 1 && out.host.ends_with('.')) out.host.pop_back();
  }
  for (char& c : out.host) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    const bool fits =
        out.is_v6 ? HexDigit(c) >= 0 || c == ':' || c == '.' : IsUnreserved(c) && c != '~';
    if (!fits) return std::nullopt;
  }
  if (out.host.empty() || out.host.size() > 255) return std::nullopt;
  // "host:" without a number is valid and means the default.
  if (has_port && !port.empty()) {
    uint16_t number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc() || end != port.data() + port.size()) return std::nullopt;
    out.port = number;
  }
  return out;
}

}  // namespace telltale
