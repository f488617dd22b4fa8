// SPDX-License-Identifier: Apache-2.0
// Columns of event files from an earlier start, so that a second one does not read them again. One
// file for each event file, in the folder of the sidecar; each says which version of which file it
// is of (device, inode, size, time, and a fingerprint of its bytes) and has a checksum: one that is
// stale or damaged is as good as none. Any number of threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_stamp.h"
#include "formats/tfevents/reader.h"
#include "model/series.h"

namespace telltale {

class ColumnCache {
 public:
  // Below this a file is read as fast as its cache would be.
  static constexpr uint64_t kLeastBytes = uint64_t{256} << 10;

  // `folder`: made when something is put.
  explicit ColumnCache(std::string folder) : folder_(std::move(folder)) {}

  struct Kept {
    SeriesSet series;
    uint64_t position = 0;
    FileStamp stamp;
    uint64_t fingerprint = 0;
  };
  // Of the file at that real path, whatever version of it.
  [[nodiscard]] std::optional<Kept> Get(const std::string& real) const;
  // Says nothing where it cannot be written: it is only a cache.
  void Put(const std::string& real, const SeriesSet& series, uint64_t position,
           const FileStamp& stamp, uint64_t fingerprint) const;

 private:
  [[nodiscard]] std::string PathOf(const std::string& real) const;
  std::string folder_;
};

}  // namespace telltale
