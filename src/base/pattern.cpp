// SPDX-License-Identifier: Apache-2.0
#include "base/pattern.h"

#include <algorithm>
#include <utility>

#include "base/pattern_characters.h"

namespace telltale {

namespace {

// What the states take at most: some thousand of usual patterns. Beyond, they are forgotten and
// made anew.
constexpr size_t kMostStatesBytes = size_t{2} << 20;
// What a state costs beside its places, in work and in memory.
constexpr uint64_t kWorkOfState = 50;
constexpr size_t kBytesOfState = 700;

}  // namespace

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
