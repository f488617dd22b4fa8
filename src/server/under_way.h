// SPDX-License-Identifier: Apache-2.0
// Answers that are being made: who asks for one of them meanwhile waits for it instead of making it
// again, and when everybody who asked has left the work ends. Any number of threads.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "server/http.h"

namespace telltale {

class UnderWay {
 public:
  // Becomes true when this client has left. Null: that is not known.
  using Abandoned = std::shared_ptr<const std::atomic<bool>>;

  // What `make` returns or throws, whoever of those with the same key calls it. Throws Canceled if
  // the client has left.
  [[nodiscard]] HttpResponse Join(std::string_view key, const Abandoned& abandoned,
                                  const std::function<HttpResponse()>& make);
  // How many wait for the answer of that key, with the one who makes it.
  [[nodiscard]] size_t Waiting(std::string_view key) const;

 private:
  class Work;
  // Makes it, and tells the others.
  [[nodiscard]] HttpResponse Make(std::string_view key, const std::shared_ptr<Work>& work,
                                  const std::function<HttpResponse()>& make);

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Work>, std::less<>> works_;
};

}  // namespace telltale
