// SPDX-License-Identifier: Apache-2.0
#include "base/cancel.h"

#include <gtest/gtest.h>

#include <atomic>

#include "base/parallel.h"

namespace telltale {
namespace {

class Flag : public CancelToken {
 public:
  [[nodiscard]] bool canceled() const override { return set; }
  std::atomic<bool> set = false;
};

TEST(StopIfCanceled, DoesNothingOutsideOfAScope) {
  StopIfCanceled();
  const CancelScope wanted(nullptr);
  StopIfCanceled();
}

TEST(StopIfCanceled, EndsWhatIsBelowTheScopeAlone) {
  Flag flag;
  {
    const CancelScope scope(&flag);
    StopIfCanceled();
    flag.set = true;
    EXPECT_THROW(StopIfCanceled(), Canceled);
    const CancelScope inner(nullptr);
    StopIfCanceled();
  }
  StopIfCanceled();
}

TEST(CancelCheck, LooksNowAndThen) {
  Flag flag;
  flag.set = true;
  const CancelScope scope(&flag);
  CancelCheck check;
  check.Tick();
  const auto loop = [&] {
    for (int i = 0; i < 100'000; ++i) check.Tick();
  };
  EXPECT_THROW(loop(), Canceled);
}

TEST(Canceled, ComesOutOfAllThreadsAndEndsWhatIsLeft) {
  Flag flag;
  const CancelScope scope(&flag);
  std::atomic<int> begun = 0;
  EXPECT_THROW(ForEachOnThreads(4, 1000,
                                [&](size_t) {
                                  if (++begun == 10) flag.set = true;
                                }),
               Canceled);
  EXPECT_LT(begun, 1000);
}

TEST(Canceled, IsSeenOnEveryThread) {
  Flag flag;
  flag.set = true;
  const CancelScope scope(&flag);
  std::atomic<int> seen = 0;
  RunOnThreads(3, [&](unsigned) {
    if (CancelScope::current() == &flag) ++seen;
  });
  EXPECT_EQ(seen, 3);
}

}  // namespace
}  // namespace telltale
