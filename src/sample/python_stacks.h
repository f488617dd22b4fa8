// SPDX-License-Identifier: Apache-2.0
// The stacks of all threads of one interpreter, read from outside while it runs. What does not hold
// together is found and told; nothing that the memory says leads to more than a bounded amount of
// work.
#pragma once

#include <cstdint>
#include <vector>

#include "sample/memory_reader.h"
#include "sample/python_layout.h"

namespace telltale {

// Deeper stacks lose their outermost calls.
constexpr size_t kMostFrames = 4096;
constexpr size_t kMostThreads = 512;
// Of all threads together: more than any program has, little enough for memory that leads astray.
constexpr size_t kMostFramesInAll = 65'536;

struct PythonFrame {
  uint64_t code = 0;         // address of the code object
  uint64_t instruction = 0;  // as the frame has it: PythonLayout::instruction
};

struct PythonStack {
  uint64_t thread = 0;   // the kernel's number, or where that is not known 0
  uint64_t pthread = 0;  // pthread_self()
  bool holds_gil = false;
  bool is_cut = false;              // kMostFrames
  std::vector<PythonFrame> frames;  // innermost first
};

enum class StackReading : uint8_t {
  kWhole,
  kTorn,        // some stack changed while it was read: those that did not are there
  kUnreadable,  // no interpreter is there, or not yet
};

class PythonStackReader {
 public:
  // `runtime`: the address of _PyRuntime.
  PythonStackReader(MemoryReader& memory, const PythonLayout& layout, uint64_t runtime);

  // Of all threads; those without a frame are left out. `stacks` keeps its memory between calls,
  // the first `count` of it are valid.
  [[nodiscard]] StackReading Read(std::vector<PythonStack>& stacks, size_t& count);

 private:
  // False: it does not hold together.
  bool ReadInterpreter(uint64_t interpreter, std::vector<PythonStack>& stacks, size_t& count);
  bool ReadFrames(uint64_t thread_state, PythonStack& stack);
  [[nodiscard]] uint64_t HolderOf(uint64_t interpreter);

  PageReader pages_;
  PythonLayout layout_;
  uint64_t runtime_;
  uint64_t holder_ = 0;  // the thread state, to 3.11
  size_t frames_left_ = 0;
};

}  // namespace telltale
