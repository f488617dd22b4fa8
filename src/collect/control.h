// SPDX-License-Identifier: Apache-2.0
// What the front (front.h) and the collector (collector.h) tell each other: packets over a pair of
// sockets. The end of the pair is the death of the other one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace telltale {

enum class ControlKind : int32_t {
  // From the collector.
  kStarted,     // value: the program's process
  kNotStarted,  // value: errno
  kOutputLeft,  // value: index of the output that nobody reads any more
  kStopped,     // the program was stopped (SIGTSTP …)
  kEnded,       // value: its wait status; text: the line for the user. The run is written
  // From the front.
  kForwarded,  // value: a signal that went to the program
};

struct ControlMessage {
  ControlKind kind = ControlKind::kStarted;
  int64_t value = 0;
  std::string text;
};

// False: the other one is gone.
bool SendControl(int socket, ControlKind kind, int64_t value, std::string_view text = {});
// Does not wait; `gone` is set if the other one is.
[[nodiscard]] std::optional<ControlMessage> ReceiveControl(int socket, bool& gone);

}  // namespace telltale
