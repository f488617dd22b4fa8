// SPDX-License-Identifier: Apache-2.0
// How this process is called in lists of processes.
#pragma once

#include <string>
#include <string_view>

namespace telltale {

class ProcessTitle {
 public:
  ProcessTitle();
  // Both the short name and the command line; as much of it as there is room for.
  void Set(std::string_view title);
  // As it was, in this process or in one that it forked.
  void Restore();

 private:
  char* words_ = nullptr;  // where the system reads the command line; nullptr: that is not known
  std::string words_before_;
  std::string name_before_;
};

}  // namespace telltale
