// SPDX-License-Identifier: Apache-2.0
#include "runs/root.h"

#include <gtest/gtest.h>

#include "runs/test_folder.h"

namespace telltale {
namespace {

TEST(Root, TakeNamesAndPaths) {
  TestFolder folder;
  folder.Write("a:b/x.json", "");
  const Result<Root> plain = MakeRoot("", folder / "a:b");
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(plain->name, "a:b");
  const Result<Root> named = MakeRoot("mine", folder.path().string());
  ASSERT_TRUE(named.has_value());
  EXPECT_EQ(named->name, "mine");
  EXPECT_EQ(named->real, folder.path().string());
  EXPECT_FALSE(MakeRoot("", "/does/not/exist").has_value());
}

TEST(Root, AllowOnlyWhatIsBelow) {
  TestFolder folder;
  folder.Write("in/a.json", "");
  folder.Write("inside/b.json", "");
  const FileGate gate = GateTo({*MakeRoot("", folder / "in")});
  EXPECT_TRUE(gate.Allows(folder / "in/a.json"));
  EXPECT_FALSE(gate.Allows(folder / "inside/b.json"));
  EXPECT_FALSE(gate.Allows(folder / "in/../inside/b.json"));
  EXPECT_FALSE(gate.Allows(folder / "in/missing.json"));
  EXPECT_FALSE(gate.Allows("/etc/passwd"));
}

}  // namespace
}  // namespace telltale
