// SPDX-License-Identifier: Apache-2.0
// Runs a piece of work again and again, each time with another allocation failing, until it gets
// through without.
#pragma once

#include <cstdint>
#include <functional>

#include "failing_new.h"

namespace telltale {

// The first ones in turn, then ever more of them at a time: the same ones in every run.
[[nodiscard]] inline uint64_t NextToFail(uint64_t which) {
  constexpr uint64_t kInTurn = 500;
  return which < kInTurn ? which + 1 : which + which / 40;
}

// `check(failed, which)` judges what `work()` left, with all memory there is; `failed`: whether one
// did.
template <typename Work, typename Check>
void FailEach(Work work, Check check) {
  for (const bool all_after : {false, true}) {
    for (uint64_t which = 1;; which = NextToFail(which)) {
      bool failed = false;
      {
        const FailingNew failing(which, all_after);
        work();
        failed = failing.failed();
      }
      check(failed, which);
      if (!failed) break;
    }
  }
}

}  // namespace telltale
