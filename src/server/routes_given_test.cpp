// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "io/given_files.h"
#include "server/test_api.h"

namespace telltale {
namespace {

TEST_F(ApiTest, TakesFilesOfItsOwnUserAlone) {
  folder_.Write("f.folded", "main;run 30\n");
  Start();
  const auto post = [&](const std::string& path, const std::string& body, bool owner) {
    HttpRequest request = RequestFor(path, "POST", body);
    request.of_owner = owner;
    return handler_(request);
  };
  EXPECT_EQ(post("/given?name=a.folded&bytes=10", "", true).status, 404U) << "no folder for it";

  const std::unique_ptr<GivenFiles> given = std::move(*GivenFiles::Make());
  CatalogueOptions dropped;
  dropped.roots = {*MakeRoot("dropped", given->folder())};
  Make(std::move(dropped), {}, {"Telltale", given.get()});
  EXPECT_EQ(post("/given?name=a.folded&bytes=10", "", false).status, 403U);
  EXPECT_EQ(post("/given?name=a.folded", "", true).status, 400U);
  EXPECT_EQ(post("/given?name=a.folded&bytes=99999999999", "", true).status, 400U);
  const auto begin = [&](size_t bytes) {
    return Json(*post("/given?name=../a.folded&bytes=" + std::to_string(bytes), "", true).body)
        .Text("/id");
  };
  const std::string text = "main;run 30\n";
  const std::string id = begin(text.size());
  EXPECT_EQ(post("/given/" + id + "?offset=0", text.substr(0, 5), false).status, 403U);
  EXPECT_EQ(post("/given/" + id + "?offset=0", text.substr(0, 5), true).status, 200U);
  EXPECT_EQ(post("/given/" + id + "?offset=9", text.substr(5), true).status, 400U);
  EXPECT_EQ(post("/given/" + id + "/done", "", true).status, 400U);
  EXPECT_EQ(post("/given/" + id + "?offset=5", text.substr(5), true).status, 200U);
  const HttpResponse done = post("/given/" + id + "/done", "", true);
  EXPECT_EQ(done.status, 200U);
  profiles_->Look();
  ASSERT_EQ(profiles_->List().size(), 1U);
  EXPECT_EQ(profiles_->List()[0].paths[0], Json(*done.body).Text("/path"));

  const std::string other = begin(3);
  EXPECT_EQ(post("/given/" + other + "?offset=0", "\x01\x02\x03", true).status, 200U);
  EXPECT_EQ(post("/given/" + other + "/done", "", true).status, 422U) << "no profile";
  EXPECT_EQ(post("/given/nothing/done", "", true).status, 400U);
}

}  // namespace
}  // namespace telltale
