// SPDX-License-Identifier: Apache-2.0
// The target of a request line, taken apart and decoded. Whatever could mean one thing here and
// another to a file system or a cache is refused: escapes that are none, NUL and other control
// characters, backslashes, encoded slashes, "." and ".." segments, empty segments, overlong UTF-8.
// Browsers resolve "..", so nobody who means well sends one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

namespace telltale {

// More than any link of ours, less than what makes a log unreadable.
constexpr size_t kLongestTarget = 8192;
constexpr size_t kMostParameters = 256;

enum class TargetProblem : uint8_t {
  kTooLong,  // 414
  kWrong,    // 400
};

struct Target {
  std::string authority;  // of an absolute target (http://host:port/path); empty for the usual form
  std::string raw_path;   // as sent
  std::string raw_query;  // as sent, without the question mark
  std::string path;       // decoded; begins with a slash
  std::vector<std::pair<std::string, std::string>> query;  // decoded; + is a space
};

[[nodiscard]] tl::expected<Target, TargetProblem> ParseTarget(std::string_view target);

// Escapes decoded; nullopt for a bad escape, NUL, or what is not UTF-8 then.
[[nodiscard]] std::optional<std::string> PercentDecode(std::string_view text, bool plus_is_space);

// "train/run 1" in a form that a path or a query may hold; a slash stays.
[[nodiscard]] std::string PercentEncode(std::string_view text);

// What a user gives as --path_prefix as this program uses it: "/a/b", or empty for none. nullopt if
// it cannot be part of a path.
[[nodiscard]] std::optional<std::string> NormalizePrefix(std::string_view prefix);

// The decoded `path` below `prefix` (normalised): "/x". Empty if it is the prefix itself without a
// slash behind it; nullopt if it is not below.
[[nodiscard]] std::optional<std::string_view> BelowPrefix(std::string_view path,
                                                          std::string_view prefix);

// The query as sent, without the parameters of that (decoded) name.
[[nodiscard]] std::string WithoutParameter(std::string_view raw_query, std::string_view name);

// host[:port], [v6]:port. The name is in lower case, without brackets and without the dot that may
// end it; nullopt if it is none.
struct Authority {
  std::string host;
  std::optional<uint16_t> port;
  bool is_v6 = false;  // was in brackets
};
[[nodiscard]] std::optional<Authority> ParseAuthority(std::string_view text);

}  // namespace telltale
