// SPDX-License-Identifier: Apache-2.0
// Whose a connection on this machine is. Everybody who works on a machine can connect to its
// loopback; files have owners, and a server must not give away to others what its user's folders
// keep from them. The system knows who made the socket at the other end.
#pragma once

#include <sys/types.h>

#include <optional>

namespace telltale {

// The user who made the other end of a connected TCP socket, which is on this machine. None where
// that cannot be known: the other end is closed, is of another machine or of users that have no
// number here.
[[nodiscard]] std::optional<uid_t> UserOfPeer(int socket);

}  // namespace telltale
