// SPDX-License-Identifier: Apache-2.0
// The list, the states of a profile, and how they change.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/event_stream.h"
#include "server/test_api.h"
#include "views/profile_json.h"

namespace telltale {
namespace {

using simdjson::dom::element;
using testing::Contains;
using testing::ElementsAre;
using testing::StartsWith;

TEST_F(ApiTest, ListsProfiles) {
  folder_.Write("resnet/worker0.1700000000000.pt.trace.json", SmallTrace());
  Start();
  Json list = Good("/profiles");
  EXPECT_EQ(list.Text("/title"), "Test <b>");
  EXPECT_EQ(list.Text("/version"), kVersion);
  EXPECT_EQ(list.Size("/profiles"), 1U);
  EXPECT_EQ(list.Text("/profiles/0/name"), "runs/resnet/worker0");
  EXPECT_EQ(list.Text("/profiles/0/folder"), "runs/resnet");
  EXPECT_EQ(list.Text("/profiles/0/kind"), "trace");
  EXPECT_EQ(list.Text("/profiles/0/state"), "found");
  EXPECT_TRUE(list.At("/profiles/0/error").is_null());
  const std::string id = Load("worker0");
  list = Good("/profiles/" + id);
  EXPECT_EQ(list.Text("/state"), "ready");
  EXPECT_EQ(list.Int("/events"), 15);
  const auto texts = [&](std::string_view key) {
    std::vector<std::string> all;
    for (const element text : simdjson::dom::array(list.At(key))) {
      all.emplace_back(std::string_view(text));
    }
    return all;
  };
  const std::vector<std::string> views = texts("/views");
  EXPECT_THAT(texts("/captured"), ElementsAre("operators", "device_events", "steps", "shapes"));
  EXPECT_THAT(views, Contains("overview"));
  EXPECT_THAT(views, Contains("critical_path"));
  EXPECT_THAT(Wrong("/profiles/none"), StartsWith("404 "));
}

TEST_F(ApiTest, SaysWhatIsNotReady) {
  folder_.Write("a.json", SmallTrace());
  folder_.Write("bad.1.pt.trace.json", "not a trace");
  Start();
  const HttpResponse waiting = Get("/profiles/" + Id("/a") + "/report?view=overview");
  EXPECT_EQ(waiting.status, 202U);
  EXPECT_THAT(waiting.headers, Contains(std::pair<std::string, std::string>("Retry-After", "1")));
  const Json progress(*waiting.body);
  EXPECT_EQ(progress.Text("/error/code"), "loading");
  EXPECT_EQ(progress.Text("/profile/state"), "loading");
  EXPECT_TRUE(profiles_->residency.LoadNext());
  EXPECT_EQ(Get("/profiles/" + Id("/a") + "/report?view=overview").status, 200U);
  Load("bad");
  EXPECT_THAT(Wrong("/profiles/" + Id("bad") + "/report"), StartsWith("422 "));
  EXPECT_THAT(Wrong("/profiles/none/report"), StartsWith("404 "));
}

TEST_F(ApiTest, SaysThatItIsStillLooking) {
  Make();
  EXPECT_THAT(Wrong("/profiles/k3f9a2c0/report"), StartsWith("202 it is not found yet"));
  profiles_->Look();
  EXPECT_THAT(Wrong("/profiles/k3f9a2c0/report"), StartsWith("404 "));
}

TEST_F(ApiTest, ListsOfManyProfilesAreBounded) {
  constexpr int kMany = 10'000;
  for (int i = 0; i < kMany; ++i) folder_.Write(std::to_string(i) + ".folded", "main;work 5\n");
  Start();
  const HttpResponse usual = Get("/profiles");
  EXPECT_LT(usual.body->size(), size_t{1} << 20U);
  EXPECT_EQ(Json(*usual.body).Int("/total"), kMany);
  EXPECT_EQ(Json(*usual.body).Size("/profiles"), 1000U);
  const Json last = Good("/profiles?offset=9995&limit=100");
  EXPECT_EQ(last.Size("/profiles"), 5U);
  EXPECT_EQ(last.Int("/offset"), 9995);
  EXPECT_EQ(Good("/profiles?limit=1000000").Size("/profiles"), 10'000U);
  EXPECT_EQ(Get("/profiles?limit=0").status, 400U);
  EXPECT_EQ(Get("/profiles?page=2").status, 400U);

  // An event has what changed alone.
  EventStream events;
  ListTeller teller(events);
  const auto tell = [&] {
    teller.Tell(profiles_->catalogue, profiles_->residency, {});
    return *events.Since(0).messages.back();
  };
  EXPECT_THAT(tell(), testing::HasSubstr("\"since\":null"));
  folder_.Remove("77.folded");
  profiles_->Look();
  const std::string gone = tell();
  EXPECT_THAT(gone, testing::HasSubstr("\"total\":9999"));
  EXPECT_LT(gone.size(), 2000U);
}

}  // namespace
}  // namespace telltale
