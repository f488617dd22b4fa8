// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(RunOnThreads, CallsEachNumberAtMostOnce) {
  std::vector<std::atomic<int>> calls(8);
  RunOnThreads(8, [&](unsigned i) { ++calls[i]; });
  EXPECT_EQ(calls[0], 1);
  for (const std::atomic<int>& count : calls) EXPECT_LE(count, 1);
}

TEST(RunOnThreads, UsesThisThreadAloneForOne) {
  std::thread::id id;
  RunOnThreads(1, [&](unsigned) { id = std::this_thread::get_id(); });
  EXPECT_EQ(id, std::this_thread::get_id());
}

TEST(RunOnThreads, GivesOutWhatAnyThreadThrewAfterAllHaveEnded) {
  for (unsigned thrower = 0; thrower < 4; ++thrower) {
    std::atomic<unsigned> ended = 0;
    EXPECT_THROW(RunOnThreads(4,
                              [&](unsigned i) {
                                ++ended;
                                if (i == thrower) throw std::bad_alloc();
                              }),
                 std::bad_alloc)
        << thrower;
    EXPECT_EQ(ended, 4U);
  }
}

TEST(RunOnThreads, GivesOutOneOfSeveralExceptions) {
  EXPECT_THROW(RunOnThreads(4, [](unsigned) { throw std::runtime_error("each"); }),
               std::runtime_error);
}

TEST(ForEachOnThreads, DoesEverythingOnceWhateverTheThreads) {
  for (const unsigned threads : {1U, 2U, 7U}) {
    std::vector<std::atomic<int>> done(100);
    ForEachOnThreads(threads, done.size(), [&](size_t i) { ++done[i]; });
    for (const std::atomic<int>& count : done) EXPECT_EQ(count, 1);
  }
  ForEachOnThreads(4, 0, [](size_t) { FAIL(); });
}

TEST(CanHaveThreads, SaysSo) {
  EXPECT_TRUE(CanHaveThreads(0));
  EXPECT_TRUE(CanHaveThreads(5));
}

TEST(ForEachOnThreads, DoesEverythingWithoutFurtherThreadsIfNoneCanBeHad) {
  // In a process of its own: a limit on threads cannot be taken back, and root has none.
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    const struct rlimit none = {0, 0};
    if (::setrlimit(RLIMIT_NPROC, &none) != 0) ::_exit(2);
    std::atomic<int> sum = 0;
    ForEachOnThreads(8, 10, [&](size_t i) { sum += static_cast<int>(i); });
    ::_exit(sum == 45 && !CanHaveThreads(1) ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

}  // namespace
}  // namespace telltale
