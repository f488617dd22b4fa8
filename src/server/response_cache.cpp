// SPDX-License-Identifier: Apache-2.0
#include "server/response_cache.h"

namespace telltale {

namespace {

size_t SizeOf(std::string_view key, const HttpResponse& response) {
  // 256: nodes and headers. Half of a body: what it takes packed, at most as a rule.
  const size_t packed = response.packed != nullptr ? response.body->size() / 2 : 0;
  return key.size() * 2 + response.body->size() + packed + 256;
}

}  // namespace

std::optional<HttpResponse> ResponseCache::Find(std::string_view key) {
  const std::lock_guard lock(mutex_);
  const auto at = by_key_.find(key);
  if (at == by_key_.end()) return std::nullopt;
  recent_.splice(recent_.begin(), recent_, at->second);
  return at->second->response;
}

void ResponseCache::Keep(std::string_view key, const HttpResponse& response) {
  const size_t size = SizeOf(key, response);
  if (size > most_bytes_ / 4) return;
  const std::lock_guard lock(mutex_);
  if (by_key_.find(key) != by_key_.end()) return;  // another thread was quicker
  recent_.push_front({std::string(key), response});
  try {
    by_key_.emplace(std::string(key), recent_.begin());
  } catch (...) {
    recent_.pop_front();
    throw;
  }
  bytes_ += size;
  while (bytes_ > most_bytes_) {
    const Kept& last = recent_.back();
    bytes_ -= SizeOf(last.key, last.response);
    by_key_.erase(last.key);
    recent_.pop_back();
  }
}

size_t ResponseCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

}  // namespace telltale
