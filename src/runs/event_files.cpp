// SPDX-License-Identifier: Apache-2.0
#include "runs/event_files.h"

#include <algorithm>
#include <deque>
#include <filesystem>
#include <set>
#include <system_error>

#include "formats/tfevents/reader.h"
#include "io/folder_entries.h"

namespace telltale {

namespace fs = std::filesystem;

EventFiles FindEventFiles(const std::string& folder) {
  constexpr size_t kMostEntries = 5'000'000;
  EventFiles found;
  std::deque<fs::path> folders = {folder};
  std::set<std::string> visited;
  size_t entries = 0;
  while (!folders.empty()) {
    const fs::path next = std::move(folders.front());
    folders.pop_front();
    std::error_code error;
    const fs::path real = fs::canonical(next, error);
    if (error || !visited.insert(real.string()).second) continue;
    FolderEntries entry(next, error);
    if (error) found.closed.push_back(next.string() + ": " + error.message());
    while (!error && entry.Next(error)) {
      if (++entries > kMostEntries) {
        found.cut = true;
        folders.clear();
        break;
      }
      if (entry.is_folder()) {
        folders.push_back(entry.path());
      } else if (IsEventFileName(entry.name()) && entry.is_regular_file()) {
        found.paths.push_back(entry.path().string());
      }
    }
  }
  std::ranges::sort(found.paths, {}, [](const std::string& path) { return fs::path(path); });
  return found;
}

}  // namespace telltale
