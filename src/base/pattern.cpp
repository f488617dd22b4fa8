// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.h"

#include <algorithm>
#include <string>

namespace telltale {

namespace {

// Bounds on what a pattern may cost: repetitions are written out. The longest names of kernels fit.
constexpr size_t kLongestPattern = 10'000;
constexpr size_t kMostInstructions = 5000;
constexpr unsigned kMostRepetitions = 1000;
constexpr unsigned kDeepestNesting = 100;
// What the states take at most: some thousand of usual patterns. Beyond, they are forgotten and
// made anew.
constexpr size_t kMostStatesBytes = size_t{2} << 20;
// What a state costs beside its places, in work and in memory.
constexpr uint64_t kWorkOfState = 50;
constexpr size_t kBytesOfState = 700;
constexpr uint32_t kLastCodePoint = 0x10ffff;
// Bytes that are not UTF-8 are characters of their own, beyond Unicode.
constexpr uint32_t kInvalidByte = 0x110000;

// The code point at the front of the text, which is cut off.
uint32_t TakeCodePoint(std::string_view& text) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t first = byte(0);
  size_t length = 1;
  uint32_t value = first;
  if (first >= 0xc2 && first < 0xe0) {
    length = 2;
    value = first & 0x1fU;
  } else if (first >= 0xe0 && first < 0xf0) {
    length = 3;
    value = first & 0x0fU;
  } else if (first >= 0xf0 && first < 0xf5) {
    length = 4;
    value = first & 0x07U;
  } else if (first >= 0x80) {
    value = kInvalidByte + first;
  }
  if (length > 1) {
    bool valid = text.size() >= length;
    for (size_t i = 1; valid && i < length; ++i) {
      valid = (byte(i) & 0xc0U) == 0x80U;
      value = value << 6U | (byte(i) & 0x3fU);
    }
    if (!valid) {
      length = 1;
      value = kInvalidByte + first;
    }
  }
  text.remove_prefix(length);
  return value;
}

using Set = Pattern::Set;

Set Normalized(Set set) {
  std::sort(set.begin(), set.end());
  Set out;
  for (const auto& range : set) {
    if (!out.empty() && range.first <= out.back().second + 1) {
      out.back().second = std::max(out.back().second, range.second);
    } else {
      out.push_back(range);
    }
  }
  return out;
}

Set Negated(const Set& set) {
  Set out;
  uint32_t from = 0;
  for (const auto& [low, high] : Normalized(set)) {
    if (low > from) out.emplace_back(from, low - 1);
    from = high + 1;
  }
  out.emplace_back(from, kInvalidByte + 0xff);
  return out;
}

bool Contains(const Set& set, uint32_t code_point) {
  const auto after =
      std::upper_bound(set.begin(), set.end(), code_point,
                       [](uint32_t value, const std::pair<uint32_t, uint32_t>& range) {
                         return value < range.first;
                       });
  return after != set.begin() && code_point <= std::prev(after)->second;
}

// \d, \w, \s and their opposites; empty for any other letter.
Set ClassOf(char letter) {
  switch (letter) {
    case 'd':
      return {{'0', '9'}};
    case 'w':
      return {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
    case 's':
      return {{'\t', '\r'}, {' ', ' '}};
    case 'D':
    case 'W':
    case 'S':
      return Negated(ClassOf(static_cast<char>(letter + ('a' - 'A'))));
    default:
      return {};
  }
}

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

// Before the places of a new state are followed.
void Pattern::BeginPlaces() {
  seen_.resize(program_.size());
  if (++search_ != 0) return;
  std::fill(seen_.begin(), seen_.end(), 0);
  search_ = 1;
}

// Follows everything that consumes no character.
void Pattern::AddPlaces(uint32_t at, Next next, State& state) {
  open_.assign(1, at);
  while (!open_.empty()) {
    const uint32_t here = open_.back();
    open_.pop_back();
    if (seen_[here] == search_) continue;
    seen_[here] = search_;
    ++work_;
    const Instruction& instruction = program_[here];
    const auto go_on = [&](bool holds) {
      if (holds) open_.push_back(instruction.x);
    };
    // Where it is not known what comes next, the place is remembered.
    const auto go_on_if_next = [&](bool holds) {
      if (!next.known) {
        state.places.push_back(here);
        state.looks_ahead = true;
      }
      go_on(next.known && holds);
    };
    switch (instruction.op) {
      case Op::kSet:
        state.places.push_back(here);
        break;
      case Op::kSplit:
        open_.push_back(instruction.y);
        open_.push_back(instruction.x);
        break;
      case Op::kJump:
        go_on(true);
        break;
      case Op::kBegin:
        go_on(state.at_begin);
        break;
      case Op::kEnd:
        go_on_if_next(next.is_end);
        break;
      case Op::kBoundary:
        go_on_if_next(state.after_word != next.is_word);
        break;
      case Op::kNoBoundary:
        go_on_if_next(state.after_word == next.is_word);
        break;
      case Op::kMatch:
        state.matches = true;
        break;
    }
  }
}

// The state once it is known what comes next.
Pattern::State Pattern::Resolved(const State& state, Next next) {
  State out;
  out.at_begin = state.at_begin;
  out.after_word = state.after_word;
  out.matches = state.matches;
  BeginPlaces();
  for (const uint32_t place : state.places) AddPlaces(place, next, out);
  return out;
}

int32_t Pattern::StateOf(State state) {
  std::sort(state.places.begin(), state.places.end());
  const auto same = [&](const State& other) {
    return other.places == state.places && other.matches == state.matches &&
           other.after_word == state.after_word && other.at_begin == state.at_begin;
  };
  uint64_t hash =
      (state.matches ? 1U : 0U) | (state.after_word ? 2U : 0U) | (state.at_begin ? 4U : 0U);
  for (const uint32_t place : state.places) hash = (hash ^ place) * 0x9e3779b97f4a7c15U;
  hash ^= hash >> 32U;
  for (auto [at, end] = known_.equal_range(hash); at != end; ++at) {
    if (same(states_[static_cast<size_t>(at->second)])) return at->second;
  }

  state.matches_at_end =
      state.looks_ahead ? Resolved(state, {.known = true, .is_end = true}).matches : state.matches;
  state.next.fill(-1);
  work_ += kWorkOfState;
  states_bytes_ += kBytesOfState + state.places.size() * sizeof(uint32_t);
  const auto number = static_cast<int32_t>(states_.size());
  states_.push_back(std::move(state));
  known_.emplace(hash, number);
  return number;
}

int32_t Pattern::Start() {
  if (start_ < 0) {
    State state;
    state.at_begin = true;
    BeginPlaces();
    AddPlaces(0, {}, state);
    start_ = StateOf(std::move(state));
  }
  return start_;
}

int32_t Pattern::Step(int32_t from, uint32_t code_point) {
  const bool is_word = has_boundaries_ && Contains(ClassOf('w'), code_point);
  State resolved;
  const State* before = &states_[static_cast<size_t>(from)];
  if (before->looks_ahead) {
    resolved = Resolved(*before, {.known = true, .is_word = is_word});
    before = &resolved;
  }
  State state;
  state.after_word = is_word;
  state.matches = before->matches;
  BeginPlaces();
  work_ += before->places.size();
  for (const uint32_t place : before->places) {
    const Instruction& instruction = program_[place];
    if (Contains(sets_[instruction.set], code_point)) AddPlaces(instruction.x, {}, state);
  }
  AddPlaces(0, {}, state);  // a match may begin at any place
  return StateOf(std::move(state));
}

void Pattern::ForgetStates() {
  states_.clear();
  known_.clear();
  states_bytes_ = 0;
  start_ = -1;
}

bool Pattern::Matches(std::string_view text) {
  if (gave_up_) return false;
  if (states_bytes_ > kMostStatesBytes) ForgetStates();
  int32_t state = Start();
  while (true) {
    const State& now = states_[static_cast<size_t>(state)];
    if (now.matches) return true;
    if (text.empty()) return now.matches_at_end;
    const auto byte = static_cast<uint8_t>(text[0]);
    if (byte < 128 && now.next[byte] >= 0) {
      state = now.next[byte];
      text.remove_prefix(1);
      continue;
    }
    if (work_ >= most_work_) {
      gave_up_ = true;
      return false;
    }
    const uint32_t code_point = TakeCodePoint(text);
    // One text cannot grow the table beyond measure either.
    if (states_bytes_ > 2 * kMostStatesBytes) {
      State copy = now;
      ForgetStates();
      state = StateOf(std::move(copy));
    }
    const int32_t next = Step(state, code_point);
    if (code_point < 128) states_[static_cast<size_t>(state)].next[code_point] = next;
    state = next;
  }
}

}  // namespace telltale
