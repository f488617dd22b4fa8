// SPDX-License-Identifier: Apache-2.0
#include "base/frame_name.h"

#include <gtest/gtest.h>

#include <string>

namespace telltale {
namespace {

struct Case {
  std::string text;
  std::string name;
  std::string file;
  std::optional<int64_t> line = std::nullopt;
  std::string module;
};

TEST(FrameName, KnowsTheFormsOfTheProfilers) {
  const Case cases[] = {
      {"burn (job.py:10)", "burn", "job.py", 10, ""},
      {"level1.<locals>.<listcomp> (/a b/job.py:23)", "level1.<locals>.<listcomp>", "/a b/job.py",
       23, ""},
      {"main (job.py)", "main", "job.py", std::nullopt, ""},
      {"run (C:\\x\\job.py:7)", "run", "C:\\x\\job.py", 7, ""},
      {"at::native::add (libtorch_cpu.so)", "at::native::add", "", std::nullopt, "libtorch_cpu.so"},
      {"do_syscall_64 ([kernel.kallsyms])", "do_syscall_64", "", std::nullopt, "[kernel.kallsyms]"},
      {"torch/nn/modules/module.py(1791): _call_impl", "_call_impl", "torch/nn/modules/module.py",
       1791, ""},
      {"torch/_ops.py(1338):___call__", "__call__", "torch/_ops.py", 1338, ""},
      {"a(1)/b.py(3): f", "f", "a(1)/b.py", 3, ""},
      {"f (/home/a/work (copy)/job.py:12)", "f", "/home/a/work (copy)/job.py", 12, ""},
      {"operator() (vec.cc:3)", "operator()", "vec.cc", 3, ""},
      {"f (odd).py:12)", "f", "odd).py", 12, ""},
      {"import (<frozen importlib._bootstrap>)", "import", "<frozen importlib._bootstrap>",
       std::nullopt, ""},
      {"<module> (<string>)", "<module>", "<string>", std::nullopt, ""},
      {"<string>(1): <module>", "<module>", "<string>", 1, ""},
  };
  for (const Case& c : cases) {
    const FrameName frame = SplitFrameName(c.text);
    EXPECT_EQ(frame.name, c.name) << c.text;
    EXPECT_EQ(frame.file, c.file) << c.text;
    EXPECT_EQ(frame.line, c.line) << c.text;
    EXPECT_EQ(frame.module, c.module) << c.text;
  }
}

TEST(FrameName, HasAPlaceWhereFileAndLineAreKnown) {
  EXPECT_EQ(PlaceOf(SplitFrameName("/home/user/data.py(7): load")), "data.py:7");
  EXPECT_EQ(PlaceOf(SplitFrameName("data.py(7): load")), "data.py:7");
  EXPECT_EQ(PlaceOf(SplitFrameName("<built-in function linear>")), "");
}

TEST(FrameName, LeavesOtherTextsWhole) {
  for (const std::string text : {"",
                                 "main",
                                 "thread (32054): MainThread",
                                 "nn.Module: Linear_0",
                                 "f(int) (inlined)",
                                 "<built-in function collect>",
                                 "operator()(int)",
                                 "(job.py:3)",
                                 " (job.py:3)",
                                 "f (:3)",
                                 "f (job.py:)",
                                 "f (job.py:-3)",
                                 "f (<T>)",
                                 "f ([abi:cxx11])",
                                 "f(12):",
                                 "f(12): ",
                                 "(12): f",
                                 "f(x): g",
                                 "f (job.py:3",
                                 "f (99999999999999999999:99999999999999999999)",
                                 "builtins.len"}) {
    const FrameName frame = SplitFrameName(text);
    EXPECT_EQ(frame.name, text);
    EXPECT_EQ(frame.file.data(), nullptr) << text;
    EXPECT_EQ(frame.line, std::nullopt) << text;
    EXPECT_EQ(frame.module.data(), nullptr) << text;
  }
}

}  // namespace
}  // namespace telltale
