// SPDX-License-Identifier: Apache-2.0
// The tests of this folder. They pass if none of them ends the program: what throws where nobody
// catches does.
#include <gtest/gtest.h>

#include "failing_new.h"

int main(int argc, char** argv) {
  telltale::CountSqliteAllocations();
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
