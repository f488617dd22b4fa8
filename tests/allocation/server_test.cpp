// SPDX-License-Identifier: Apache-2.0
// The server's own: a request or a load fails, and the next one finds everything as it should be.
#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runs/test_folder.h"
#include "server/api.h"
#include "server/event_stream.h"
#include "server/response_cache.h"
#include "server/test_profiles.h"
#include "server/test_request.h"
#include "sweep.h"

namespace telltale {
namespace {

// Without how long it took.
std::string BodyOf(const HttpResponse& response) {
  return response.body->substr(0, response.body->find(R"(,"seconds":)"));
}

class Server : public testing::Test {
 protected:
  void Start(std::function<void()> on_change = {}) {
    CatalogueOptions options;
    for (const std::string_view name : {"a.json", "b.json", "c.prof"}) {
      if (std::filesystem::exists(folder_ / name)) {
        options.roots.push_back(*MakeRoot("", folder_ / name));
      }
    }
    options.on_change = std::move(on_change);
    ResidencyOptions held;
    held.threads = 2;
    profiles_ = std::make_unique<TestProfiles>(options, held);
    handler_ = MakeApi(profiles_->catalogue, profiles_->residency, {.title = "Test"});
  }
  std::string Open(std::string_view name) {
    static_cast<void>(profiles_->Load(name));
    return profiles_->IdOf(name);
  }
  // A track of the profile that is a counter.
  std::string CounterOf(const std::string& id) {
    for (int track = 0; track < 100; ++track) {
      std::string number = std::to_string(track);
      const std::string target =
          "/profiles/" + id + "/timeline/counter?start=0&end=1000000&width=100&track=" + number;
      if (handler_(RequestFor(target)).status == 200) return number;
    }
    ADD_FAILURE() << "it has no counter";
    return "";
  }
  void Copy(std::string_view from, std::string_view to) {
    std::filesystem::copy(std::filesystem::path("tests/data") / from, folder_ / to);
  }

  // An answer is the usual one or says that memory lacks; or it throws that, which the server
  // answers with as much.
  void FailEachAllocationOf(const HttpRequest& request) {
    const std::string usual = BodyOf(handler_(request));
    ASSERT_EQ(handler_(request).status, 200U) << request.path << usual;
    HttpResponse response;
    bool threw = false;
    FailEach(
        [&] {
          threw = false;
          try {
            response = handler_(request);
          } catch (const std::bad_alloc&) {
            threw = true;
          }
        },
        [&](bool failed, uint64_t which) {
          if (threw) {
            ASSERT_TRUE(failed);
          } else if (response.status != 200) {
            ASSERT_TRUE(failed);
            ASSERT_EQ(response.status, 503U) << request.path << " at " << which << *response.body;
          } else {
            ASSERT_EQ(BodyOf(response), usual) << request.path << " at " << which;
          }
        });
    ASSERT_EQ(BodyOf(handler_(request)), usual) << request.path;
  }

  TestFolder folder_;
  std::unique_ptr<TestProfiles> profiles_;
  HttpHandler handler_;
};

TEST_F(Server, AnswersOrSaysThatMemoryLacks) {
  Copy("gpu_two_steps.json", "a.json");
  Copy("memory_five_steps.json", "b.json");
  Copy("train.prof", "c.prof");
  Start();
  profiles_->Look();
  const std::string a = Open("a");
  const std::string b = Open("b");
  const std::string profile = "/profiles/" + a;
  const std::string functions = "/profiles/" + Open("c.prof");
  for (const std::string& target : {
           std::string("/profiles"),
           std::string("/schema"),
           profile,
           profile + "/report?view=overview",
           profile + "/report?view=operators&group_by=shape",
           profile + "/report.csv?view=kernels",
           profile + "/calls?operator=aten::mm",
           profile + "/timeline",
           profile + "/timeline/spans?start=0&end=1000000&width=500",
           profile + "/timeline/selection?start=0&end=1000000",
           profile + "/timeline/search?q=aten",
           profile + "/timeline/event?file=0&row=0",
           "/profiles/" + b + "/timeline/counter?track=" + CounterOf(b) +
               "&start=0&end=1000000&width=100",
           functions + "/calltree",
           functions + "/functions/0",
           "/diff?before=" + a + "&after=" + b,
       }) {
    SCOPED_TRACE(target);
    const HttpRequest request = RequestFor(target);
    const HttpResponse probe = handler_(request);
    ASSERT_EQ(probe.status, 200U) << target << *probe.body;
    FailEachAllocationOf(request);
  }
  FailEachAllocationOf(RequestFor(profile + "/query", "POST",
                                  R"({"sql": "SELECT name, count(*) FROM events GROUP BY name"})"));
}

// What is derived from a profile, and what was answered before, is kept with it: asked for by a
// profile that was just opened.
TEST_F(Server, AnswersAfterAFirstRequestThatFailed) {
  Copy("gpu_two_steps.json", "a.json");
  for (const std::string_view target :
       {"/timeline", "/calls?operator=aten::mm", "/report?view=overview"}) {
    std::string usual;
    for (uint64_t which = 1;; which = NextToFail(which)) {
      Start();
      profiles_->Look();
      const HttpRequest request = RequestFor("/profiles/" + Open("a") + std::string(target));
      bool failed = false;
      HttpResponse response;
      {
        const FailingNew failing(which, false);
        response = handler_(request);
        failed = failing.failed();
      }
      ASSERT_TRUE(response.status == 200 || response.status == 503) << *response.body;
      const std::string after = *handler_(request).body;
      if (usual.empty()) usual = after;
      ASSERT_EQ(after, usual) << target << " after a failure at " << which;
      if (!failed) break;
    }
  }
}

TEST_F(Server, LooksAndLoadsAgainAfterAFailure) {
  Copy("gpu_two_steps.json", "a.json");
  folder_.Write("b.json", SmallTrace());
  for (const bool all_after : {false, true}) {
    for (uint64_t which = 1;; which = NextToFail(which)) {
      SCOPED_TRACE(which);
      int told = 0;
      Start([&] {
        const auto takes_memory = std::make_unique<int>(1);
        told += *takes_memory;
      });
      const auto step = [&](auto work) {
        try {
          work();
        } catch (const std::bad_alloc&) {
          return false;
        }
        return true;
      };
      bool failed = false;
      {
        const FailingNew failing(which, all_after);
        static_cast<void>(step([&] { profiles_->Look(); }));
        static_cast<void>(step([&] {
          const std::vector<ProfileStatus> list = profiles_->List();
          if (!list.empty()) static_cast<void>(profiles_->residency.Get(list.front().id));
        }));
        for (bool more = true; more;) {
          more = false;
          static_cast<void>(step([&] { more = profiles_->residency.LoadNext(); }));
        }
        failed = failing.failed();
      }
      // As the threads of the server do a second later.
      profiles_->Look();
      while (profiles_->residency.LoadNext()) {
      }
      EXPECT_GT(told, 0);
      EXPECT_FALSE(profiles_->catalogue.searching());
      const std::vector<ProfileStatus> list = profiles_->List();
      ASSERT_EQ(list.size(), 2U);
      for (const ProfileStatus& status : list) {
        ASSERT_NE(status.state, ProfileState::kLoading) << "nobody will ever load it";
        if (status.state != ProfileState::kFailed) continue;
        ASSERT_TRUE(failed);
        ASSERT_NE(status.error.find("not enough memory"), std::string::npos) << status.error;
      }
      // One that failed for lack of memory is there again as soon as its file is another.
      folder_.Replace("b.json", SmallTrace(4));
      profiles_->Look();
      static_cast<void>(Open("b"));
      ASSERT_EQ(profiles_->List()[1].state, ProfileState::kReady);
      if (!failed) break;
    }
  }
}

TEST_F(Server, TellsEventsAfterAFailure) {
  FailEach(
      [&] {
        std::optional<EventStream> events;
        try {
          events.emplace();
        } catch (const std::bad_alloc&) {
          return;
        }
        for (const std::string_view event : {"profiles", "progress", "profiles"}) {
          try {
            events->Publish(event, "a text that is too long to stand in the string itself");
          } catch (const std::bad_alloc&) {
            continue;
          }
        }
        try {
          for (const EventStream::Message& message : events->Since(0).messages) {
            if (message == nullptr) std::abort();
          }
        } catch (const std::bad_alloc&) {
          return;
        }
      },
      [](bool, uint64_t) {});
}

TEST_F(Server, KeepsCountOfKeptAnswersAfterAFailure) {
  const HttpResponse answer = JsonResponse(std::string(5000, 'x'));
  FailEach(
      [&] {
        ResponseCache cache(30'000);
        for (int i = 0; i < 20; ++i) {
          try {
            cache.Keep(std::to_string(i) + " is a key that is too long for the string itself",
                       answer);
          } catch (const std::bad_alloc&) {
            continue;
          }
        }
        if (cache.bytes() > 30'000) std::abort();
      },
      [](bool, uint64_t) {});
}

}  // namespace
}  // namespace telltale
