// SPDX-License-Identifier: Apache-2.0
// Server-sent events, from those who publish to those who send. The last value of each
// event is kept: a new client gets them all, and one that reads too slowly skips what came in
// between instead of holding memory. So an event tells a state, or says on what it builds. Knows no
// socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace telltale {

// Any thread.
class EventStream {
 public:
  using Message = std::shared_ptr<const std::string>;  // framed, ready to be sent

  // Lines in `data` are kept; `event` is a word.
  void Publish(std::string_view event, std::string_view data);

  struct Batch {
    std::vector<Message> messages;
    uint64_t next = 0;  // the cursor behind them
  };
  // What a client at `cursor` has not seen: all of it if it is not far behind, else (and for 0, a
  // new client) the last value of each event, the oldest first.
  [[nodiscard]] Batch Since(uint64_t cursor) const;

  // Called after each Publish, on its thread. One listener at a time: the server. Empty: none.
  // Returns when no call of the former listener runs any more.
  void Listen(std::function<void()> listener);

 private:
  // Behind by more than this is far: a browser that sleeps, not one that is busy.
  static constexpr size_t kMostKept = 256;
  static constexpr size_t kMostKeptBytes = size_t{4} << 20;

  struct Value {
    uint64_t number = 0;
    Message message;
  };

  mutable std::mutex mutex_;
  uint64_t next_ = 1;           // number of the message to come
  std::deque<Message> recent_;  // the last ones: numbers next_ - size … next_ - 1
  size_t recent_bytes_ = 0;
  std::map<std::string, Value, std::less<>> last_;
  std::mutex listener_mutex_;
  std::function<void()> listener_;
};

}  // namespace telltale
