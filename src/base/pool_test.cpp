// SPDX-License-Identifier: Apache-2.0
#include "base/pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <set>
#include <thread>
#include <vector>

namespace telltale {
namespace {

TEST(Pool, UsesTheSameThreadsAgain) {
  Pool pool;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  for (int round = 0; round < 50; ++round) {
    pool.Run(3, [&](unsigned) {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    });
  }
  EXPECT_LE(threads.size(), 3U);
}

TEST(Pool, WorkInsideWorkNeverUsesMoreThreadsThanTheOutermost) {
  Pool pool;
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  std::atomic<int> leaves = 0;
  const auto leaf = [&](unsigned) {
    const int now = ++running;
    for (int before = most; now > before && !most.compare_exchange_weak(before, now);) {
    }
    ++leaves;
    std::this_thread::yield();
    --running;
  };
  for (int round = 0; round < 200; ++round) {
    pool.Run(3, [&](unsigned) { pool.Run(3, [&](unsigned) { pool.Run(2, leaf); }); });
  }
  EXPECT_LE(most, 3);
  EXPECT_GE(leaves, 200);
}

TEST(Pool, ManyCallersShareIt) {
  Pool pool;
  std::atomic<int> sum = 0;
  std::vector<std::thread> callers;
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int round = 0; round < 100; ++round) {
        std::atomic<int> next = 0;
        pool.Run(3, [&](unsigned) {
          while (next++ < 10) ++sum;
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 4 * 100 * 10);
}

TEST(Pool, WhatIsThrownInsideInsideComesOut) {
  Pool pool;
  EXPECT_THROW(
      pool.Run(2, [&](unsigned) { pool.Run(2, [](unsigned) { throw std::bad_alloc(); }); }),
      std::bad_alloc);
  std::atomic<int> calls = 0;
  pool.Run(2, [&](unsigned) { ++calls; });
  EXPECT_EQ(calls, 2);
}

}  // namespace
}  // namespace telltale
