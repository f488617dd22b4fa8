// SPDX-License-Identifier: Apache-2.0
// From the bytes of a connection to requests, one after the other. Whatever comes, no more is held
// than the limits say: a header, a body of a stated length, and what one read brings beyond them.
// Bodies in chunks are refused: nothing here needs them, and what surrounds the chunks has no
// length. Knows no socket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "server/http.h"

namespace telltale {

struct RequestLimits {
  uint32_t header_bytes = 32 << 10;
  uint64_t body_bytes = 1 << 20;
};

class RequestReader {
 public:
  explicit RequestReader(RequestLimits limits);
  RequestReader(const RequestReader&) = delete;
  RequestReader& operator=(const RequestReader&) = delete;
  ~RequestReader();

  // Room for the next bytes, never empty; and how many of them came.
  [[nodiscard]] std::span<char> Room();
  void Add(size_t bytes);
  // Bytes came that belong to no request yet.
  [[nodiscard]] bool has_bytes() const;

  enum class State : uint8_t {
    kNeedsMore,
    kHeader,   // said once: request() has all but the body, which is read on from here
    kDone,     // request() is whole
    kRefused,  // this is no request: refusal() says why; nothing more is to be read
  };
  // Goes as far as the bytes reach. Throws only for lack of memory.
  [[nodiscard]] State Parse();

  // From kHeader on.
  [[nodiscard]] HttpRequest& request();
  [[nodiscard]] const std::string& target() const;
  [[nodiscard]] bool keep_alive() const;
  [[nodiscard]] bool expects_continue() const;
  // Of kRefused.
  [[nodiscard]] HttpResponse refusal() const;

  // Forgets the request; the next one begins with the bytes that are there already.
  void Next();

 private:
  class Parsing;
  std::unique_ptr<Parsing> parsing_;
};

}  // namespace telltale
