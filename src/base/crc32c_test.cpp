// SPDX-License-Identifier: Apache-2.0
#include "base/crc32c.h"

#include <random>
#include <string>

#include <gtest/gtest.h>

namespace telltale {
namespace {

// RFC 3720, B.4.
TEST(Crc32c, GivesTheKnownChecksums) {
  std::string rising;
  std::string falling;
  for (int i = 0; i < 32; ++i) {
    rising += static_cast<char>(i);
    falling += static_cast<char>(31 - i);
  }
  for (const auto crc : {&Crc32c, &Crc32cByTable}) {
    EXPECT_EQ(crc("", 0), 0U);
    EXPECT_EQ(crc("123456789", 0), 0xE3069283U);
    EXPECT_EQ(crc(std::string(32, '\0'), 0), 0x8A9136AAU);
    EXPECT_EQ(crc(std::string(32, '\xff'), 0), 0x62A8AB43U);
    EXPECT_EQ(crc(rising, 0), 0x46DD794EU);
    EXPECT_EQ(crc(falling, 0), 0x113FDB5CU);
  }
}

TEST(Crc32c, IsTheSameByTableAndInPieces) {
  std::mt19937 random(5);
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    const uint32_t whole = Crc32c(bytes);
    EXPECT_EQ(whole, Crc32cByTable(bytes));
    const std::string_view view = bytes;
    const size_t cut = bytes.size() / 3;
    EXPECT_EQ(whole, Crc32c(view.substr(cut), Crc32c(view.substr(0, cut))));
    bytes += static_cast<char>(random());
  }
}

}  // namespace
}  // namespace telltale
