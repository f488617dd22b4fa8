// SPDX-License-Identifier: Apache-2.0
#include "server/under_way.h"

#include <gtest/gtest.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "base/cancel.h"

namespace telltale {
namespace {

using Flag = std::shared_ptr<std::atomic<bool>>;
Flag Client() { return std::make_shared<std::atomic<bool>>(false); }

HttpResponse Status(unsigned status) {
  HttpResponse response;
  response.status = status;
  return response;
}

TEST(UnderWay, MakesAnAnswerOnceForAllWhoAskMeanwhile) {
  constexpr size_t kClients = 8;
  UnderWay under_way;
  std::atomic<int> builds = 0;
  std::atomic<size_t> answers = 0;
  std::vector<std::thread> clients;
  for (size_t i = 0; i < kClients; ++i) {
    clients.emplace_back([&] {
      const HttpResponse response = under_way.Join("report", Client(), [&] {
        ++builds;
        while (under_way.Waiting("report") < kClients) std::this_thread::yield();
        return Status(200);
      });
      if (response.status == 200) ++answers;
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(builds, 1);
  EXPECT_EQ(answers, kClients);
  EXPECT_EQ(under_way.Waiting("report"), 0u);
}

TEST(UnderWay, KeepsDifferentAnswersApartAndMakesThemAgainLater) {
  UnderWay under_way;
  int builds = 0;
  const auto make = [&] { return Status(200 + static_cast<unsigned>(builds++)); };
  EXPECT_EQ(under_way.Join("a", nullptr, make).status, 200u);
  EXPECT_EQ(under_way.Join("b", nullptr, make).status, 201u);
  EXPECT_EQ(under_way.Join("a", nullptr, make).status, 202u);
}

TEST(UnderWay, EndsTheWorkWhenEverybodyHasLeft) {
  UnderWay under_way;
  const Flag first = Client();
  const Flag second = Client();
  std::atomic<bool> second_left = false;
  std::thread other;
  EXPECT_THROW(static_cast<void>(under_way.Join("report", first,
                                                [&] {
                                                  other = std::thread([&] {
                                                    EXPECT_THROW(static_cast<void>(under_way.Join(
                                                                     "report", second,
                                                                     [] { return Status(500); })),
                                                                 Canceled);
                                                    second_left = true;
                                                  });
                                                  while (under_way.Waiting("report") < 2) {
                                                    std::this_thread::yield();
                                                  }
                                                  *first = true;
                                                  StopIfCanceled();  // the second still waits
                                                  *second = true;
                                                  StopIfCanceled();
                                                  return Status(200);
                                                })),
               Canceled);
  other.join();
  EXPECT_TRUE(second_left);
}

TEST(UnderWay, WhoComesAfterItWasGivenUpBeginsAgain) {
  UnderWay under_way;
  const Flag first = Client();
  std::thread other;
  std::atomic<unsigned> answer = 0;
  EXPECT_THROW(static_cast<void>(under_way.Join(
                   "report", first,
                   [&]() -> HttpResponse {
                     other = std::thread([&] {
                       answer =
                           under_way.Join("report", Client(), [] { return Status(200); }).status;
                     });
                     while (under_way.Waiting("report") < 2) {
                       std::this_thread::yield();
                     }
                     throw Canceled();
                   })),
               Canceled);
  other.join();
  EXPECT_EQ(answer, 200u);
}

TEST(UnderWay, GivesEverybodyTheSameProblem) {
  UnderWay under_way;
  std::atomic<int> problems = 0;
  std::vector<std::thread> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&] {
      try {
        static_cast<void>(under_way.Join("report", nullptr, [&]() -> HttpResponse {
          while (under_way.Waiting("report") < 3) std::this_thread::yield();
          throw std::bad_alloc();
        }));
      } catch (const std::bad_alloc&) {
        ++problems;
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(problems, 3);
}

}  // namespace
}  // namespace telltale
