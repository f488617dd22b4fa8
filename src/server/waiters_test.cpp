// SPDX-License-Identifier: Apache-2.0
#include "server/waiters.h"

#include <optional>

#include <gtest/gtest.h>

namespace telltale {
namespace {

class Flag : public CancelToken {
 public:
  [[nodiscard]] bool canceled() const override { return set; }
  bool set = false;
};

TEST(Waiters, WorkIsWantedUntilTheLastOneLeaves) {
  Waiters waiters;
  Flag first;
  Flag second;
  const CancelScope begun(&first);
  const Waiters::Waiting one(waiters);
  std::optional<CancelScope> joined(&second);
  std::optional<Waiters::Waiting> other(waiters);
  EXPECT_FALSE(waiters.canceled());
  first.set = true;
  EXPECT_FALSE(waiters.canceled()) << "the second waits";
  second.set = true;
  EXPECT_TRUE(waiters.canceled());
  second.set = false;
  other.reset();
  EXPECT_TRUE(waiters.canceled()) << "the second has what it wanted";
}

TEST(Waiters, WhoCannotLeaveWantsItInAnyCase) {
  Waiters waiters;
  Flag flag;
  flag.set = true;
  const CancelScope begun(&flag);
  const Waiters::Waiting one(waiters);
  EXPECT_TRUE(waiters.canceled());
  const CancelScope wanted(nullptr);
  const Waiters::Waiting two(waiters);
  EXPECT_FALSE(waiters.canceled());
}

}  // namespace
}  // namespace telltale
