// SPDX-License-Identifier: Apache-2.0
// How an operation that cannot be done says so: Result<T> holds a value or an Error. Input that is
// only partly bad is no error: see diagnostics.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <tl/expected.hpp>

namespace telltale {

// One code for each decision a caller can make.
enum class ErrorCode : uint8_t {
  kUsage,       // the request itself is wrong: exit 2
  kUnreadable,  // the input cannot be read at all: exit 3
  kUnwritable,  // the result cannot be written: exit 1
  kCanceled,    // the user asked to stop
};

// `message` is a sentence for a person: what was expected, what was found, what to do.
struct Error {
  ErrorCode code = ErrorCode::kUnreadable;
  std::string message;
  std::optional<uint64_t> offset;  // byte in the (decoded) input where it happened
};

template <typename T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> Fail(ErrorCode code, std::string message,
                                                std::optional<uint64_t> offset = std::nullopt) {
  return tl::unexpected<Error>(Error{code, std::move(message), offset});
}

}  // namespace telltale
