// SPDX-License-Identifier: Apache-2.0
#include "base/media_type.h"

#include <gtest/gtest.h>

namespace telltale {
namespace {

TEST(MediaType, IsToldByTheBytes) {
  EXPECT_EQ(SafeTypeOf("\x89PNG\r\n\x1a\n..."), "image/png");
  EXPECT_EQ(SafeTypeOf("GIF89a"), "image/gif");
  EXPECT_EQ(SafeTypeOf("\xff\xd8\xff\xe0"), "image/jpeg");
  EXPECT_EQ(SafeTypeOf("RIFFxxxxWEBP"), "image/webp");
  EXPECT_EQ(SafeTypeOf("....ftypisom"), "video/mp4");
  EXPECT_EQ(SafeTypeOf("<svg/>"), kUnknownType);  // it could run
  EXPECT_EQ(SafeTypeOf("<html>"), kUnknownType);
  EXPECT_EQ(SafeTypeOf(""), kUnknownType);
}

}  // namespace
}  // namespace telltale
