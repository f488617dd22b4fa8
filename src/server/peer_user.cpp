// SPDX-License-Identifier: Apache-2.0
// Asks the kernel for the one socket with our addresses the other way round (INET_DIAG), and where
// that is not to be had looks through /proc/net/tcp and tcp6.
#include "server/peer_user.h"

#include <fcntl.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "io/byte_source.h"

namespace telltale {

namespace {

// All of the bytes are in network order, as the kernel has them.
struct Address {
  std::array<uint32_t, 4> host{};  // IPv4: the first one
  uint16_t port = 0;
};

struct Ends {
  uint8_t family = AF_UNSPEC;
  Address ours;
  Address theirs;
};

bool Take(const sockaddr_storage& from, Address& address) {
  if (from.ss_family == AF_INET) {
    const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
    address.host[0] = v4.sin_addr.s_addr;
    address.port = v4.sin_port;
    return true;
  }
  if (from.ss_family != AF_INET6) return false;
  const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
  static_assert(sizeof(v6.sin6_addr) == sizeof(address.host));
  std::memcpy(address.host.data(), &v6.sin6_addr, sizeof(address.host));
  address.port = v6.sin6_port;
  return true;
}

std::optional<Ends> EndsOf(int socket) {
  sockaddr_storage ours{};
  sockaddr_storage theirs{};
  socklen_t ours_size = sizeof(ours);
  socklen_t theirs_size = sizeof(theirs);
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&ours), &ours_size) != 0 ||
      ::getpeername(socket, reinterpret_cast<sockaddr*>(&theirs), &theirs_size) != 0) {
    return std::nullopt;
  }
  Ends ends;
  ends.family = static_cast<uint8_t>(ours.ss_family);
  if (!Take(ours, ends.ours) || !Take(theirs, ends.theirs)) return std::nullopt;
  return ends;
}

struct Found {
  uint32_t user = 0;
  uint32_t inode = 0;
};

// What the kernel says of the socket whose own end is `theirs`. nullopt: nothing.
std::optional<Found> AskKernel(const Ends& ends) {
  const FileDescriptor link(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!link.valid()) return std::nullopt;
  struct {
    nlmsghdr head;
    inet_diag_req_v2 request;
  } question{};
  question.head.nlmsg_len = sizeof(question);
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST;
  question.request.sdiag_family = ends.family;
  question.request.sdiag_protocol = IPPROTO_TCP;
  question.request.idiag_states = UINT32_MAX;
  inet_diag_sockid& id = question.request.id;
  id.idiag_sport = ends.theirs.port;
  id.idiag_dport = ends.ours.port;
  std::memcpy(id.idiag_src, ends.theirs.host.data(), sizeof(id.idiag_src));
  std::memcpy(id.idiag_dst, ends.ours.host.data(), sizeof(id.idiag_dst));
  id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  // The kernel answers within the call that asks; the wait is for kernels that might not.
  const timeval patience = {1, 0};
  ::setsockopt(link.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  if (::send(link.get(), &question, sizeof(question), 0) != sizeof(question)) return std::nullopt;
  alignas(nlmsghdr) std::array<char, 4096> answer{};
  const ssize_t size = ::recv(link.get(), answer.data(), answer.size(), 0);
  if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(inet_diag_msg)))) return std::nullopt;
  nlmsghdr head{};
  std::memcpy(&head, answer.data(), sizeof(head));
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY) return std::nullopt;
  inet_diag_msg message{};
  std::memcpy(&message, answer.data() + NLMSG_HDRLEN, sizeof(message));
  // A looser match would be somebody else's.
  if (message.id.idiag_sport != id.idiag_sport || message.id.idiag_dport != id.idiag_dport) {
    return std::nullopt;
  }
  return Found{message.idiag_uid, message.idiag_inode};
}

// As /proc/net writes it: each 32 bits as one number of this machine's order.
std::string Hex(const Address& address, uint8_t family) {
  std::string text;
  for (size_t i = 0; i < (family == AF_INET ? 1U : 4U); ++i) {
    text += fmt::format("{:08X}", address.host[i]);
  }
  return text + fmt::format(":{:04X}", ntohs(address.port));
}

// The n-th of the words of a line.
std::string_view Word(std::string_view line, size_t n) {
  for (;; --n) {
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    const size_t end = std::min(line.find(' '), line.size());
    if (n == 0) return line.substr(0, end);
    line.remove_prefix(end);
  }
}

std::optional<Found> FindInTable(const char* table, const std::string& local,
                                 const std::string& remote) {
  constexpr size_t kMost = size_t{64} << 20;
  const Result<std::string> text = ReadSmallFile(table, {}, kMost);
  if (!text) return std::nullopt;
  for (std::string_view rest = *text; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (Word(line, 1) != local || Word(line, 2) != remote) continue;
    const auto number = [&](size_t word) {
      return static_cast<uint32_t>(
          std::strtoul(std::string(Word(line, word)).c_str(), nullptr, 10));
    };
    return Found{number(7), number(9)};
  }
  return std::nullopt;
}

std::optional<Found> LookInTables(const Ends& ends) {
  const std::string local = Hex(ends.theirs, ends.family);
  const std::string remote = Hex(ends.ours, ends.family);
  if (ends.family == AF_INET6) return FindInTable("/proc/net/tcp6", local, remote);
  if (const auto found = FindInTable("/proc/net/tcp", local, remote)) return found;
  // An IPv4 connection of an IPv6 socket.
  const std::string mapped = fmt::format("{:08X}{:08X}{:08X}", 0, 0, htonl(0xffff));
  return FindInTable("/proc/net/tcp6", mapped + local, mapped + remote);
}

// In a user namespace, all users that have no number in it share this one.
bool IsNobodyInParticular(uint32_t user) {
  constexpr uint32_t kOverflow = 65534;
  if (user != kOverflow) return false;
  const Result<std::string> map = ReadSmallFile("/proc/self/uid_map", {}, 4096);
  return !map || Word(*map, 0) != "0" || Word(*map, 1) != "0" ||
         !Word(*map, 2).starts_with("4294967295");
}

}  // namespace

std::optional<uid_t> UserOfPeer(int socket) {
  const std::optional<Ends> ends = EndsOf(socket);
  if (!ends) return std::nullopt;
  std::optional<Found> found = AskKernel(*ends);
  if (!found) found = LookInTables(*ends);
  // A socket that nobody holds any more is of nobody; the kernel says root.
  if (!found || found->inode == 0 || IsNobodyInParticular(found->user)) return std::nullopt;
  return found->user;
}

}  // namespace telltale
