// SPDX-License-Identifier: Apache-2.0
// Regular expressions of RE2: an automaton, never backtracking, so that nobody waits for what a
// user or a request typed. They find whether a text contains a match, not where.
//
// Where the automaton's states do not fit into their memory, RE2 follows the whole pattern with
// every byte: linear still, but ten milliseconds a kilobyte for a pattern of a thousand parts. That
// work is bounded: a pattern that would do more is given up, and whoever asked must say so.
//
// Syntax: RE2's. The case of letters is ignored behind (?i), ^ and $ are the ends of the whole
// text,
// \b \d \w \s know ASCII, . is any character but a line's end. A byte that is not UTF-8 is a
// character of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace re2 {
class RE2;
}  // namespace re2

namespace telltale {

class Pattern {
 public:
  // In instructions of the pattern times bytes of text, where the automaton is of no use: about a
  // second. Ordinary patterns need none, whatever the texts.
  static constexpr uint64_t kMostWork = 100'000'000;

  // The error's offset is the byte of the pattern where it went wrong.
  [[nodiscard]] static Result<Pattern> Compile(std::string_view pattern);

  // Whether the text contains a match.
  [[nodiscard]] bool Matches(std::string_view text);
  // The work was more than allowed on the last text, or before: the answer is unknown.
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  // From now on. Without this it is kMostWork for all texts together.
  void AllowWork(uint64_t work) {
    most_work_ = work_ + work;
    gave_up_ = false;
  }
  [[nodiscard]] uint64_t work() const { return work_; }
  // What its program and states may take; beyond, states are forgotten and made anew.
  [[nodiscard]] int64_t most_memory_bytes() const;

 private:
  explicit Pattern(std::shared_ptr<const re2::RE2> automaton) : automaton_(std::move(automaton)) {}

  std::shared_ptr<const re2::RE2> automaton_;  // copies share what is learnt
  uint64_t work_ = 0;
  uint64_t most_work_ = kMostWork;
  bool gave_up_ = false;
};

}  // namespace telltale
