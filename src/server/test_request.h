// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "server/http.h"

namespace telltale {

// "path?a=b&c=d", nothing encoded.
inline HttpRequest RequestFor(std::string_view target, std::string method = "GET",
                              std::string body = {}) {
  HttpRequest request;
  request.method = std::move(method);
  request.body = std::move(body);
  const size_t mark = std::min(target.find('?'), target.size());
  request.path = "/api/v1" + std::string(target.substr(0, mark));
  std::istringstream query{std::string(target.substr(std::min(mark + 1, target.size())))};
  for (std::string pair; std::getline(query, pair, '&');) {
    const size_t equals = std::min(pair.find('='), pair.size());
    request.query.emplace_back(pair.substr(0, equals),
                               pair.substr(std::min(equals + 1, pair.size())));
  }
  return request;
}

}  // namespace telltale
