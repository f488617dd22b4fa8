// SPDX-License-Identifier: Apache-2.0
#include "server/open_profile.h"

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>

#include "runs/load.h"
#include "runs/test_folder.h"

namespace telltale {
namespace {

struct Value {
  [[nodiscard]] static size_t memory_bytes() { return 1; }
};

class Left : public CancelToken {
 public:
  [[nodiscard]] bool canceled() const override { return true; }
};

TEST(OpenProfile, WhatNobodyWaitsForIsNotDerivedButLaterByOthers) {
  TestFolder folder;
  const std::string path = folder.Write("a.json", SmallTrace());
  const OpenProfile open("a", LoadTraces(std::span(&path, 1), {}).value(), 1);
  int made = 0;
  const auto derive = [&] {
    return open.Derived<Value>([&](const OpenProfile&) {
      StopIfCanceled();
      ++made;
      return std::make_shared<const Value>();
    });
  };
  {
    const Left left;
    const CancelScope scope(&left);
    EXPECT_THROW(static_cast<void>(derive()), Canceled);
  }
  EXPECT_EQ(made, 0);
  EXPECT_NE(derive(), nullptr);
  EXPECT_NE(derive(), nullptr);
  EXPECT_EQ(made, 1);
}

}  // namespace
}  // namespace telltale
