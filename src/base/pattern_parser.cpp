// SPDX-License-Identifier: Apache-2.0
// From the text of a pattern to its program.
#include <algorithm>
#include <string>
#include <utility>

#include "base/pattern.h"
#include "base/pattern_characters.h"

namespace telltale {

namespace {

using Set = Pattern::Set;

// Bounds on what a pattern may cost: repetitions are written out. The longest names of kernels fit.
constexpr size_t kLongestPattern = 10'000;
constexpr size_t kMostInstructions = 5000;
constexpr unsigned kMostRepetitions = 1000;
constexpr unsigned kDeepestNesting = 100;

}  // namespace

// Recursive descent into a program; a fragment is a stretch of it that ends by falling out of its
// last instruction.
class PatternParser {
 public:
  explicit PatternParser(std::string_view text) : text_(text) {}

  Result<Pattern> Parse() {
    if (text_.size() > kLongestPattern) {
      return Fail(ErrorCode::kUsage, "the pattern is longer than 10,000 bytes", kLongestPattern);
    }
    if (text_.starts_with("(?i)")) {
      ignore_case_ = true;
      at_ = 4;
    }
    ParseAlternatives(0);
    if (problem_.empty() && at_ < text_.size()) Problem("this ) closes nothing");
    if (!problem_.empty()) return Fail(ErrorCode::kUsage, problem_, problem_at_);
    Emit({.op = Pattern::Op::kMatch});
    return std::move(out_);
  }

 private:
  using Op = Pattern::Op;
  using Instruction = Pattern::Instruction;

  void Problem(std::string message) {
    if (problem_.empty()) {
      problem_ = std::move(message);
      problem_at_ = at_;
    }
    at_ = text_.size();
  }
  [[nodiscard]] bool More() const { return problem_.empty() && at_ < text_.size(); }
  [[nodiscard]] char Peek() const { return text_[at_]; }
  bool Take(char c) {
    if (!More() || Peek() != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] uint32_t Here() const { return static_cast<uint32_t>(out_.program_.size()); }

  uint32_t Emit(Instruction instruction) {
    if (out_.program_.size() >= kMostInstructions) {
      Problem(kTooLarge);
    } else {
      out_.program_.push_back(instruction);
    }
    return Here() - 1;
  }
  void EmitSet(Set set) {
    if (ignore_case_) {
      for (const auto& [low, high] : Set(set)) {
        for (uint32_t c = std::max<uint32_t>(low, 'A'); c <= std::min<uint32_t>(high, 'z'); ++c) {
          if ((c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z')) set.emplace_back(c ^ 32U, c ^ 32U);
        }
      }
    }
    out_.sets_.push_back(Normalized(std::move(set)));
    const uint32_t next = Here() + 1;
    Emit({.op = Op::kSet, .set = static_cast<uint32_t>(out_.sets_.size() - 1), .x = next});
  }

  // Makes room for one instruction in front of a fragment.
  void InsertBefore(uint32_t first) {
    if (Here() >= kMostInstructions) return Problem(kTooLarge);
    out_.program_.insert(out_.program_.begin() + first, Instruction{});
    for (uint32_t i = first + 1; i < Here(); ++i) {
      Instruction& moved = out_.program_[i];
      if (moved.x >= first) ++moved.x;
      if (moved.y >= first) ++moved.y;
    }
  }

  void ParseAlternatives(unsigned depth) {
    const uint32_t first = Here();
    ParseSequence(depth);
    while (Take('|')) {
      InsertBefore(first);
      const uint32_t jump = Emit({.op = Op::kJump});
      if (!problem_.empty()) return;
      const uint32_t second = Here();
      ParseSequence(depth);
      if (!problem_.empty()) return;
      out_.program_[first] = {.op = Op::kSplit, .x = first + 1, .y = second};
      out_.program_[jump].x = Here();
    }
  }

  void ParseSequence(unsigned depth) {
    while (More() && Peek() != '|' && Peek() != ')') ParseRepeated(depth);
  }

  void ParseRepeated(unsigned depth) {
    const uint32_t first = Here();
    const size_t from = at_;
    ParseAtom(depth);
    while (More()) {
      unsigned least = 0;
      unsigned most = kUnlimited;
      if (Take('+')) {
        least = 1;
      } else if (Take('?')) {
        most = 1;
      } else if (!Take('*') && !(Peek() == '{' && ParseBounds(least, most))) {
        break;
      }
      Take('?');
      Repeat(first, least, most);
    }
    if (at_ == from) Problem("a character or a group is missing here");
  }

  // {m}, {m,} or {m,n}; anything else is a literal brace.
  bool ParseBounds(unsigned& least, unsigned& most) {
    size_t at = at_ + 1;
    const auto number = [&](unsigned& value) {
      const size_t from = at;
      value = 0;
      while (at < text_.size() && text_[at] >= '0' && text_[at] <= '9' && value <= kMostRepetitions)
        value = value * 10 + static_cast<unsigned>(text_[at++] - '0');
      return at > from;
    };
    if (!number(least)) return false;
    most = least;
    if (at < text_.size() && text_[at] == ',') {
      ++at;
      if (!number(most)) most = kUnlimited;
    }
    if (at >= text_.size() || text_[at] != '}') return false;
    if (least > kMostRepetitions ||
        (most != kUnlimited && (most > kMostRepetitions || most < least))) {
      Problem("a repetition is from 0 to 1000, the smaller number first");
      return true;
    }
    at_ = at + 1;
    return true;
  }

  // Writes the fragment [first, end) out as often as asked.
  void Repeat(uint32_t first, unsigned least, unsigned most) {
    if (!problem_.empty()) return;
    const std::vector<Instruction> once(out_.program_.begin() + first, out_.program_.end());
    out_.program_.resize(first);
    const auto copy = [&] {
      const uint32_t shift = Here() - first;
      for (Instruction instruction : once) {
        instruction.x += shift;
        instruction.y += shift;
        Emit(instruction);
      }
    };
    for (unsigned i = 0; i < least && problem_.empty(); ++i) copy();
    if (most == kUnlimited) {
      const uint32_t split = Emit({.op = Op::kSplit});
      copy();
      Emit({.op = Op::kJump, .x = split});
      if (problem_.empty()) {
        out_.program_[split].x = split + 1;
        out_.program_[split].y = Here();
      }
      return;
    }
    std::vector<uint32_t> splits;
    for (unsigned i = least; i < most && problem_.empty(); ++i) {
      splits.push_back(Emit({.op = Op::kSplit}));
      copy();
    }
    if (!problem_.empty()) return;
    for (const uint32_t split : splits) {
      out_.program_[split].x = split + 1;
      out_.program_[split].y = Here();
    }
  }

  void ParseAtom(unsigned depth) {
    if (!More()) return;
    const char c = Peek();
    switch (c) {
      case '(':
        if (depth >= kDeepestNesting) return Problem("the groups nest too deeply");
        ++at_;
        if (text_.substr(at_).starts_with("?:")) at_ += 2;
        if (More() && Peek() == '?') return Problem("of the groups with ? only (?: ) is known");
        ParseAlternatives(depth + 1);
        if (problem_.empty() && !Take(')')) Problem("a ) is missing");
        return;
      case '[':
        return ParseSet();
      case '.':
        ++at_;
        return EmitSet({{0, '\n' - 1}, {'\n' + 1, kInvalidByte + 0xff}});
      case '^':
        ++at_;
        Emit({.op = Op::kBegin, .x = Here() + 1});
        return;
      case '$':
        ++at_;
        Emit({.op = Op::kEnd, .x = Here() + 1});
        return;
      case '*':
      case '+':
      case '?':
        return Problem("there is nothing here to repeat");
      case '\\':
        if (const std::string_view rest = text_.substr(at_);
            rest.starts_with("\\b") || rest.starts_with("\\B")) {
          at_ += 2;
          out_.has_boundaries_ = true;
          Emit({.op = rest[1] == 'b' ? Op::kBoundary : Op::kNoBoundary, .x = Here() + 1});
          return;
        }
        return EmitSet(ParseEscape());
      default: {
        std::string_view rest = text_.substr(at_);
        const uint32_t code_point = TakeCodePoint(rest);
        at_ = text_.size() - rest.size();
        return EmitSet({{code_point, code_point}});
      }
    }
  }

  Set ParseEscape() {
    ++at_;
    if (!More()) {
      Problem("a pattern cannot end in a backslash");
      return {};
    }
    const char c = text_[at_++];
    if (Set set = ClassOf(c); !set.empty()) return set;
    uint32_t literal = static_cast<uint8_t>(c);
    if (c == 'n') literal = '\n';
    if (c == 't') literal = '\t';
    if (c == 'r') literal = '\r';
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if ((letter && literal == static_cast<uint8_t>(c)) || literal >= 0x80) {
      --at_;
      Problem("this escape is not known");
    }
    return {{literal, literal}};
  }

  void ParseSet() {
    ++at_;
    const bool negated = Take('^');
    Set set;
    bool closed = false;
    for (bool first = true; More(); first = false) {
      if (Peek() == ']' && !first) {
        ++at_;
        closed = true;
        break;
      }
      Set low = ParseSetItem();
      const bool single = low.size() == 1 && low[0].first == low[0].second;
      if (single && at_ + 1 < text_.size() && Peek() == '-' && text_[at_ + 1] != ']') {
        ++at_;
        const Set high = ParseSetItem();
        if (high.size() != 1 || high[0].first != high[0].second || high[0].first < low[0].first)
          return Problem("a range goes from a smaller to a larger character");
        low[0].second = high[0].first;
      }
      set.insert(set.end(), low.begin(), low.end());
    }
    if (!problem_.empty()) return;
    if (!closed) return Problem("a ] is missing");
    EmitSet(negated ? Negated(set) : std::move(set));
  }

  Set ParseSetItem() {
    if (Peek() == '\\') return ParseEscape();
    std::string_view rest = text_.substr(at_);
    const uint32_t code_point = TakeCodePoint(rest);
    at_ = text_.size() - rest.size();
    return {{code_point, code_point}};
  }

  static constexpr unsigned kUnlimited = UINT32_MAX;
  static constexpr const char* kTooLarge =
      "the pattern has more than 5000 parts when its repetitions are written out; shorten them";
  std::string_view text_;
  size_t at_ = 0;
  bool ignore_case_ = false;
  std::string problem_;
  size_t problem_at_ = 0;
  Pattern out_;
};

Result<Pattern> Pattern::Compile(std::string_view pattern) {
  return PatternParser(pattern).Parse();
}

}  // namespace telltale
