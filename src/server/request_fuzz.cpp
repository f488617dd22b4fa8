// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: the first byte chooses method and policy, the line behind it is a request's
// target, each further one a header. For any of them: what is let through is free of what url.h
// promises to refuse, only our own names pass as the host, and the answer is a well-formed head
// with a part of the body.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "server/access.h"
#include "server/respond.h"
#include "server/url.h"

namespace {

void Check(bool good, const char* what) {
  if (good) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

std::string_view NextLine(std::string_view& rest) {
  const size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

void CheckPath(const telltale::Target& target) {
  const std::string_view path = target.path;
  Check(path.starts_with('/'), "a path does not begin with a slash");
  Check(path.find('\0') == path.npos && path.find('\\') == path.npos, "a character that is none");
  Check((std::string(path) + "/").find("/../") == std::string::npos, "a way out");
  Check(path.find("//") == path.npos, "an empty segment");
  const auto again = telltale::ParseTarget(telltale::PercentEncode(path));
  // Encoding makes it up to three times as long.
  Check(again ? again->path == path : path.size() * 3 > telltale::kLongestTarget,
        "encoded and decoded, a path is another one");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 1) return 0;
  const bool is_head = (data[0] & 1) != 0;
  const bool any_address = (data[0] & 2) != 0;
  std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto target = telltale::ParseTarget(NextLine(rest));
  telltale::HttpRequest request;
  request.method = is_head ? "HEAD" : "GET";
  while (!rest.empty()) {
    const std::string_view line = NextLine(rest);
    const size_t colon = std::min(line.find(':'), line.size());
    request.headers.emplace_back(line.substr(0, colon),
                                 line.substr(std::min(colon + 1, line.size())));
  }
  if (target) {
    CheckPath(*target);
    request.path = target->path;
    request.query = target->query;
    telltale::AccessPolicy policy;
    policy.token = "0123456789abcdef";
    policy.cookie_name = "c";
    policy.any_address = any_address;
    if (!telltale::CheckAccess(policy, request, *target)) {
      const auto host = telltale::ParseAuthority(
          target->authority.empty() ? request.Header("host").value_or("") : target->authority);
      Check(host && (telltale::IsLoopbackHost(host->host) ||
                     (any_address && telltale::IsAddress(host->host))),
            "a host that is not ours passed");
      bool has_token = target->raw_query.find('=') != std::string::npos;
      for (const auto& [name, value] : request.headers) {
        has_token |= value.find(policy.token) != std::string::npos;
      }
      Check(has_token, "a request without a token passed");
    }
  }
  telltale::HttpResponse response = telltale::JsonResponse(std::string(2000, 'x'));
  if (target) response.headers.emplace_back("X-Path", target->path);
  const telltale::WireResponse wire = telltale::MakeWireResponse(request, response, true);
  Check(wire.begin <= wire.end && wire.end <= wire.body->size(), "a part beyond the body");
  Check(wire.head.find("\r\n\r\n") == wire.head.size() - 4, "a head with two ends");
  return 0;
}
