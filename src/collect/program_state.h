// SPDX-License-Identifier: Apache-2.0
// What front, guard, collector and heir know of the program together. It is in memory that they
// share, so that it outlives whichever of them is killed.
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "io/file_gate.h"

namespace telltale {

class ProgramState {
 public:
  // In shared memory, for this process and those that it forks; nullptr: errno says why.
  [[nodiscard]] static ProgramState* Make();

  [[nodiscard]] pid_t pid() const { return pid_; }  // 0: it has not started
  void SetStarted(pid_t pid) { pid_ = pid; }

  // How it ended, as its parent saw it.
  [[nodiscard]] std::optional<int> status() const;
  void SetEnded(int status);

  // Its run is written to the end, and nobody has anything to do any more.
  [[nodiscard]] bool is_written() const { return is_written_; }
  void SetWritten() { is_written_ = true; }

  // Nobody reads this output any more, and so the program shall notice: whoever holds its other
  // end lets go of it.
  void LeaveOutput(size_t index);
  [[nodiscard]] bool has_left(size_t index) const { return (left_ & (1U << index)) != 0; }
  // Who are told when an output was left. (The front hears of it from the collector.)
  enum Listener : uint8_t { kGuard, kHeir, kListeners };
  // Readable when there is something to hear.
  [[nodiscard]] int notice(Listener listener) const { return notices_[listener].get(); }
  // Whether there was something.
  bool TakeNotice(Listener listener);

 private:
  ProgramState() = default;
  std::atomic<pid_t> pid_ = 0;
  std::atomic<int> status_ = 0;
  std::atomic<bool> has_ended_ = false;
  std::atomic<bool> is_written_ = false;
  std::atomic<uint32_t> left_ = 0;
  std::array<FileDescriptor, kListeners> notices_;  // the same numbers in all of them
};

}  // namespace telltale
