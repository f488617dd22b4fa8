// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.h"

#include <algorithm>
#include <optional>
#include <string>

#include <re2/re2.h>

#include "base/utf8.h"

namespace telltale {

namespace {

// The longest names of kernels fit.
constexpr size_t kLongestPattern = 10'000;

// Some thousand states of usual patterns, and all those of a long name.
int64_t MemoryFor(std::string_view pattern) {
  return (int64_t{2} << 20) + 1024 * static_cast<int64_t>(pattern.size());
}

RE2::Options OptionsFor(std::string_view pattern) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(MemoryFor(pattern));
  return options;
}

const char* WhatIsWrong(RE2::ErrorCode code) {
  switch (code) {
    case RE2::ErrorBadEscape:
      return "this escape is not known";
    case RE2::ErrorTrailingBackslash:
      return "a pattern cannot end in a backslash";
    case RE2::ErrorBadCharClass:
      return "this set of characters is not known";
    case RE2::ErrorBadCharRange:
      return "a range goes from a smaller to a larger character";
    case RE2::ErrorMissingBracket:
      return "a ] is missing";
    case RE2::ErrorMissingParen:
      return "a ) is missing";
    case RE2::ErrorUnexpectedParen:
      return "this ) closes nothing";
    case RE2::ErrorRepeatArgument:
      return "there is nothing here to repeat";
    case RE2::ErrorRepeatSize:
      return "a repetition is from 0 to 1000, the smaller number first, and at most 1000 with "
             "those "
             "inside it";
    case RE2::ErrorRepeatOp:
      return "what is repeated needs parentheses to be repeated again";
    case RE2::ErrorBadPerlOp:
      return "a group with ? of this kind is not known";
    case RE2::ErrorBadNamedCapture:
      return "the name of this group is not valid";
    case RE2::ErrorBadUTF8:
      return "the pattern is not UTF-8";
    default:
      return "the pattern is too large when its repetitions are written out; shorten them";
  }
}

// RE2 says what is wrong, and with which words, but not where. It reads from left to right, so the
// shortest beginning of the pattern that is wrong in this way ends with those words.
size_t OffsetOfError(std::string_view pattern, const RE2& wrong) {
  const RE2::ErrorCode code = wrong.error_code();
  if (code == RE2::ErrorMissingParen || code == RE2::ErrorMissingBracket) return pattern.size();
  size_t fine = 0;
  size_t bad = pattern.size();
  while (bad - fine > 1) {
    const size_t middle = fine + (bad - fine) / 2;
    const RE2 beginning(pattern.substr(0, middle), OptionsFor(pattern));
    (beginning.error_code() == code ? bad : fine) = middle;
  }
  const std::string_view words = wrong.error_arg();
  // Of ), where the words are the whole pattern, and of what has none, it is the last character.
  if (words.empty() || code == RE2::ErrorUnexpectedParen) return bad - std::min<size_t>(bad, 1);
  // Words may be cut there, as (?= is behind its second character.
  const size_t begin =
      pattern.substr(0, bad).ends_with(words) ? bad - words.size() : pattern.rfind(words, bad - 1);
  if (begin == std::string_view::npos) return bad - 1;
  return code == RE2::ErrorBadEscape ? begin + 1 : begin;
}

// One text that is searched, for what RE2 calls when it leaves its automaton.
struct Search {
  uint64_t cost;
  uint64_t left;
  uint64_t work = 0;
};
thread_local Search* current_search = nullptr;

struct TooMuchWork {};

// RE2 holds no lock and no memory here.
void WithoutAutomaton(const re2::hooks::DFASearchFailure& /*failure*/) {
  if (current_search == nullptr) return;
  if (current_search->cost > current_search->left) throw TooMuchWork();
  current_search->work += current_search->cost;
}

}  // namespace

Result<Pattern> Pattern::Compile(std::string_view pattern) {
  if (pattern.size() > kLongestPattern) {
    return Fail(ErrorCode::kUsage, "the pattern is longer than 10,000 bytes", kLongestPattern);
  }
  static const bool hooked = (re2::hooks::SetDFASearchFailureHook(&WithoutAutomaton), true);
  static_cast<void>(hooked);
  auto automaton = std::make_shared<const RE2>(pattern, OptionsFor(pattern));
  if (!automaton->ok()) {
    return Fail(ErrorCode::kUsage, WhatIsWrong(automaton->error_code()),
                OffsetOfError(pattern, *automaton));
  }
  return Pattern(std::move(automaton));
}

int64_t Pattern::most_memory_bytes() const { return automaton_->options().max_mem(); }

bool Pattern::Matches(std::string_view text) {
  if (gave_up_) return false;
  // RE2 finds no character, not even any, in what is not UTF-8.
  const std::optional<std::string> repaired = ReplaceInvalidUtf8(text);
  if (repaired) text = *repaired;
  Search search{.cost = static_cast<uint64_t>(automaton_->ProgramSize()) * text.size(),
                .left = most_work_ - std::min(work_, most_work_)};
  bool matches = false;
  current_search = &search;
  try {
    matches = automaton_->Match(text, 0, text.size(), RE2::UNANCHORED, nullptr, 0);
  } catch (const TooMuchWork&) {
    gave_up_ = true;
  } catch (...) {
    current_search = nullptr;
    throw;
  }
  current_search = nullptr;
  work_ += search.work;
  return matches;
}

}  // namespace telltale
