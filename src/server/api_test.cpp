// SPDX-License-Identifier: Apache-2.0
// What holds for all routes: what is refused, what is kept, how large an answer is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "server/largest_answer.h"
#include "server/test_api.h"

namespace telltale {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(ApiTest, RefusesWhatMakesNoSense) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("f.prof", std::string("{0", 2));
  Start();
  const std::string report = "/profiles/" + Load("/a") + "/report";
  EXPECT_THAT(Wrong(report + "?view=nothing"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?width=80"), HasSubstr("there is no parameter 'width'"));
  EXPECT_THAT(Wrong(report + "?json"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?threads=9"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?like=torch"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?viev=steps"), HasSubstr("view"));
  EXPECT_THAT(Wrong(report + "?steps=9..12"), HasSubstr("matches no step"));
  EXPECT_THAT(Wrong(report + "?inside=nowhere"), HasSubstr("matches no range"));
  EXPECT_THAT(Wrong(report + "?rank=3"), HasSubstr("rank 3"));
  EXPECT_THAT(Wrong(report + "?inside=["), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?offset=-1"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + "?=x"), StartsWith("400 "));
  EXPECT_THAT(Wrong(report + ".csv?view=overview"), StartsWith("400 "));
  EXPECT_THAT(Wrong("/nothing"), StartsWith("404 "));
  EXPECT_THAT(Wrong("/profiles//report"), StartsWith("404 "));
  const HttpResponse method = Get("/profiles", "DELETE");
  EXPECT_EQ(method.status, 405U);
  EXPECT_THAT(method.headers, Contains(std::pair<std::string, std::string>("Allow", "GET, HEAD")));
}

TEST_F(ApiTest, KeepsAnswersWhateverTheOrderOfParameters) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string report = "/profiles/" + Load("/a") + "/report";
  const HttpResponse first = Get(report + "?view=operators&limit=2");
  const HttpResponse second = Get(report + "?limit=2&view=operators");
  EXPECT_EQ(first.body, second.body) << "the same object, not a copy";
}

TEST_F(ApiTest, TagsAnswersThatItKeeps) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string report = "/profiles/" + Load("/a") + "/report?view=overview";
  const HttpResponse first = Get(report);
  std::string tag;
  for (const auto& [name, value] : first.headers) {
    if (name == "ETag") tag = value;
  }
  ASSERT_FALSE(tag.empty());
  EXPECT_THAT(Get(report).headers, Contains(std::pair<std::string, std::string>("ETag", tag)));
  EXPECT_EQ(*Get(report, "HEAD").body, *first.body) << "the protocol leaves it out";
}

TEST_F(ApiTest, AReportEndsWhenItsClientLeavesAndIsMadeForTheNext) {
  folder_.Write("a.json", SmallTrace(1));
  Start();
  HttpRequest request = RequestFor("/profiles/" + Load("/a") + "/report?view=critical_path");
  request.abandoned = std::make_shared<const std::atomic<bool>>(true);
  const HttpResponse left = handler_(request);
  EXPECT_EQ(left.status, 503U);
  EXPECT_EQ(Json(*left.body).Text("/error/code"), "canceled");
  request.abandoned = std::make_shared<const std::atomic<bool>>(false);
  EXPECT_EQ(handler_(request).status, 200U);
}

TEST_F(ApiTest, NoAnswerToAPageIsLargerThanAMegabyte) {
  std::string stacks;
  for (int i = 0; i < 30'000; ++i) {
    stacks += "main;a_function_with_a_rather_long_name_" + std::to_string(i) + " 5\n";
  }
  folder_.Write("many.folded", stacks);
  Start();
  const std::string profile = "/profiles/" + Load("many.folded");
  for (const std::string_view path :
       {"/report?view=functions", "/report?view=functions&limit=29000", "/report?view=overview",
        "/calltree?nodes=20000&min_share=0", "/functions/30000?nodes=20000&min_share=0"}) {
    const HttpResponse response = Get(profile + std::string(path));
    EXPECT_EQ(response.status, 200U);
    EXPECT_LE(response.body->size(), kLargestAnswer) << path;
    if (path.starts_with("/report")) {
      EXPECT_EQ(Json(*response.body).Int("/rows_total/functions"), 30'001);
    }
  }
  EXPECT_EQ(Good(profile + "/report?view=functions&limit=0").Size("/functions/rows"), 30'001U);
  const Json page = Good(profile + "/report?view=functions&limit=10&offset=30000");
  EXPECT_EQ(page.Size("/functions/rows"), 1U);
}

TEST_F(ApiTest, NoExpressionHoldsItUp) {
  std::string trace = SmallTrace(1);
  const std::string name = "aten::mm";
  trace.replace(trace.find(name), name.size(), std::string(100'000, 'x'));
  folder_.Write("a.json", trace);
  Start();
  const std::string profile = "/profiles/" + Load("/a");
  // Backtracking would take longer than anybody lives, and a stack as deep as the name is long.
  for (const std::string_view path :
       {"/report?view=operators&inside=(x+x+)+y", "/report?view=operators&inside=(x*)*(x*)*z",
        "/report?view=steps&step-annotation=(x+x+)+y", "/calltree?inside=(x+x+)+y",
        "/report?view=functions&restrict=(x+x+)+y"}) {
    EXPECT_NE(Get(profile + std::string(path)).status, 500U) << path;
  }
  EXPECT_EQ(Good(profile + "/report?view=operators&inside=x*x").Size("/operators"), 1U);
}

// Many ask while files are replaced and deleted, profiles are loaded and dropped again.
TEST_F(ApiTest, AnswersManyAtOnceWhileFilesChange) {
  folder_.Write("a.json", SmallTrace(2));
  folder_.Write("b.json", SmallTrace(3));
  ResidencyOptions held;
  held.memory_budget_bytes = 1;  // whatever nobody holds goes
  Start(std::move(held));
  const std::vector<std::string> ids = {Id("/a"), Id("/b")};
  std::atomic<bool> done = false;
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  threads.emplace_back([&] {
    while (!done) {
      if (!profiles_->residency.LoadNext()) std::this_thread::yield();
    }
  });
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      const std::vector<std::string> paths = {
          "/report?view=overview", "/report?view=idle", "/report?view=operators&steps=1..2",
          "/calls?kernel=gemm",    "/calltree",         "/timeline"};
      for (int i = 0; i < 60 || answered == 0; ++i) {
        const std::string& id = ids[static_cast<size_t>(i + t) % 2];
        const HttpResponse response =
            Get("/profiles/" + id + paths[static_cast<size_t>(i) % paths.size()]);
        EXPECT_THAT(response.status, testing::AnyOf(200U, 404U, 202U, 422U)) << *response.body;
        if (response.status == 200) ++answered;
        static_cast<void>(Get("/profiles"));
      }
    });
  }
  for (int i = 0; i < 20; ++i) {
    folder_.Replace("a.json", SmallTrace(2 + i % 3));
    profiles_->Look();
    if (i % 5 == 4) folder_.Remove("b.json");
    profiles_->Look();
    folder_.Write("b.json", SmallTrace(3));
    profiles_->Look();
  }
  for (size_t t = 1; t < threads.size(); ++t) threads[t].join();
  done = true;
  threads[0].join();
  EXPECT_GT(answered, 0);
}

TEST_F(ApiTest, NoMessageNamesAnOption) {
  folder_.Write("a.json", SmallTrace());
  Start();
  const std::string id = Load("/a");
  const std::string report = "/profiles/" + id + "/report?";
  const std::string diff = "/diff?before=" + id + "&after=" + id + "&";
  for (const std::string& target :
       {report + "viewx=operators", report + "view=operator", report + "limit=-2",
        report + "limit=many", report + "tree=maybe", report + "steps=77",
        report + "inside=nowhere", report + "steps=1&step-annotation=nothing",
        report + "view=operators&sort=nonsense", diff + "on=kernels", diff + "fail-above=much",
        diff + "steps=1&step-annotation=nothing", diff + "fail_above=5&on=functions",
        "/profiles/" + id + "/timeline/spans?start=5&end=1",
        "/profiles/" + id + "/timeline/spans?start=5", "/profiles/" + id + "/timeline?start=5"}) {
    const std::string message = Wrong(target);
    EXPECT_THAT(message, StartsWith("400 ")) << target;
    EXPECT_EQ(message.find("--"), std::string::npos) << target << ": " << message;
  }
  EXPECT_THAT(Wrong(report + "viewx=operators"), HasSubstr("there is no parameter 'viewx'; did you "
                                                           "mean 'view'?"));
  EXPECT_EQ(Wrong(report + "limit=-2"), "400 limit takes a number from -1 up, not -2");
}

TEST_F(ApiTest, WhateverAsksForAllRowsIsNoShortWork) {
  const auto lane = [](const std::string& name, const std::string& value) {
    return LaneOf(RequestFor("/profiles/x/report?" + name + "=" + value));
  };
  for (const char* all : {"0", "-1", "+0", "00"})
    EXPECT_EQ(lane("limit", all), Lane::kWhole) << all;
  EXPECT_EQ(lane("row_limit", "0"), Lane::kWhole);
  EXPECT_EQ(lane("limit", "1"), Lane::kShort);
  EXPECT_EQ(lane("limit", "nonsense"), Lane::kShort);
}

}  // namespace
}  // namespace telltale
