// SPDX-License-Identifier: Apache-2.0
// Finds the addresses of a host and listens on them, all with one port.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace telltale {

struct ListenRequest {
  // A name or an address; "localhost" is both loopback addresses, empty is every address.
  std::string host;
  uint16_t port = 0;           // 0: any free one
  uint16_t further_ports = 0;  // if it is taken, so many next ones are tried
};

// Open sockets that listen. Whoever takes them away closes them.
class Listeners {
 public:
  struct One {
    int socket = -1;
    bool is_v6 = false;
  };
  Listeners() = default;
  Listeners(Listeners&& other) noexcept;
  Listeners& operator=(Listeners&& other) noexcept;
  ~Listeners() { Close(); }

  [[nodiscard]] uint16_t port() const { return port_; }
  // Others than this machine can connect.
  [[nodiscard]] bool beyond_loopback() const { return beyond_loopback_; }
  [[nodiscard]] std::vector<One> Take();

 private:
  friend Result<Listeners> Listen(const ListenRequest& request);
  void Close();

  std::vector<One> all_;
  uint16_t port_ = 0;
  bool beyond_loopback_ = false;
};

// An Error (kUsage) says why it cannot be, and what to do.
[[nodiscard]] Result<Listeners> Listen(const ListenRequest& request);

}  // namespace telltale
