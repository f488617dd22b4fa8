// SPDX-License-Identifier: Apache-2.0
// Tells one version of a file from another.
#pragma once

#include <cstdint>

namespace telltale {

struct FileStamp {
  uint64_t bytes = 0;
  int64_t modified_ns = 0;  // since 1970
  uint64_t inode = 0;       // 0: of no file
  uint64_t device = 0;
  friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

}  // namespace telltale
