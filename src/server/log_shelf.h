// SPDX-License-Identifier: Apache-2.0
// The logs that somebody looks at: their indices, kept while they are asked for, and word of it
// when one of them grows. Any number of threads.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/file_stamp.h"
#include "runs/log_file.h"

namespace telltale {

class LogShelf {
 public:
  static constexpr size_t kMostLogs = 32;  // that are kept
  // Nobody is told of a log that was not asked for so long.
  static constexpr std::chrono::minutes kForgotten{30};
  using Clock = std::chrono::steady_clock;

  // The log of a run: `name` below its folder, `path` on disk.
  [[nodiscard]] std::shared_ptr<LogFile> Get(std::string_view run, std::string_view name,
                                             const std::string& path,
                                             Clock::time_point now = Clock::now());

  // Looks at the logs that are asked for; where one changed, `tell` gets the event's text: all of
  // them with their sizes, so that who missed one knows. Never throws: what cannot be told now is
  // told with the next look.
  void Look(const std::function<void(std::string_view text)>& tell,
            Clock::time_point now = Clock::now());

 private:
  struct Kept {
    std::shared_ptr<LogFile> log;
    Clock::time_point asked;
    std::optional<FileStamp> told;
  };
  using Key = std::pair<std::string, std::string>;  // run, name
  std::mutex mutex_;                                // of what follows
  std::map<Key, Kept> logs_;
};

}  // namespace telltale
