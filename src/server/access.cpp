// SPDX-License-Identifier: Apache-2.0
#include "server/access.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "server/page.h"

namespace telltale {

namespace {

constexpr size_t kTokenBytes = 32;
constexpr size_t kShortestToken = 16;

constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kSecurityHeaders = {{
    {"Content-Security-Policy",
     "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
     "media-src 'self'; "
     "connect-src 'self'; font-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action "
     "'none'"},
    {"X-Content-Type-Options", "nosniff"},
    {"X-Frame-Options", "DENY"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
}};

bool IsTokenCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool MayBeCalled(const AccessPolicy& policy, const Authority& authority) {
  if (IsLoopbackHost(authority.host)) return true;
  if (policy.any_address && IsAddress(authority.host)) return true;
  return Contains(policy.bound_hosts, authority.host) ||
         Contains(policy.allowed_hosts, authority.host);
}

// The one Host of the request; an absolute target overrides it.
std::optional<Authority> HostOf(const HttpRequest& request, const Target& target) {
  const auto is_host = [](const auto& header) { return header.first == "host"; };
  if (std::count_if(request.headers.begin(), request.headers.end(), is_host) != 1) {
    return std::nullopt;
  }
  const std::optional<Authority> named = ParseAuthority(*request.Header("host"));
  return target.authority.empty() || !named ? named : ParseAuthority(target.authority);
}

// The page that asks was served by us: same name, same port, or through a proxy the user allowed.
bool OriginIsOurs(const AccessPolicy& policy, std::string_view origin, const Authority& host) {
  uint16_t default_port = 0;
  if (origin.starts_with("http://")) {
    default_port = 80;
    origin.remove_prefix(7);
  } else if (origin.starts_with("https://")) {
    default_port = 443;
    origin.remove_prefix(8);
  } else {
    return false;
  }
  const std::optional<Authority> parsed = ParseAuthority(origin);
  if (!parsed) return false;
  if (parsed->host == host.host &&
      parsed->port.value_or(default_port) == host.port.value_or(default_port)) {
    return true;
  }
  return Contains(policy.allowed_hosts, parsed->host);
}

// Any cookie of that name: another server of the same host may have set one as well, and comes
// first as it pleases.
bool HasCookie(const HttpRequest& request, std::string_view name, std::string_view wanted) {
  bool found = false;
  for (const auto& [key, value] : request.headers) {
    if (key != "cookie") continue;
    for (std::string_view rest = value; !rest.empty();) {
      const size_t end = std::min(rest.find(';'), rest.size());
      std::string_view pair = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      while (pair.starts_with(' ')) pair.remove_prefix(1);
      if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=') {
        found |= EqualInConstantTime(pair.substr(name.size() + 1), wanted);
      }
    }
  }
  return found;
}

std::optional<std::string_view> BearerToken(const HttpRequest& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view value = request.Header("authorization").value_or("");
  if (LowerCase(value.substr(0, kScheme.size())) != kScheme) return std::nullopt;
  return value.substr(kScheme.size());
}

// The same address without the token, which then stands in no history and no screenshot.
HttpResponse TradeForCookie(const AccessPolicy& policy, const Target& target) {
  const std::string query = WithoutParameter(target.raw_query, "token");
  HttpResponse response;
  response.status = 303;
  response.content_type = "text/plain; charset=utf-8";
  response.headers.emplace_back("Location", target.raw_path + (query.empty() ? "" : "?" + query));
  response.headers.emplace_back(
      "Set-Cookie", policy.cookie_name + "=" + policy.token + "; HttpOnly; SameSite=Strict; Path=" +
                        policy.path_prefix + "/" + (policy.tls ? "; Secure" : ""));
  response.headers.emplace_back("Cache-Control", "no-store");
  return response;
}

std::optional<HttpResponse> CheckToken(const AccessPolicy& policy, const HttpRequest& request,
                                       const Target& target) {
  if (policy.token.empty()) return std::nullopt;
  if (request.of_owner && !policy.owner_needs_token) return std::nullopt;
  if (HasCookie(request, policy.cookie_name, policy.token)) return std::nullopt;
  if (const auto given = BearerToken(request); given && EqualInConstantTime(*given, policy.token)) {
    return std::nullopt;
  }
  if (const auto given = request.Query(kTokenParameter);
      given && EqualInConstantTime(*given, policy.token)) {
    // A program asks for the answer, not for a cookie.
    if (request.path.starts_with("/api/")) return std::nullopt;
    return TradeForCookie(policy, target);
  }
  HttpResponse response = Refusal(
      request, 401, "no_token", "A token is needed",
      policy.owner_needs_token
          ? "This server answers only with its token: open the whole address that "
            "'telltale view' printed, the part behind ?token= included. Programs send it as "
            "'Authorization: Bearer TOKEN'."
          : "This server belongs to another user of this machine and answers you only with "
            "its token: open the whole address that it printed when you were refused, the "
            "part behind ?token= included. Programs send it as 'Authorization: Bearer "
            "TOKEN'. Its user can start it with --no-token.");
  response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

}  // namespace

std::optional<HttpResponse> CheckAccess(const AccessPolicy& policy, const HttpRequest& request,
                                        const Target& target) {
  const std::optional<Authority> host = HostOf(request, target);
  if (!host) {
    return Refusal(request, 400, "bad_host", "No host",
                   "The request must have one Host header: a name or an address, and a port.");
  }
  if (!MayBeCalled(policy, *host)) {
    return Refusal(request, 403, "wrong_host", "Not known by this name",
                   "This server does not answer to the name '" + host->host +
                       "': use the address that 'telltale view' printed, or start it with "
                       "--allow-host " +
                       host->host + ".");
  }
  if (const auto origin = request.Header("origin");
      origin && !OriginIsOurs(policy, *origin, *host)) {
    return Refusal(request, 403, "wrong_origin", "Not from here",
                   "A page from another address asked; only the page of this server may.");
  }
  // Not every browser sends it; those that do also send it where there is no Origin.
  const std::string site = LowerCase(request.Header("sec-fetch-site").value_or(""));
  if (request.path.starts_with("/api/") && (site == "cross-site" || site == "same-site")) {
    return Refusal(request, 403, "cross_site", "Not from here",
                   "A page from another address asked; only the page of this server may.");
  }
  return CheckToken(policy, request, target);
}

bool IsLoopbackHost(std::string_view host) {
  if (host == "localhost") return true;
  const std::string text(host);
  in_addr v4{};
  if (::inet_pton(AF_INET, text.c_str(), &v4) == 1) return (ntohl(v4.s_addr) >> 24) == 127;
  in6_addr v6{};
  return ::inet_pton(AF_INET6, text.c_str(), &v6) == 1 && IN6_IS_ADDR_LOOPBACK(&v6);
}

bool IsAddress(std::string_view host) {
  const std::string text(host);
  in6_addr either{};
  return ::inet_pton(AF_INET, text.c_str(), &either) == 1 ||
         ::inet_pton(AF_INET6, text.c_str(), &either) == 1;
}

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  // The length is no secret.
  if (a.size() != b.size()) return false;
  // volatile: no compiler may leave early.
  volatile unsigned char differences = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    differences = static_cast<unsigned char>(differences | static_cast<unsigned char>(a[i] ^ b[i]));
  }
  return differences == 0;
}

Result<std::string> MakeToken() {
  std::array<uint8_t, kTokenBytes> bytes{};
  size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t got = ::getrandom(bytes.data() + have, bytes.size() - have, 0);
    if (got > 0) {
      have += static_cast<size_t>(got);
    } else if (errno != EINTR) {
      return Fail(ErrorCode::kUnreadable, "the system gave no random numbers for a token: " +
                                              std::generic_category().message(errno));
    }
  }
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::string token;
  uint32_t bits = 0;
  int count = 0;
  for (const uint8_t byte : bytes) {
    bits = bits << 8 | byte;
    for (count += 8; count >= 6; count -= 6) token += kDigits[bits >> (count - 6) & 63];
  }
  token += kDigits[bits << (6 - count) & 63];
  return token;
}

bool IsUsableToken(std::string_view token) {
  return token.size() >= kShortestToken && token.size() <= 256 &&
         std::all_of(token.begin(), token.end(), IsTokenCharacter);
}

std::span<const std::pair<std::string_view, std::string_view>> SecurityHeaders() {
  return kSecurityHeaders;
}

}  // namespace telltale
