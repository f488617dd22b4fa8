// SPDX-License-Identifier: Apache-2.0
#include "cli/access_log.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(AccessLog, HasTheFormOfWebServers) {
  const AnsweredRequest answered = {"127.0.0.1", "GET", "/api/v1/profiles?a=1",
                                    200,         512,   std::chrono::milliseconds(3)};
  EXPECT_EQ(AccessLine(answered, 1'763'345'411),
            "127.0.0.1 - - [17/Nov/2025:02:10:11 +0000] \"GET /api/v1/profiles?a=1 HTTP/1.1\" 200 "
            "512 0.003\n");
  EXPECT_EQ(AccessLine({"::1", "", "", 400, 7, {}}, 0),
            "::1 - - [01/Jan/1970:00:00:00 +0000] \"-\" 400 7 0.000\n");
}

TEST(AccessLog, HoldsNoTokenAndNoForgedLine) {
  const auto line = [](std::string target) {
    return AccessLine({"c", "GET", std::move(target), 200, 0, {}}, 0);
  };
  EXPECT_EQ(line("/?token=SECRET").find("SECRET"), std::string::npos);
  EXPECT_EQ(line("/x?a=1&%74oken=SECRET&b=2"),
            "c - - [01/Jan/1970:00:00:00 +0000] \"GET /x?a=1&b=2 HTTP/1.1\" 200 0 0.000\n");
  EXPECT_EQ(
      line("/a\" 200\n\x1b[2J\\"),
      "c - - [01/Jan/1970:00:00:00 +0000] \"GET /a\\x22 200\\x0a\\x1b[2J\\x5c HTTP/1.1\" 200 0 "
      "0.000\n");
}

}  // namespace
}  // namespace telltale
