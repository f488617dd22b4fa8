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

TEST(Redactor, RemovesAUrlAsOneThing) {
  const Redactor redactor = Make();
  for (const bool is_code : {false, true}) {
    EXPECT_EQ(redactor.Clean("GET https://ann:pw@gpu-17.corp:80/api/x.html?a=b,c#d done", is_code),
              "GET https://(removed) done");
    EXPECT_EQ(redactor.Clean(R"json({"init":"tcp://10.0.0.3:29500","n":1})json", is_code),
              R"json({"init":"tcp://(removed)","n":1})json");
    EXPECT_EQ(
        redactor.Clean(R"json("http:\/\/h\/a\/b.py\u0026c\n/home/ann/x.py(1): f")json", is_code),
        R"json("http://(removed)\nx.py(1): f")json");
    EXPECT_EQ(redactor.Clean("(see http://h/a_(b)/c.html). Or s3://b/m.pt, later", is_code),
              "(see http://(removed)). Or s3://(removed), later");
    EXPECT_EQ(redactor.Clean("/home/ann/x=git+ssh://h/a/b", is_code),
              "(removed)git+ssh://(removed)");
    EXPECT_EQ(redactor.Clean("file:///home/ann/train.py", is_code), "file://(removed)");
  }
}

TEST(Redactor, LeavesFilesOfAFunctionProfile) {
  FunctionProfile profile;
  CallTreeBuilder builder(profile);
  builder.FunctionOf("/home/ann/work/train.py", 12, "step");
  builder.FunctionOf("C:\\Users\\Ann Lee\\model", 3, "forward/backward");
  builder.FunctionOf("~", 0, "<built-in method builtins.exec>");
  builder.FunctionOf("<frozen importlib._bootstrap>", 1, "_load");
  builder.FunctionOf({}, kNoInt, "[/opt/ann/libfoo.so]", "/opt/ann/libfoo.so");
  profile.threads = {"thread of /home/ann/run.py"};
  profile.source.path = "/home/ann/x.prof";
  Make().Clean(profile);
  std::vector<std::string> shown;
  for (const Function& function : profile.functions) {
    const StringId place = function.file != kNoString ? function.file : function.module;
    shown.push_back(std::string(profile.Text(place)) + " " +
                    std::string(profile.Text(function.name)));
  }
  EXPECT_THAT(shown,
              testing::ElementsAre("train.py step", "model forward/backward",
                                   "~ <built-in method builtins.exec>",
                                   "<frozen importlib._bootstrap> _load", "libfoo.so [libfoo.so]"));
  EXPECT_EQ(profile.threads[0], "thread of run.py");
  EXPECT_EQ(profile.source.path, "x.prof");
}

TEST(Redactor, KeepsFunctionsApartThatOnlyFoldersToldApart) {
  FunctionProfile profile;
  CallTreeBuilder builder(profile);
  builder.FunctionOf("/a/__init__.py", 1, "<module>");
  builder.FunctionOf("/b/__init__.py", 1, "<module>");
  builder.FunctionOf("/b/__init__.py", 2, "f");
  builder.FunctionOf("/c/__init__.py", 1, "<module>");
  Make().Clean(profile);
  std::vector<std::string> files;
  for (const Function& function : profile.functions)
    files.emplace_back(profile.Text(function.file));
  EXPECT_THAT(files, testing::ElementsAre("__init__.py", "__init__.py (2)", "__init__.py",
                                          "__init__.py (3)"));
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
