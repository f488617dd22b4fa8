// SPDX-License-Identifier: Apache-2.0
#include "server/assets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "io/gzip_memory.h"

namespace telltale {
namespace {

using testing::HasSubstr;

class SiteTest : public testing::Test {
 protected:
  static HttpResponse Get(const Site& site, const std::string& path, std::string method = "GET") {
    HttpRequest request;
    request.method = std::move(method);
    request.path = path;
    return site.Get(request);
  }
  static std::string BodyOf(const HttpResponse& response) {
    return response.gzipped ? Gunzip(*response.body, 1 << 20).value_or("damaged") : *response.body;
  }
  static std::string HeaderOf(const HttpResponse& response, std::string_view name) {
    for (const auto& [key, value] : response.headers) {
      if (key == name) return value;
    }
    return "(none)";
  }

  const std::string index_ = GzipFast(
      "<script src=\"./assets/app-1a2b.js\"></script><a href=\"#./x\"><meta name=\"base\" "
      "content=\"./\">");
  const std::string script_ = GzipFast("let x;");
  const std::vector<Asset> assets_ = {{"/assets/app-1a2b.js", script_}, {"/index.html", index_}};
};

TEST_F(SiteTest, HashedFilesAreKeptForEverAndTheIndexIsNot) {
  const Site site(assets_, "");
  const HttpResponse script = Get(site, "/assets/app-1a2b.js");
  EXPECT_EQ(script.status, 200U);
  EXPECT_TRUE(script.gzipped);
  EXPECT_EQ(script.content_type, "text/javascript; charset=utf-8");
  EXPECT_EQ(HeaderOf(script, "Cache-Control"), "public, max-age=31536000, immutable");
  EXPECT_NE(HeaderOf(script, "ETag"), "(none)");
  EXPECT_EQ(BodyOf(script), "let x;");
  const HttpResponse index = Get(site, "/");
  EXPECT_EQ(index.content_type, "text/html; charset=utf-8");
  EXPECT_EQ(HeaderOf(index, "Cache-Control"), "no-cache");
}

TEST_F(SiteTest, ThePagesOwnAddressesGetTheIndex) {
  const Site site(assets_, "");
  const std::string index = BodyOf(Get(site, "/"));
  for (const char* path : {"/index.html", "/profile", "/profile/k3/timeline", "/a.b/c"}) {
    EXPECT_EQ(BodyOf(Get(site, path)), index) << path;
  }
  for (const char* path : {"/missing.js", "/assets/missing", "/assets/old-1.css", "/favicon.ico"}) {
    EXPECT_EQ(Get(site, path).status, 404U) << path;
  }
  EXPECT_EQ(Get(site, "/", "POST").status, 405U);
}

TEST_F(SiteTest, AddressesInTheIndexAreAbsoluteBelowThePrefix) {
  EXPECT_EQ(BodyOf(Get(Site(assets_, "/p/q"), "/deep/link")),
            "<script src=\"/p/q/assets/app-1a2b.js\"></script><a href=\"#./x\"><meta "
            "name=\"base\" content=\"/p/q/\">");
  EXPECT_THAT(BodyOf(Get(Site(assets_, ""), "/")), HasSubstr("src=\"/assets/app-1a2b.js\""));
}

TEST_F(SiteTest, WithoutFilesItSaysSo) {
  const HttpResponse page = Get(Site({}, ""), "/");
  EXPECT_THAT(page.content_type, HasSubstr("text/html"));
  EXPECT_THAT(BodyOf(page), HasSubstr("has no page"));
}

TEST_F(SiteTest, EveryEmbeddedFileIsWhole) {
  for (const Asset& asset : EmbeddedAssets()) {
    EXPECT_TRUE(Gunzip(asset.gzip, size_t{64} << 20)) << asset.path;
    EXPECT_NE(ContentTypeOf(asset.path), "application/octet-stream") << asset.path;
  }
}

}  // namespace
}  // namespace telltale
