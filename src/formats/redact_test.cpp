// SPDX-License-Identifier: Apache-2.0
#include "formats/redact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace telltale {
namespace {

Redactor Make(std::vector<std::pair<std::string, std::string>> metadata = {}) {
  Trace trace;
  trace.metadata = std::move(metadata);
  return Redactor(trace);
}

TEST(Redactor, LeavesFilesOfPaths) {
  const Redactor redactor = Make();
  EXPECT_EQ(redactor.Clean("/home/ann/work/train.py(12): step", true), "train.py(12): step");
  EXPECT_EQ(redactor.Clean("torch/nn/modules/module.py(1501): _call_impl", true),
            "module.py(1501): _call_impl");
  EXPECT_EQ(redactor.Clean(R"("C:\\Users\\ann\\train.py: f")", true), R"("train.py: f")");
  EXPECT_EQ(redactor.Clean(R"("/a/b/x.py(1): f\n/a/c/y.py(2): g")", true),
            R"("x.py(1): f\ny.py(2): g")");
  EXPECT_EQ(redactor.Clean("saved to /mnt/secret/dir and ~/ann/x", false),
            "saved to (removed) and (removed)");
  EXPECT_EQ(redactor.Clean("/home/Ann Smith/project/run.py(3): f", true), "(removed) run.py(3): f");
}

TEST(Redactor, LeavesNamesThatAreNoPaths) {
  const Redactor redactor = Make();
  for (const std::string_view name :
       {"aten::mm", "forward/backward", "void at::native::f<int, 4>(int)", "a / b", "50%/s"}) {
    EXPECT_EQ(redactor.Clean(name, false), name);
  }
}

TEST(Redactor, RemovesPrivateValuesWhereverTheyStand) {
  const Redactor redactor = Make({{"host_name", "gpu-node-17"}, {"schemaVersion", "1"}});
  EXPECT_EQ(redactor.Clean("ran on gpu-node-17.cluster", false), "ran on (removed).cluster");
  EXPECT_TRUE(Redactor::KeepsMetadata("deviceProperties"));
  EXPECT_FALSE(Redactor::KeepsMetadata("host_name"));
  EXPECT_FALSE(Redactor::KeepsMetadata("PT_PROFILER_JOB_NAME"));
}

}  // namespace
}  // namespace telltale
