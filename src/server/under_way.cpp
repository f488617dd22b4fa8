// SPDX-License-Identifier: Apache-2.0
#include "server/under_way.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <optional>
#include <utility>
#include <vector>

#include "base/cancel.h"

namespace telltale {

namespace {

// How often a client that waits is looked after.
constexpr std::chrono::milliseconds kLook{50};

bool HasLeft(const UnderWay::Abandoned& client) { return client != nullptr && *client; }

}  // namespace

class UnderWay::Work : public CancelToken {
 public:
  void Add(const Abandoned& client) {
    const std::lock_guard lock(mutex_);
    clients_.push_back(client);
  }
  [[nodiscard]] bool canceled() const override {
    const std::lock_guard lock(mutex_);
    return std::ranges::all_of(clients_, HasLeft);
  }
  [[nodiscard]] size_t clients() const {
    const std::lock_guard lock(mutex_);
    return clients_.size();
  }
  void End(std::optional<HttpResponse> response, std::exception_ptr problem) {
    const std::lock_guard lock(mutex_);
    response_ = std::move(response);
    problem_ = std::move(problem);
    ended_ = true;
    changed_.notify_all();
  }
  // Nullopt: it was given up before this client came, and has to be begun again.
  [[nodiscard]] std::optional<HttpResponse> Wait(const Abandoned& client) {
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kLook, [this] { return ended_; })) {
      if (HasLeft(client)) throw Canceled();
    }
    if (response_) return response_;
    try {
      std::rethrow_exception(problem_);
    } catch (const Canceled&) {
      if (HasLeft(client)) throw;
      return std::nullopt;
    }
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Abandoned> clients_;
  bool ended_ = false;
  std::optional<HttpResponse> response_;
  std::exception_ptr problem_;
};

HttpResponse UnderWay::Join(std::string_view key, const Abandoned& abandoned,
                            const std::function<HttpResponse()>& make) {
  while (true) {
    std::shared_ptr<Work> work;
    bool mine = false;
    {
      const std::lock_guard lock(mutex_);
      if (const auto at = works_.find(key); at != works_.end()) {
        work = at->second;
      } else {
        work = std::make_shared<Work>();
        mine = true;
      }
      work->Add(abandoned);
      if (mine) works_.emplace(std::string(key), work);
    }
    if (mine) return Make(key, work, make);
    if (std::optional<HttpResponse> response = work->Wait(abandoned)) return std::move(*response);
  }
}

HttpResponse UnderWay::Make(std::string_view key, const std::shared_ptr<Work>& work,
                            const std::function<HttpResponse()>& make) {
  std::optional<HttpResponse> response;
  std::exception_ptr problem;
  try {
    const CancelScope scope(work.get());
    response = make();
  } catch (...) {
    problem = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    works_.erase(works_.find(key));
  }
  try {
    work->End(response, problem);
  } catch (...) {  // no memory for the others' copy
    work->End(std::nullopt, std::current_exception());
  }
  if (problem != nullptr) std::rethrow_exception(problem);
  return std::move(*response);
}

size_t UnderWay::Waiting(std::string_view key) const {
  const std::lock_guard lock(mutex_);
  const auto at = works_.find(key);
  return at == works_.end() ? 0 : at->second->clients();
}

}  // namespace telltale
