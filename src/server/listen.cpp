// SPDX-License-Identifier: Apache-2.0
#include "server/listen.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace telltale {

namespace {

// An address to listen on, without its port.
struct Place {
  sockaddr_storage address{};
  socklen_t size = 0;
  bool optional = false;  // IPv6 beside IPv4: not every machine has it

  [[nodiscard]] bool is_v6() const { return address.ss_family == AF_INET6; }
  [[nodiscard]] bool is_loopback() const {
    if (is_v6()) {
      return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(address).sin6_addr);
    }
    return ntohl(reinterpret_cast<const sockaddr_in&>(address).sin_addr.s_addr) >> 24U == 127;
  }
  [[nodiscard]] in_port_t& port() {
    return is_v6() ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<sockaddr_in&>(address).sin_port;
  }
};

Place Of(uint32_t v4) {
  Place place;
  auto& address = reinterpret_cast<sockaddr_in&>(place.address);
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(v4);
  place.size = sizeof(address);
  return place;
}

Place Of(const in6_addr& v6) {
  Place place;
  auto& address = reinterpret_cast<sockaddr_in6&>(place.address);
  address.sin6_family = AF_INET6;
  address.sin6_addr = v6;
  place.size = sizeof(address);
  place.optional = true;
  return place;
}

Result<std::vector<Place>> Resolve(const std::string& host) {
  if (host.empty()) return std::vector{Of(INADDR_ANY), Of(in6addr_any)};
  if (host == "localhost") return std::vector{Of(INADDR_LOOPBACK), Of(in6addr_loopback)};
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, [](addrinfo* list) {
    if (list != nullptr) ::freeaddrinfo(list);
  });
  std::vector<Place> places;
  for (const addrinfo* entry = found; error == 0 && entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
    Place place;
    std::memcpy(&place.address, entry->ai_addr, entry->ai_addrlen);
    place.size = entry->ai_addrlen;
    place.optional = !places.empty();
    const auto same = [&](const Place& other) {
      return other.size == place.size &&
             std::memcmp(&other.address, &place.address, place.size) == 0;
    };
    if (std::ranges::none_of(places, same)) places.push_back(place);
  }
  if (places.empty()) {
    return Fail(ErrorCode::kUsage,
                fmt::format("there is no host '{}': {}; --host takes a name or an address of this "
                            "machine",
                            host, error != 0 ? ::gai_strerror(error) : "it has no address"));
  }
  return places;
}

Error CannotListen(const ListenRequest& request, int error) {
  const auto usage = [](std::string message) {
    return Error{ErrorCode::kUsage, std::move(message), std::nullopt};
  };
  if (error == EADDRINUSE) {
    return usage(fmt::format(
        "port {} is taken by another program (an earlier 'telltale view', or TensorBoard?); stop "
        "it, or choose another one: --port 0 takes any that is free",
        request.port));
  }
  if (error == EACCES) {
    return usage(
        fmt::format("no permission to listen on port {}; choose one above 1023", request.port));
  }
  return usage(fmt::format(
      "cannot listen on {}, port {}: {}; --host takes a name or an address of this machine",
      request.host.empty() ? "all addresses" : request.host, request.port,
      std::generic_category().message(error)));
}

// A socket that listens, or an error number; `place` gets the port that it has.
tl::expected<int, int> ListenOn(Place& place) {
  // Not inherited: a browser that is started from here must not keep the port.
  const int socket = ::socket(place.address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return tl::unexpected(errno);
  const int on = 1;
  // A restart finds the port free although connections of the last run have not faded yet.
  bool good = ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0;
  if (place.is_v6()) {
    good = good && ::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) == 0;
  }
  auto* const address = reinterpret_cast<sockaddr*>(&place.address);
  good = good && ::bind(socket, address, place.size) == 0 && ::listen(socket, SOMAXCONN) == 0 &&
         ::getsockname(socket, address, &place.size) == 0;
  if (good) return socket;
  const int error = errno;
  ::close(socket);
  return tl::unexpected(error);
}

}  // namespace

Listeners::Listeners(Listeners&& other) noexcept { *this = std::move(other); }

Listeners& Listeners::operator=(Listeners&& other) noexcept {
  std::swap(all_, other.all_);
  port_ = other.port_;
  beyond_loopback_ = other.beyond_loopback_;
  return *this;
}

std::vector<Listeners::One> Listeners::Take() { return std::exchange(all_, {}); }

void Listeners::Close() {
  for (const One& one : Take()) ::close(one.socket);
}

Result<Listeners> Listen(const ListenRequest& request) {
  const Result<std::vector<Place>> places = Resolve(request.host);
  if (!places) return tl::unexpected<Error>(places.error());
  // A free port of one family may be taken in the other one.
  const int attempts = request.port == 0 ? 16 : request.further_ports + 1;
  int error = 0;
  for (int i = 0; i < attempts; ++i) {
    const int port = request.port == 0 ? 0 : request.port + i;
    if (port > UINT16_MAX) break;
    Listeners listeners;
    listeners.port_ = static_cast<uint16_t>(port);
    error = 0;
    for (Place place : *places) {
      place.port() = htons(listeners.port_);
      const tl::expected<int, int> socket = ListenOn(place);
      if (!socket && place.optional && socket.error() != EADDRINUSE) continue;
      if (!socket) {
        error = socket.error();
        break;
      }
      listeners.port_ = ntohs(place.port());
      listeners.beyond_loopback_ |= !place.is_loopback();
      listeners.all_.push_back({*socket, place.is_v6()});
    }
    if (error == 0) return listeners;
    if (error != EADDRINUSE) break;
  }
  return tl::unexpected(CannotListen(request, error));
}

}  // namespace telltale
