// SPDX-License-Identifier: Apache-2.0
#include "sample/process_tree.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "io/folder_entries.h"
#include "monitor/text_cursor.h"

namespace telltale {

ProcessTree::ProcessTree(int root, std::string proc_root)
    : root_(root),
      proc_root_(std::move(proc_root)),
      load_(proc_root_ + "/loadavg"),
      members_({root}) {}

bool ProcessTree::IsMember(int pid) const {
  return std::ranges::find(members_, pid) != members_.end();
}

// pid (command) state parent group session …; the command is whatever the process says.
bool ProcessTree::ReadStat(Candidate& candidate) {
  KeptFile file(fmt::format("{}/{}/stat", proc_root_, candidate.pid));
  std::string_view text;
  if (!file.Read(buffer_, text)) return false;
  const size_t bracket = text.rfind(')');
  if (bracket == std::string_view::npos) return false;
  TextCursor cursor(text.substr(bracket + 1));
  cursor.SkipWords(1);
  candidate.parent = static_cast<int>(cursor.Number());
  candidate.group = static_cast<int>(cursor.Number());
  candidate.session = static_cast<int>(cursor.Number());
  return true;
}

void ProcessTree::Update() {
  std::string_view text;
  if (load_.Read(buffer_, text)) {
    const std::string_view word = text.substr(text.find_last_of(' ') + 1);
    if (word == latest_) return;
    latest_ = word;
  }
  std::error_code error;
  FolderEntries entries(proc_root_, error);
  std::vector<int> listing;
  while (!error && entries.Next(error)) {
    const std::string_view name = entries.name();
    int pid = 0;
    const auto [end, problem] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (problem == std::errc() && end == name.data() + name.size()) listing.push_back(pid);
  }
  if (error) return;
  std::ranges::sort(listing);
  std::erase_if(members_,
                [&](int pid) { return pid != root_ && !std::ranges::binary_search(listing, pid); });
  std::vector<Candidate> candidates;
  for (const int pid : listing) {
    if (std::ranges::binary_search(listed_, pid) || IsMember(pid)) continue;
    Candidate candidate{.pid = pid};
    if (ReadStat(candidate)) candidates.push_back(candidate);
  }
  // A child may have a smaller number than its parent, where numbers began again.
  for (bool found = true; found;) {
    found = false;
    std::erase_if(candidates, [&](const Candidate& candidate) {
      if (candidate.group != root_ && candidate.session != root_ && !IsMember(candidate.parent)) {
        return false;
      }
      members_.push_back(candidate.pid);
      found = true;
      return true;
    });
  }
  std::sort(members_.begin() + 1, members_.end());
  listed_ = std::move(listing);
}

}  // namespace telltale
