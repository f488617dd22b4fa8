// SPDX-License-Identifier: Apache-2.0
// A process and all that it started, kept up to date at next to no cost: /proc is listed only when
// the system has started something since, and only who was not there before is asked for its
// parent. Who was once found stays a member until its end, whoever becomes its parent.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/kept_file.h"

namespace telltale {

class ProcessTree {
 public:
  explicit ProcessTree(int root, std::string proc_root = "/proc");

  void Update();
  // Ascending; the root comes first.
  [[nodiscard]] const std::vector<int>& members() const { return members_; }

 private:
  struct Candidate {
    int pid = 0;
    int parent = 0;
    int group = 0;
    int session = 0;
  };

  [[nodiscard]] bool IsMember(int pid) const;
  [[nodiscard]] bool ReadStat(Candidate& candidate);

  int root_;
  std::string proc_root_;
  KeptFile load_;  // its last word is the number of the latest process
  TextBuffer buffer_;
  std::string latest_;
  std::vector<int> members_;
  std::vector<int> listed_;  // ascending
};

}  // namespace telltale
