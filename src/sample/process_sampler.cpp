// SPDX-License-Identifier: Apache-2.0
#include "sample/process_sampler.h"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include <fmt/format.h>

namespace telltale {

namespace {

constexpr int64_t kMillisecond = 1'000'000;
constexpr int64_t kSecond = 1'000 * kMillisecond;
// For an interpreter, in a process that has none yet: soon after its start, then less and less.
constexpr int64_t kFirstLookAfter = 10 * kMillisecond;
constexpr int64_t kLookAtLeastEvery = 5 * kSecond;
// A stack that changed while it was read is read again at once.
constexpr int kAttempts = 3;
// After so many samples without an interpreter the process has become another program.
constexpr int kMostFailures = 50;
// A sample stands for the time since the one before it, but not for the sleep of a machine.
constexpr int64_t kMostPeriods = 20;
constexpr int64_t kForgetThreadAfter = 10 * kSecond;
// Of all processes; a program may have 1024 files without asking.
constexpr size_t kMostKeptFiles = 200;
constexpr std::string_view kOuterFramesLeftOut = "<outer frames left out>";

}  // namespace

void SamplingShare::Lack(std::string sentence) {
  if (std::ranges::find(lacking, sentence) == lacking.end()) lacking.push_back(std::move(sentence));
}

ProcessSampler::ProcessSampler(int pid, SamplingShare& share)
    : pid_(pid), share_(share), memory_(pid), look_every_ns_(kFirstLookAfter) {}

ProcessSampler::~ProcessSampler() {
  for (const auto& [number, thread] : threads_) share_.kept_files -= thread.keeps_file ? 1 : 0;
}

void ProcessSampler::Look(int64_t now_ns) {
  next_look_ns_ = now_ns + look_every_ns_;
  look_every_ns_ = std::min(look_every_ns_ * 2, kLookAtLeastEvery);
  const std::optional<Result<Interpreter>> found = share_.finder.Find(pid_, memory_);
  if (memory_.error() == EPERM || memory_.error() == EACCES || memory_.error() == ENOSYS) {
    share_.Lack(fmt::format(
        "the program's memory may not be read ({}), so that its functions are not sampled: "
        "/proc/sys/kernel/yama/ptrace_scope, or what a container may do (CAP_SYS_PTRACE)",
        std::generic_category().message(memory_.error())));
  }
  if (!found) return;
  if (!*found) {
    share_.Lack(found->error().message);
    return;
  }
  const Interpreter& interpreter = **found;
  reader_.emplace(memory_, interpreter.layout, interpreter.runtime);
  codes_.emplace(memory_, interpreter.layout, interpreter.code_type);
  look_every_ns_ = kFirstLookAfter;
  failures_ = 0;
}

bool ProcessSampler::Sample(int64_t now_ns) {
  if (!reader_ && now_ns >= next_look_ns_) Look(now_ns);
  if (!reader_) return true;
  bool whole = false;
  for (int attempt = 0; attempt < kAttempts && !whole; ++attempt) {
    size_t count = 0;
    const StackReading reading = reader_->Read(stacks_, count);
    if (reading == StackReading::kUnreadable) {
      if (memory_.error() == ESRCH) return false;
      if (++failures_ > kMostFailures) {
        reader_.reset();
        codes_.reset();
        next_look_ns_ = now_ns;
      }
      return true;
    }
    failures_ = 0;
    whole = reading == StackReading::kWhole;
    for (size_t i = 0; i < count; ++i) whole = SampleThread(stacks_[i], now_ns) && whole;
  }
  if (!whole) share_.writer.AddTorn();
  if (now_ns >= next_forget_ns_) ForgetThreads(now_ns);
  return true;
}

bool ProcessSampler::SampleThread(const PythonStack& stack, int64_t now_ns) {
  Thread& thread = ThreadOf(stack, now_ns);
  // At an attempt before this one.
  if (thread.last_ns == now_ns) return true;
  if (!codes_->Find(stack.frames, code_of_frame_)) return false;
  const uint32_t node = NodeOf(stack, thread);
  if (node == SamplesWriter::kNoNode) return true;
  const int64_t length_ns = std::min(now_ns - thread.last_ns, kMostPeriods * share_.period_ns);
  thread.last_ns = now_ns;
  share_.writer.Add(thread.id, node, StateOf(stack, thread), codes_->LineOf(stack.frames.front()),
                    length_ns);
  return true;
}

ProcessSampler::Thread& ProcessSampler::ThreadOf(const PythonStack& stack, int64_t now_ns) {
  const auto [entry, is_new] = threads_.try_emplace(stack.pthread);
  Thread& thread = entry->second;
  if (is_new) {
    thread.id = share_.writer.AddThread(pid_, static_cast<int64_t>(stack.thread), NameOf(stack));
    thread.last_ns = now_ns - share_.period_ns;
  }
  return thread;
}

std::string ProcessSampler::NameOf(const PythonStack& stack) {
  std::string name = pid_ == share_.root ? std::string() : fmt::format("process {}, ", pid_);
  if (stack.thread == static_cast<uint64_t>(pid_)) return name + "MainThread";
  name += fmt::format("thread {}", stack.thread != 0 ? stack.thread : stack.pthread);
  const auto command = [&](const std::string& path) {
    KeptFile file(path);
    std::string_view text;
    return file.Read(buffer_, text) ? std::string(text.substr(0, text.find('\n'))) : std::string();
  };
  // Threads that were given no name have that of the program.
  const std::string own = command(fmt::format("/proc/{}/task/{}/comm", pid_, stack.thread));
  if (!own.empty() && own != command(fmt::format("/proc/{}/comm", pid_))) {
    name += fmt::format(" ({})", own);
  }
  return name;
}

SampleState ProcessSampler::StateOf(const PythonStack& stack, Thread& thread) {
  if (stack.holds_gil) return SampleState::kHoldsGil;
  if (stack.thread == 0) return SampleState::kUnknown;
  if (!thread.stat.valid()) {
    if (!thread.stat.Open(fmt::format("/proc/{}/task/{}/stat", pid_, stack.thread))) {
      return SampleState::kUnknown;
    }
    thread.keeps_file = share_.kept_files < kMostKeptFiles;
    share_.kept_files += thread.keeps_file ? 1 : 0;
  }
  std::string_view text;
  const bool read = thread.stat.Read(buffer_, text);
  if (!thread.keeps_file) thread.stat.Close();
  // pid (command) state …
  const size_t bracket = read ? text.rfind(')') : std::string_view::npos;
  if (bracket == std::string_view::npos || bracket + 2 >= text.size()) return SampleState::kUnknown;
  return text[bracket + 2] == 'R' ? SampleState::kNative : SampleState::kWaiting;
}

uint32_t ProcessSampler::NodeOf(const PythonStack& stack, Thread& thread) {
  uint32_t node = SamplesWriter::kNoNode;
  size_t depth = 0;
  const auto enter = [&](uint32_t function) {
    if (depth < thread.path.size() && thread.path[depth].function == function) {
      node = thread.path[depth++].node;
      return true;
    }
    // Most of a stack is as it was: only from the first difference on it is looked up.
    thread.path.resize(depth);
    const uint32_t child = share_.writer.Child(node, function);
    if (child == SamplesWriter::kNoNode) return false;
    thread.path.push_back({function, child});
    node = child;
    ++depth;
    return true;
  };
  if (stack.is_cut && !enter(share_.writer.FunctionOf({}, 0, kOuterFramesLeftOut))) return node;
  for (size_t i = code_of_frame_.size(); i-- > 0;) {
    CodeObject& code = *code_of_frame_[i];
    if (code.id == UINT32_MAX) {
      code.id = share_.writer.FunctionOf(code.file, code.first_line, code.name);
    }
    // There are too many paths: what is deeper counts for the last one that is known.
    if (!enter(code.id)) break;
  }
  thread.path.resize(depth);
  return node;
}

void ProcessSampler::ForgetThreads(int64_t now_ns) {
  next_forget_ns_ = now_ns + kForgetThreadAfter;
  std::erase_if(threads_, [&](const auto& entry) {
    const Thread& thread = entry.second;
    if (now_ns - thread.last_ns < kForgetThreadAfter) return false;
    share_.kept_files -= thread.keeps_file ? 1 : 0;
    return true;
  });
}

}  // namespace telltale
