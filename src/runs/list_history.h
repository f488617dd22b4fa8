// SPDX-License-Identifier: Apache-2.0
// How a list changed, so that who knows it as it was needs to be told no more than that: every
// change has a number, the newest is the list's revision. What is in the list carries the number of
// its last change; what left it is remembered here for a while.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace telltale {

// Its owner's lock guards it.
class ListHistory {
 public:
  // Revisions are above those of servers before this one: microseconds since 1970 are, as changes
  // come more slowly.
  ListHistory()
      : ListHistory(static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::microseconds>(
                                              std::chrono::system_clock::now().time_since_epoch())
                                              .count())) {}
  explicit ListHistory(uint64_t begin) : revision_(begin), complete_since_(begin) {}

  [[nodiscard]] uint64_t revision() const { return revision_; }
  // Something changed: its number.
  uint64_t Change() { return ++revision_; }
  void Left(std::string id) {
    left_.emplace_back(revision_ + 1, std::move(id));
    ++revision_;
    if (left_.size() <= kMostKept) return;
    complete_since_ = left_.front().first;
    left_.pop_front();
  }
  // What left the list after that revision; none: that is not known any more.
  [[nodiscard]] std::optional<std::vector<std::string>> LeftSince(uint64_t revision) const {
    if (revision < complete_since_ || revision > revision_) return std::nullopt;
    std::vector<std::string> ids;
    for (const auto& [at, id] : left_) {
      if (at > revision) ids.push_back(id);
    }
    return ids;
  }

 private:
  // Who has missed more reads the list again.
  static constexpr size_t kMostKept = 1000;

  uint64_t revision_;
  uint64_t complete_since_;  // the oldest revision since which all that left is known
  std::deque<std::pair<uint64_t, std::string>> left_;
};

}  // namespace telltale
