// SPDX-License-Identifier: Apache-2.0
#include "server/path_inside.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(PathInside, NoPathLeadsOutOfTheFolder) {
  EXPECT_EQ(PathInside("/logs/run", "0/a.tsv"), "/logs/run/0/a.tsv");
  EXPECT_EQ(PathInside("/logs/run", "/logs/run/a"), "/logs/run/a");
  for (const char* path : {"", "../a", "a/../../b", "/etc/passwd", "/logs/run", "/logs/runx/a",
                           "/logs/run/../a", ".."}) {
    EXPECT_EQ(PathInside("/logs/run", path), std::nullopt) << path;
  }
  EXPECT_EQ(PathInside("/logs/run", std::string_view("a\0b", 3)), std::nullopt);
}

}  // namespace
}  // namespace telltale
