// SPDX-License-Identifier: Apache-2.0
// Regular expressions whose cost is linear in the text, whatever the pattern: an automaton, never
// backtracking, so that nobody waits for what a user or a request typed. It finds whether a text
// contains a match, not where. Our own because std::regex backtracks and recurses once per
// character.
//
// States of the automaton are made when first met and kept, so that most characters cost one look
// into a table. A pattern with many repetitions over a text that suits it meets a new state with
// every character, each as costly as the pattern is long. That work is bounded: a pattern that has
// done more is given up, and whoever asked must say so.
//
// Syntax: literals, . [a-z] [^a-z] \d \w \s \D \W \S, ^ and $ (whole text), \b \B, ( ) (?: ), |,
// * + ? {m} {m,} {m,n}; a trailing ? (lazy) is accepted and changes nothing; (?i) in front ignores
// the case of ASCII letters; \ makes any punctuation a literal, \n \t \r as usual.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/result.h"

namespace telltale {

class Pattern {
 public:
  // In instructions of the pattern followed to make states: about a second. Ordinary patterns need
  // a few thousand, whatever the texts.
  static constexpr uint64_t kMostWork = 100'000'000;

  // The error's offset is the byte of the pattern where it went wrong.
  [[nodiscard]] static Result<Pattern> Compile(std::string_view pattern);

  // Whether the text contains a match. Keeps what it learns about the automaton for the next text.
  [[nodiscard]] bool Matches(std::string_view text);
  // The work was more than allowed before the last text's end, or before: the answer is unknown.
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  // From now on. Without this it is kMostWork for all texts together.
  void AllowWork(uint64_t work) {
    most_work_ = work_ + work;
    gave_up_ = false;
  }
  [[nodiscard]] uint64_t work() const { return work_; }
  // Of the states that are kept.
  [[nodiscard]] size_t memory_bytes() const { return states_bytes_; }

  // How the pattern is represented: a program for a machine that is in many places at once.
  enum class Op : uint8_t { kSet, kSplit, kJump, kBegin, kEnd, kBoundary, kNoBoundary, kMatch };
  struct Instruction {
    Op op = Op::kMatch;
    uint32_t set = 0;  // kSet: index into sets
    uint32_t x = 0;    // where to go on; kSplit: also to y
    uint32_t y = 0;
  };
  // Code points as sorted ranges, both ends included.
  using Set = std::vector<std::pair<uint32_t, uint32_t>>;

 private:
  friend class PatternParser;
  Pattern() = default;

  // A set of places in the program, as one state of a deterministic automaton; made when first met.
  struct State {
    // kSet instructions, and those that depend on what comes next: kEnd, kBoundary, kNoBoundary;
    // sorted.
    std::vector<uint32_t> places;
    bool looks_ahead = false;       // some place depends on what comes next
    bool at_begin = false;          // of the text
    bool after_word = false;        // the character before is one of a word
    bool matches = false;           // a match is complete
    bool matches_at_end = false;    // it would be at the end of the text
    std::array<int32_t, 128> next;  // by ASCII character; -1: not known yet
  };

  // What is known about the character that follows a place.
  struct Next {
    bool known = false;
    bool is_end = false;
    bool is_word = false;
  };

  void BeginPlaces();
  void AddPlaces(uint32_t at, Next next, State& state);
  [[nodiscard]] State Resolved(const State& state, Next next);
  int32_t StateOf(State state);
  int32_t Step(int32_t state, uint32_t code_point);
  int32_t Start();
  void ForgetStates();

  std::vector<Instruction> program_;
  std::vector<Set> sets_;
  bool has_boundaries_ = false;  // some instruction asks for them
  std::vector<State> states_;
  std::unordered_multimap<uint64_t, int32_t> known_;  // states by a hash of what they are
  size_t states_bytes_ = 0;
  int32_t start_ = -1;
  uint64_t work_ = 0;
  uint64_t most_work_ = kMostWork;
  bool gave_up_ = false;
  // While places are followed: where it has been, marked by the number of the search.
  std::vector<uint32_t> seen_;
  uint32_t search_ = 0;
  std::vector<uint32_t> open_;
};

}  // namespace telltale
