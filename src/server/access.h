// SPDX-License-Identifier: Apache-2.0
// Who may ask. A page from elsewhere that is open in the same browser must not reach the server:
// its name for us is not ours (Host, against DNS rebinding) or its origin is another one (Origin,
// Sec-Fetch-Site). Beyond loopback, and for other users of this machine, a token is needed on top:
// in the address on first use, as a cookie from then on, or as `Authorization: Bearer`. Pure
// functions of policy and request.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "server/http.h"
#include "server/url.h"

namespace telltale {

// The parameter that carries the token, on every path.
constexpr std::string_view kTokenParameter = "token";

struct AccessPolicy {
  // Names by which the server may be called besides those of the loopback, in lower case: what it
  // is bound to, and what the user allowed. A proxy may keep the Origin and change the Host, so
  // that a name of the second kind is also a valid origin.
  std::vector<std::string> bound_hosts;
  std::vector<std::string> allowed_hosts;
  // Bound beyond loopback: any address may be named as well. A page that has been rebound to us
  // goes by a name, never by an address.
  bool any_address = false;
  std::string token;  // empty: none is needed
  // Whoever runs the server needs no token on this machine: the token is for its other users.
  bool owner_needs_token = true;
  std::string cookie_name;  // a browser does not tell ports apart: has the port in it
  std::string path_prefix;  // normalised
  bool tls = false;
};

// nullopt: go on. Else the answer: a refusal, or the redirect that trades a token for a cookie.
// `request.path` is below the prefix; `request.of_owner` says whose the connection is.
[[nodiscard]] std::optional<HttpResponse> CheckAccess(const AccessPolicy& policy,
                                                      const HttpRequest& request,
                                                      const Target& target);

[[nodiscard]] bool IsLoopbackHost(std::string_view host);
// An IPv4 or IPv6 address in digits.
[[nodiscard]] bool IsAddress(std::string_view host);
// Takes the same time wherever they differ.
[[nodiscard]] bool EqualInConstantTime(std::string_view a, std::string_view b);

// 32 random bytes from the system as text that needs no escape in a URL or a cookie.
[[nodiscard]] Result<std::string> MakeToken();
// A token a user chose: long enough not to be guessed, and of those same characters.
[[nodiscard]] bool IsUsableToken(std::string_view token);

// Sent with every answer.
[[nodiscard]] std::span<const std::pair<std::string_view, std::string_view>> SecurityHeaders();

}  // namespace telltale
