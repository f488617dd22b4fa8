// SPDX-License-Identifier: Apache-2.0
#include "server/peer_user.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace telltale {
namespace {

// A listening socket, and connections to it that a child of another user may make.
class Listening {
 public:
  explicit Listening(int family) : family_(family), socket_(::socket(family, SOCK_STREAM, 0)) {
    if (family == AF_INET) {
      v4_.sin_family = AF_INET;
      v4_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
      size_ = sizeof(v4_);
    } else {
      v6_.sin6_family = AF_INET6;
      v6_.sin6_addr = in6addr_loopback;
      size_ = sizeof(v6_);
    }
    usable_ = ::bind(socket_, address(), size_) == 0 && ::listen(socket_, 8) == 0 &&
              ::getsockname(socket_, address(), &size_) == 0;
  }
  Listening(const Listening&) = delete;
  Listening& operator=(const Listening&) = delete;
  ~Listening() { ::close(socket_); }

  [[nodiscard]] bool usable() const { return usable_; }
  [[nodiscard]] int Connect() {
    const int client = ::socket(family_, SOCK_STREAM, 0);
    EXPECT_EQ(::connect(client, address(), size_), 0);
    return client;
  }
  [[nodiscard]] int Accept() const { return ::accept(socket_, nullptr, nullptr); }
  [[nodiscard]] in_port_t port() const { return v4_.sin_port; }

 private:
  sockaddr* address() {
    return family_ == AF_INET ? reinterpret_cast<sockaddr*>(&v4_)
                              : reinterpret_cast<sockaddr*>(&v6_);
  }
  int family_;
  int socket_;
  sockaddr_in v4_{};
  sockaddr_in6 v6_{};
  socklen_t size_ = 0;
  bool usable_ = false;
};

TEST(PeerUser, IsUsForOurOwnConnections) {
  for (const int family : {AF_INET, AF_INET6}) {
    Listening listening(family);
    if (!listening.usable()) continue;  // no IPv6 here
    const int client = listening.Connect();
    const int server = listening.Accept();
    EXPECT_EQ(UserOfPeer(server), ::geteuid()) << family;
    ::close(client);
    // Nobody holds the other end any more.
    EXPECT_EQ(UserOfPeer(server), std::nullopt) << family;
    ::close(server);
  }
}

TEST(PeerUser, IsUsForAnIpv4ConnectionOfAnIpv6Socket) {
  const Listening listening(AF_INET);
  ASSERT_TRUE(listening.usable());
  const int client = ::socket(AF_INET6, SOCK_STREAM, 0);
  sockaddr_in6 mapped{};
  mapped.sin6_family = AF_INET6;
  mapped.sin6_port = listening.port();
  mapped.sin6_addr.s6_addr[10] = mapped.sin6_addr.s6_addr[11] = 0xff;
  mapped.sin6_addr.s6_addr[12] = 127;
  mapped.sin6_addr.s6_addr[15] = 1;
  if (::connect(client, reinterpret_cast<sockaddr*>(&mapped), sizeof(mapped)) != 0) {
    ::close(client);
    GTEST_SKIP() << "no IPv6 here";
  }
  const int server = listening.Accept();
  EXPECT_EQ(UserOfPeer(server), ::geteuid());
  ::close(server);
  ::close(client);
}

TEST(PeerUser, IsTheOtherUserForTheirs) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can be somebody else";
  constexpr uid_t kOther = 1234;
  Listening listening(AF_INET);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::setuid(kOther) != 0) ::_exit(1);
    const int client = listening.Connect();
    char byte = 0;
    (void)!::read(client, &byte, 1);  // until the other end is closed
    ::_exit(0);
  }
  const int server = listening.Accept();
  EXPECT_EQ(UserOfPeer(server), kOther);
  ::close(server);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(PeerUser, IsNotKnownWithoutAConnection) {
  EXPECT_EQ(UserOfPeer(-1), std::nullopt);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  EXPECT_EQ(UserOfPeer(socket), std::nullopt);
  ::close(socket);
}

}  // namespace
}  // namespace telltale
