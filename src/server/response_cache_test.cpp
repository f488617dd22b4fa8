// SPDX-License-Identifier: Apache-2.0
#include "server/response_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace telltale {
namespace {

TEST(ResponseCache, KeepsTheSameBody) {
  ResponseCache cache;
  EXPECT_FALSE(cache.Find("a").has_value());
  const HttpResponse response = JsonResponse("{}");
  cache.Keep("a", response);
  ASSERT_TRUE(cache.Find("a").has_value());
  EXPECT_EQ(cache.Find("a")->body, response.body);
}

TEST(ResponseCache, LetsTheLeastRecentlyUsedGo) {
  ResponseCache cache(size_t{4} * 1500);
  const HttpResponse response = JsonResponse(std::string(1000, 'x'));
  for (const char* key : {"a", "b", "c", "d"}) cache.Keep(key, response);
  EXPECT_TRUE(cache.Find("a").has_value());
  cache.Keep("e", response);
  EXPECT_TRUE(cache.Find("a").has_value());
  EXPECT_FALSE(cache.Find("b").has_value());
  EXPECT_LE(cache.bytes(), size_t{4} * 1500);
}

TEST(ResponseCache, DoesNotKeepWhatIsTooLarge) {
  ResponseCache cache(4000);
  cache.Keep("a", JsonResponse(std::string(2000, 'x')));
  EXPECT_FALSE(cache.Find("a").has_value());
  EXPECT_EQ(cache.bytes(), 0U);
}

}  // namespace
}  // namespace telltale
