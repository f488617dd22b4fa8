// SPDX-License-Identifier: Apache-2.0
#include "collect/announcements.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace telltale {

Announcements::Announcements(const std::string& live_folder) {
  // The path of a socket has room for 107 bytes; that of an open folder is always short.
  const FileDescriptor folder(::open(live_folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  FileDescriptor made(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!folder.valid() || !made.valid()) return;
  const std::string path = fmt::format("/proc/self/fd/{}/socket", folder.get());
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::copy(path.begin(), path.end(), address.sun_path);
  // That of a collector that was killed; the caller has the lock.
  ::unlink(path.c_str());
  if (::bind(made.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
  ::chmod(path.c_str(), 0600);
  if (::listen(made.get(), 64) == 0) socket_ = std::move(made);
}

bool Announcements::Take() {
  bool any = false;
  while (socket_.valid()) {
    const FileDescriptor peer(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peer.valid()) break;
    ucred who = {};
    socklen_t size = sizeof who;
    if (::getsockopt(peer.get(), SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 ||
        who.uid != ::getuid()) {
      continue;
    }
    // It says hello at once, or never.
    const timeval patience = {0, 20'000};
    ::setsockopt(peer.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    std::array<char, 4096> packet;
    any = ::recv(peer.get(), packet.data(), packet.size(), 0) > 0 || any;
  }
  return any;
}

void Announcements::Wait(int milliseconds) {
  pollfd wait = {socket_.get(), POLLIN, 0};
  if (::poll(&wait, 1, milliseconds) > 0) Take();
}

}  // namespace telltale
