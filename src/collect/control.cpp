// SPDX-License-Identifier: Apache-2.0
#include "collect/control.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace telltale {

namespace {

constexpr size_t kMostBytes = 4096;
constexpr size_t kHeadBytes = 12;

}  // namespace

bool SendControl(int socket, ControlKind kind, int64_t value, std::string_view text) {
  std::string packet(kHeadBytes, '\0');
  std::memcpy(packet.data(), &kind, 4);
  std::memcpy(packet.data() + 4, &value, 8);
  packet += text.substr(0, kMostBytes - kHeadBytes);
  while (::send(socket, packet.data(), packet.size(), MSG_NOSIGNAL) < 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

std::optional<ControlMessage> ReceiveControl(int socket, bool& gone) {
  std::array<char, kMostBytes> packet;
  const ssize_t count = ::recv(socket, packet.data(), packet.size(), MSG_DONTWAIT);
  if (count < 0) {
    gone = errno != EAGAIN && errno != EINTR;
    return std::nullopt;
  }
  gone = count == 0;
  if (count < static_cast<ssize_t>(kHeadBytes)) return std::nullopt;
  ControlMessage out;
  std::memcpy(&out.kind, packet.data(), 4);
  std::memcpy(&out.value, packet.data() + 4, 8);
  out.text.assign(packet.data() + kHeadBytes, static_cast<size_t>(count) - kHeadBytes);
  return out;
}

}  // namespace telltale
