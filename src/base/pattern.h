// SPDX-License-Identifier: Apache-2.0
// Regular expressions whose cost is linear in the text, whatever the pattern: an automaton, never
// backtracking, so that nobody waits for what a user or a request typed. It finds whether a text
// contains a match, not where. Our own because std::regex backtracks and recurses once per
// character.
//
// Syntax: literals, . [a-z] [^a-z] \d \w \s \D \W \S, ^ and $ (whole text), \b \B, ( ) (?: ), |,
// * + ? {m} {m,} {m,n}; a trailing ? (lazy) is accepted and changes nothing; (?i) in front ignores
// the case of ASCII letters; \ makes any punctuation a literal, \n \t \r as usual.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace telltale {

class Pattern {
 public:
  // The error's offset is the byte of the pattern where it went wrong.
  [[nodiscard]] static Result<Pattern> Compile(std::string_view pattern);

  // Whether the text contains a match. Keeps what it learns about the automaton for the next text.
  [[nodiscard]] bool Matches(std::string_view text);

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

  void AddPlaces(uint32_t at, Next next, std::vector<uint8_t>& seen, State& state) const;
  [[nodiscard]] State Resolved(const State& state, Next next) const;
  int32_t StateOf(State state);
  int32_t Step(int32_t state, uint32_t code_point);
  int32_t Start();

  std::vector<Instruction> program_;
  std::vector<Set> sets_;
  bool has_boundaries_ = false;  // some instruction asks for them
  std::vector<State> states_;
  std::map<std::vector<uint32_t>, int32_t> known_;
  int32_t start_ = -1;
};

}  // namespace telltale
