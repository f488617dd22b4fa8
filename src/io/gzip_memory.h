// SPDX-License-Identifier: Apache-2.0
// gzip of a whole text in memory, for what is sent at once (an HTTP body). Files: byte_sink.h and
// byte_source.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace telltale {

// One member, at the fastest level that still pays: ISA-L where the build has it, else zlib.
[[nodiscard]] std::string GzipFast(std::string_view text);

// nullopt if it is damaged, cut, or longer than `most_bytes`.
[[nodiscard]] std::optional<std::string> Gunzip(std::string_view packed, size_t most_bytes);

}  // namespace telltale
