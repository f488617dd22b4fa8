// SPDX-License-Identifier: Apache-2.0
// What killed collectors left is brought in before runs are looked at (collect/leftovers.h), and
// said on standard error.
#pragma once

#include <span>
#include <string>
#include <thread>
#include <vector>

#include "runs/root.h"

namespace telltale {

void BringInAndSay(std::span<const std::string> folders);
void BringInAndSay(std::span<const Root> roots);

// The same now and every few seconds, for who looks at the runs for long.
class LeftoverWatch {
 public:
  explicit LeftoverWatch(std::span<const Root> roots);

 private:
  std::jthread thread_;
};

}  // namespace telltale
