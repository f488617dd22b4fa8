// SPDX-License-Identifier: Apache-2.0
// The socket on which a process says that it records now (.live/socket, 0600): a notice to look for
// its region at once, and nothing more, because all facts are in the region.
#pragma once

#include <string>

#include "io/file_gate.h"

namespace telltale {

class Announcements {
 public:
  // Where no socket can be made there are no notices, and regions are found a little later.
  explicit Announcements(const std::string& live_folder);

  // For poll; -1: there is none.
  [[nodiscard]] int file_descriptor() const { return socket_.get(); }
  // Takes what waits; whether somebody of this user said something.
  bool Take();
  // Waits for a notice, at most so long.
  void Wait(int milliseconds);

 private:
  FileDescriptor socket_;
};

}  // namespace telltale
