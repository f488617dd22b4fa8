// SPDX-License-Identifier: Apache-2.0
#include "collect/program_state.h"

#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <new>

namespace telltale {

ProgramState* ProgramState::Make() {
  void* const memory = ::mmap(nullptr, sizeof(ProgramState), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  auto* const out = new (memory) ProgramState();
  out->notice_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  return out->notice_.valid() ? out : nullptr;
}

std::optional<int> ProgramState::status() const {
  if (!has_ended_.load(std::memory_order_acquire)) return std::nullopt;
  return status_.load(std::memory_order_relaxed);
}

void ProgramState::SetEnded(int status) {
  status_.store(status, std::memory_order_relaxed);
  has_ended_.store(true, std::memory_order_release);
}

void ProgramState::LeaveOutput(size_t index) {
  left_ |= 1U << index;
  const uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(notice_.get(), &one, sizeof one);
}

}  // namespace telltale
