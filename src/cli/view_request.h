// SPDX-License-Identifier: Apache-2.0
// What `telltale view` was asked for: the table of its options, and a request that is checked as
// far as it can be before anything is read or listened to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/options.h"

namespace telltale {

constexpr uint16_t kViewPort = 6006;

// What is opened: a file or a folder, and the name it is shown by.
struct ViewPath {
  std::string name;  // empty: the path says it
  std::string path;
  bool awaited = false;  // a log folder, which may be made later
};

struct ViewRequest {
  std::vector<ViewPath> paths;
  std::string host;  // empty: every address
  uint16_t port = kViewPort;
  bool port_named = false;  // by the user: then it is that one or none
  std::string path_prefix;  // normalised, see server/url.h
  std::string window_title;
  std::string certificate_file;
  std::string key_file;
  std::string token;       // empty: one is made
  std::string token_file;  // where it came from, if that is a file
  bool no_token = false;
  std::string access_log;  // empty: none
  std::vector<std::string> allowed_hosts;
  uint64_t memory_budget_bytes = 0;  // unless given, half of what this process may have
  unsigned threads = 0;
  bool open = false;
  bool quiet = false;
  bool follows = true;  // looks at the folders again and again
  bool purges = true;   // TensorBoard's API leaves out what a writer declared void
  // What is to say about options of TensorBoard that mean nothing here.
  std::vector<std::string> remarks;
};

[[nodiscard]] CommandSpec ViewCommandSpec();
[[nodiscard]] Result<ViewRequest> MakeViewRequest(const Arguments& arguments);

// "a:path,b:path", as TensorBoard has it; a part without a name is a path.
[[nodiscard]] Result<std::vector<ViewPath>> ParseLogdirSpec(std::string_view text);
// "4G", "1.5GiB", "512M", "800000000": powers of 1024.
[[nodiscard]] std::optional<uint64_t> ParseSize(std::string_view text);

}  // namespace telltale
