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
  for (FileDescriptor& notice : out->notices_) {
    notice = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!notice.valid()) return nullptr;
  }
  return out;
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
  for (const FileDescriptor& notice : notices_) {
    [[maybe_unused]] const ssize_t written = ::write(notice.get(), &one, sizeof one);
  }
}

bool ProgramState::TakeNotice(Listener listener) {
  uint64_t count = 0;
  return ::read(notices_[listener].get(), &count, sizeof count) > 0;
}

}  // namespace telltale
