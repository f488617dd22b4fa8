// SPDX-License-Identifier: Apache-2.0
// One process of the program: waits until there is an interpreter in it, and then says of all its
// threads what they are doing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "formats/samples/writer.h"
#include "io/kept_file.h"
#include "sample/code_objects.h"
#include "sample/find_interpreter.h"
#include "sample/memory_reader.h"
#include "sample/python_stacks.h"

namespace telltale {

// What is the same for all processes of a program.
struct SamplingShare {
  int root = 0;
  int64_t period_ns = 0;
  SamplesWriter& writer;
  InterpreterFinder finder = {};
  // Why a process is not sampled; each thing once.
  std::vector<std::string> lacking = {};
  size_t kept_files = 0;

  void Lack(std::string sentence);
};

class ProcessSampler {
 public:
  ProcessSampler(int pid, SamplingShare& share);
  ProcessSampler(const ProcessSampler&) = delete;
  ProcessSampler& operator=(const ProcessSampler&) = delete;
  ~ProcessSampler();

  // False: the process has ended.
  [[nodiscard]] bool Sample(int64_t now_ns);

 private:
  struct Thread {
    uint32_t id = 0;  // the writer's
    int64_t last_ns = 0;
    bool keeps_file = false;
    KeptFile stat;
    struct Step {
      uint32_t function = 0;
      uint32_t node = 0;
    };
    std::vector<Step> path;  // at the last sample, outermost first
  };

  void Look(int64_t now_ns);
  [[nodiscard]] bool SampleThread(const PythonStack& stack, int64_t now_ns);
  [[nodiscard]] Thread& ThreadOf(const PythonStack& stack, int64_t now_ns);
  [[nodiscard]] std::string NameOf(const PythonStack& stack);
  [[nodiscard]] SampleState StateOf(const PythonStack& stack, Thread& thread);
  [[nodiscard]] uint32_t NodeOf(const PythonStack& stack, Thread& thread);
  void ForgetThreads(int64_t now_ns);

  int pid_;
  SamplingShare& share_;
  ProcessMemory memory_;
  std::optional<PythonStackReader> reader_;
  std::optional<CodeObjects> codes_;
  int64_t next_look_ns_ = 0;
  int64_t look_every_ns_;
  int failures_ = 0;  // in a row
  int64_t next_forget_ns_ = 0;
  std::unordered_map<uint64_t, Thread> threads_;
  std::vector<PythonStack> stacks_;
  std::vector<CodeObject*> code_of_frame_;
  TextBuffer buffer_;
};

}  // namespace telltale
