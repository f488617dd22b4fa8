// SPDX-License-Identifier: Apache-2.0
// Answers that were computed once and are asked for again: the least recently used go first. Any
// number of threads.
#pragma once

#include <cstddef>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "server/http.h"

namespace telltale {

class ResponseCache {
 public:
  explicit ResponseCache(size_t most_bytes = size_t{64} << 20) : most_bytes_(most_bytes) {}

  [[nodiscard]] std::optional<HttpResponse> Find(std::string_view key);
  // An answer larger than a quarter of the cache is not kept.
  void Keep(std::string_view key, const HttpResponse& response);
  [[nodiscard]] size_t bytes() const;

 private:
  struct Kept {
    std::string key;
    HttpResponse response;
  };
  mutable std::mutex mutex_;
  size_t most_bytes_;
  size_t bytes_ = 0;
  std::list<Kept> recent_;  // most recently used first
  std::map<std::string, std::list<Kept>::iterator, std::less<>> by_key_;
};

}  // namespace telltale
