// SPDX-License-Identifier: Apache-2.0
// Lets allocations fail: the program that this is linked into gets its memory (operator new of any
// thread, and SQLite's) from a place that counts, and refuses where it is told to.
#pragma once

#include <cstdint>

namespace telltale {

// As long as it lives allocations are counted, from 1 on, and `which` fails; with `all_after`, all
// that follow do, too. One at a time.
class FailingNew {
 public:
  FailingNew(uint64_t which, bool all_after);
  FailingNew(const FailingNew&) = delete;
  FailingNew& operator=(const FailingNew&) = delete;
  ~FailingNew();

  // Whether it came to that.
  [[nodiscard]] bool failed() const;
};

// Before SQLite is used for the first time.
void CountSqliteAllocations();

}  // namespace telltale
