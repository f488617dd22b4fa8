// SPDX-License-Identifier: Apache-2.0
#include "sample/python_stacks.h"

namespace telltale {

namespace {

constexpr size_t kMostInterpreters = 16;
// From 3.12 on frames of these owners and above are the interpreter's own, between functions.
constexpr uint8_t kOwnedByInterpreter = 3;
// From 3.14 on a reference's lowest bits say what kind of one it is; objects lie at multiples of 8.
constexpr uint64_t kReferenceMask = ~uint64_t{7};
// glibc's struct pthread, x86-64: the thread's number. Who uses it looks whether there is such a
// thread.
constexpr uint64_t kThreadNumberInPthread = 720;

}  // namespace

PythonStackReader::PythonStackReader(MemoryReader& memory, const PythonLayout& layout,
                                     uint64_t runtime)
    : pages_(memory), layout_(layout), runtime_(runtime) {}

StackReading PythonStackReader::Read(std::vector<PythonStack>& stacks, size_t& count) {
  count = 0;
  pages_.Renew();
  uint64_t interpreter = 0;
  if (!pages_.Get(runtime_ + layout_.interpreters, interpreter) || interpreter == 0) {
    return StackReading::kUnreadable;
  }
  holder_ = 0;
  frames_left_ = kMostFramesInAll;
  if (layout_.holder != kNoOffset && !pages_.Get(runtime_ + layout_.holder, holder_)) {
    return StackReading::kUnreadable;
  }
  bool whole = true;
  for (size_t i = 0; i < kMostInterpreters && interpreter != 0; ++i) {
    whole = ReadInterpreter(interpreter, stacks, count) && whole;
    if (!pages_.Get(interpreter + layout_.next_interpreter, interpreter)) {
      return StackReading::kTorn;
    }
  }
  return whole ? StackReading::kWhole : StackReading::kTorn;
}

uint64_t PythonStackReader::HolderOf(uint64_t interpreter) {
  if (layout_.gil == kNoOffset) return holder_;
  uint64_t gil = 0;
  int locked = 0;
  uint64_t holder = 0;
  // Not there before the first thread begins.
  if (!pages_.Get(interpreter + layout_.gil, gil) || gil == 0 ||
      !pages_.Get(gil + layout_.gil_locked, locked) || locked != 1 ||
      !pages_.Get(gil + layout_.gil_holder, holder)) {
    return 0;
  }
  return holder;
}

bool PythonStackReader::ReadInterpreter(uint64_t interpreter, std::vector<PythonStack>& stacks,
                                        size_t& count) {
  const uint64_t holder = HolderOf(interpreter);
  uint64_t state = 0;
  if (!pages_.Get(interpreter + layout_.threads, state)) return false;
  bool whole = true;
  while (state != 0) {
    if (count == kMostThreads) return false;
    if (stacks.size() == count) stacks.emplace_back();
    PythonStack& stack = stacks[count];
    stack.holds_gil = state == holder;
    if (!ReadFrames(state, stack)) {
      whole = false;
    } else if (!stack.frames.empty()) {
      ++count;
    }
    const uint64_t before = state;
    if (!pages_.Get(state + layout_.next_thread, state) || state == before) return false;
  }
  return whole;
}

bool PythonStackReader::ReadFrames(uint64_t thread_state, PythonStack& stack) {
  stack.frames.clear();
  stack.is_cut = false;
  stack.thread = 0;
  uint64_t frame = 0;
  if (!pages_.Get(thread_state + layout_.thread_id, stack.pthread) ||
      !pages_.Get(thread_state + layout_.frame, frame)) {
    return false;
  }
  if (layout_.native_thread_id != kNoOffset) {
    if (!pages_.Get(thread_state + layout_.native_thread_id, stack.thread)) return false;
  } else {
    uint32_t number = 0;
    if (pages_.Get(stack.pthread + kThreadNumberInPthread, number)) stack.thread = number;
  }
  if (layout_.of_cframe != kNoOffset && frame != 0 &&
      !pages_.Get(frame + layout_.of_cframe, frame)) {
    return false;
  }
  while (frame != 0) {
    if (stack.frames.size() == kMostFrames) {
      stack.is_cut = true;
      break;
    }
    if (frames_left_ == 0) return false;
    --frames_left_;
    uint8_t owner = 0;
    PythonFrame found;
    uint64_t previous = 0;
    if ((layout_.owner != kNoOffset && !pages_.Get(frame + layout_.owner, owner)) ||
        !pages_.Get(frame + layout_.code, found.code) ||
        !pages_.Get(frame + layout_.previous, previous) || previous == frame) {
      return false;
    }
    if (layout_.instructions != 0) {
      if (!pages_.Get(frame + layout_.instruction, found.instruction)) return false;
    } else {
      int32_t number = 0;
      if (!pages_.Get(frame + layout_.instruction, number)) return false;
      found.instruction = static_cast<uint64_t>(int64_t{number});
    }
    found.code &= kReferenceMask;
    if (owner < kOwnedByInterpreter) {
      // A frame that is just being made, or one that is gone.
      if (found.code == 0) return false;
      stack.frames.push_back(found);
    }
    frame = previous;
  }
  return true;
}

}  // namespace telltale
