// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/functions.h"

#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/functions/builder.h"
#include "analysis/functions/own_code.h"
#include "base/origin.h"

namespace telltale {
namespace {

using testing::ElementsAre;

std::string Shown(const FunctionValues& values) {
  const auto text = [](std::optional<int64_t> value) {
    return value ? std::to_string(*value) : std::string("?");
  };
  return text(values.calls) + "/" + text(values.primitive_calls) + " " + text(values.self) + " " +
         text(values.total);
}

// "name calls/primitive self total" of the functions, then "caller>callee …" of the pairs.
std::vector<std::string> Lines(const FunctionTable& table) {
  std::vector<std::string> lines;
  for (const FunctionRow& row : table.rows) {
    if (row.in_profile) lines.push_back(std::string(row.name) + " " + Shown(row.values));
  }
  for (const CallRow& call : table.calls) {
    lines.push_back(std::string(table.rows[call.caller].name) + ">" +
                    std::string(table.rows[call.callee].name) + " " + Shown(call.values));
  }
  return lines;
}

FunctionTable Join(const FunctionProfile& profile, const FunctionOptions& options = {}) {
  const FunctionProfile* const one = &profile;
  return JoinFunctions({&one, 1}, options);
}

TEST(JoinFunctions, RecursionCountsOnceInATree) {
  FunctionBuilder build;
  const CallNodeId main = build.Root("main", 1);
  const CallNodeId fib = build.Call(main, "fib", 10, 1);
  const CallNodeId inner = build.Call(fib, "fib", 100, 2);
  build.Call(inner, "fib", 1000, 4);
  const FunctionTable table = Join(build.tree());
  EXPECT_THAT(Lines(table), ElementsAre("main 1/1 1 1111", "fib 7/1 1110 1110",
                                        "main>fib 1/1 10 1110", "fib>fib 6/2 1100 1100"));
  EXPECT_EQ(table.total, 1111);
  EXPECT_EQ(table.source, FunctionShape::kTree);
}

TEST(JoinFunctions, PairsAreTakenAsTheyAre) {
  FunctionBuilder build;
  build.Call(build.Root("main", 1), "leaf", 5, 3);
  const FunctionProfile pairs = build.Pairs();
  const FunctionTable table = Join(pairs);
  EXPECT_THAT(Lines(table), ElementsAre("main 1/1 1 6", "leaf 3/3 5 5", "main>leaf 3/3 5 5"));
  EXPECT_EQ(table.source, FunctionShape::kPairs);
}

TEST(JoinFunctions, SecondsAreRoundedToTheNearestNanosecond) {
  FunctionProfile profile;
  profile.shape = FunctionShape::kPairs;
  CallTreeBuilder builder(profile);
  static_cast<void>(builder.FunctionOf("a.py", 1, "f"));
  profile.totals = {{1, 1, 1.4e-9, 0.5500000005, true}};
  const FunctionTable table = Join(profile);
  EXPECT_EQ(table.rows[0].values.self, 1);
  EXPECT_EQ(table.rows[0].values.total, 550000000);  // the double is below the half
}

TEST(JoinFunctions, SeveralProfilesAreAddedByFileLineAndName) {
  FunctionBuilder a;
  a.Call(a.Root("main", 1), "f", 10);
  FunctionBuilder b;
  b.Root("f", 100);
  b.Root("f", 1000, 1, "other.py");
  const std::vector<const FunctionProfile*> both = {&a.tree(), &b.tree()};
  EXPECT_THAT(Lines(JoinFunctions(both, {.with_calls = false})),
              ElementsAre("main 1/1 1 11", "f 2/2 110 110", "f 1/1 1000 1000"));
}

TEST(JoinFunctions, StrippingFoldersJoinsFilesOfOneName) {
  FunctionBuilder build;
  build.Root("f", 1, 1, "/a/x.py");
  build.Root("f", 10, 1, "/b/x.py");
  const FunctionTable table = Join(build.tree(), {.strip_folders = true});
  ASSERT_EQ(table.rows.size(), 1U);
  EXPECT_EQ(table.rows[0].file, "x.py");
  EXPECT_EQ(table.rows[0].values.self, 11);
}

TEST(JoinFunctions, ProfilesInAnotherUnitAreLeftOutAndCounted) {
  FunctionBuilder a;
  a.Root("f", 1);
  FunctionProfile samples;
  samples.unit = ValueUnit::kSamples;
  const std::vector<const FunctionProfile*> both = {&a.tree(), &samples};
  EXPECT_EQ(JoinFunctions(both).left_out, 1U);
}

TEST(JoinFunctions, CallsThatWereNotCountedAreNotKnown) {
  FunctionProfile profile;
  CallTreeBuilder builder(profile);
  const CallNodeId node = builder.Child(kNoCallNode, builder.FunctionOf("a.py", 1, "f"));
  profile.tree.self[node] = 3;
  profile.tree.calls[node] = kNoUint;
  EXPECT_THAT(Lines(Join(profile)), ElementsAre("f ?/? 3 3"));
}

TEST(JoinFunctions, ADeepPathNeedsNoStack) {
  FunctionBuilder build;
  CallNodeId node = build.Root("f0", 1);
  for (int i = 0; i < 200000; ++i) node = build.Call(node, i % 2 == 0 ? "even" : "odd", 1);
  const FunctionTable table = Join(build.tree());
  EXPECT_EQ(table.rows[1].values.total, 200000);
}

constexpr std::string_view kLibrary = "/usr/lib/python3.11/site-packages/torch/x.py";

TEST(OwnCode, KnowsLibrariesByTheirPlace) {
  for (const std::string_view file :
       {"~", "<frozen importlib._bootstrap>", "/v/lib/python3.11/threading.py",
        "/v/lib64/python3.9/os.py", "/v/site-packages/a.py", "/usr/lib/python3/dist-packages/b.py",
        "C:\\Python311\\Lib\\os.py", "C:\\x\\site-packages\\c.py", "torch/nn/modules/module.py",
        "transformers/image_transforms.py", "threading.py", "concurrent/futures/thread.py"}) {
    EXPECT_TRUE(IsLibrary(file, "f")) << file;
  }
  for (const std::string_view file :
       {"train.py", "/home/a/lib/pythonic/x.py", "<string>", "C:\\work\\train.py", "",
        "model/torch/x.py", "/home/a/threading.py", "torch.py/x.py"}) {
    EXPECT_FALSE(IsLibrary(file, "f")) << file;
  }
  EXPECT_TRUE(IsLibrary({}, "<built-in function len>"));
  EXPECT_TRUE(IsLibrary({}, "builtins.len"));
  EXPECT_FALSE(IsLibrary({}, "train"));
}

TEST(OwnCode, NamesThePackage) {
  const auto package = [](std::string_view file) { return OriginOf(file, "f").package; };
  EXPECT_EQ(package("/home/me/train.py"), "train.py");
  EXPECT_EQ(package("/v/lib/python3.11/site-packages/torch/nn/x.py"), "torch");
  EXPECT_EQ(package("C:\\Python311\\Lib\\json\\decoder.py"), "json");
  EXPECT_EQ(package("/usr/lib/python3.11/typing.py"), "typing");
  EXPECT_EQ(package("<frozen importlib._bootstrap>"), "importlib");
  EXPECT_EQ(package("torch/optim/adam.py"), "torch");
  EXPECT_EQ(package("/src/pytorch/torch/nn/modules/linear.py"), "torch");
  EXPECT_EQ(package("/home/me/torch/train.py"), "train.py");
  EXPECT_EQ(package("/tmp/torchinductor_me/dn/cdnig.py"), "torch");
  EXPECT_EQ(package("<eval_with_key>.50"), "torch");
  EXPECT_EQ(package("contextlib.py"), "contextlib");
  EXPECT_EQ(package("~"), "built-in");
  EXPECT_EQ(OriginOf({}, "<built-in function linear>").package, "built-in");
  EXPECT_EQ(OriginOf({}, "nn.Module: Linear_0").package, "nn.Module");
  EXPECT_EQ(OriginOf({}, "train").package, "");
}

TEST(OwnCode, ATreeGivesLibraryTimeToTheNearestOwnFunction) {
  FunctionBuilder build;
  const CallNodeId exec = build.Root("exec", 1, 1, "~");
  const CallNodeId main = build.Call(exec, "main", 10);
  const CallNodeId module = build.Call(main, "module", 100, 1, kLibrary);
  const CallNodeId forward = build.Call(module, "forward", 1000);
  build.Call(forward, "module", 10000, 1, kLibrary);
  const FunctionTable table = Join(build.tree(), {.own_code = true});
  EXPECT_THAT(Lines(table),
              ElementsAre("exec 1/1 1 11111", "main 1/1 110 11110", "forward 1/1 11000 11000",
                          "exec>main 1/1 110 11110", "main>forward 1/1 11000 11000"));
  EXPECT_EQ(table.folded->library, 10101);
  EXPECT_EQ(table.folded->without_owner, 1);
  EXPECT_EQ(table.folded->undetermined, 0);
}

TEST(OwnCode, PairsGiveWhatAllWaysUpAgreeOn) {
  // a and b both call open(), which calls read(); only a calls a helper, which calls sort().
  FunctionBuilder build;
  const CallNodeId main = build.Root("main", 1);
  const CallNodeId a = build.Call(main, "a", 10);
  const CallNodeId b = build.Call(main, "b", 20);
  build.Call(build.Call(a, "open", 100, 1, kLibrary), "read", 1000, 1, kLibrary);
  build.Call(build.Call(b, "open", 200, 1, kLibrary), "read", 2000, 1, kLibrary);
  build.Call(build.Call(a, "helper", 30000, 1, kLibrary), "sort", 40000, 1, "~");
  const FunctionProfile pairs = build.Pairs();
  const FunctionTable table = Join(pairs, {.with_calls = false, .own_code = true});
  std::vector<std::string> rows;
  for (const FunctionRow& row : table.rows) {
    if (row.in_profile)
      rows.push_back(std::string(row.name) + " " + std::to_string(*row.values.self));
  }
  // open() was called by a and b directly, so its own time is known; read() was not.
  EXPECT_THAT(rows, ElementsAre("main 1", "a 70110", "b 220", "read 3000"));
  EXPECT_EQ(table.folded->library, 73300);
  EXPECT_EQ(table.folded->undetermined, 3000);
  EXPECT_EQ(table.folded->without_owner, 0);
  EXPECT_EQ(table.total, 73331);
}

TEST(OwnCode, PairsWithoutTimesAreGivenOnlyWhole) {
  FunctionBuilder build;
  const CallNodeId main = build.Root("main", 1);
  build.Call(main, "one", 10, 1, kLibrary);
  build.Call(build.Call(main, "a", 100), "two", 1000, 1, kLibrary);
  build.Call(build.Call(main, "b", 100), "two", 1000, 1, kLibrary);
  FunctionProfile profile = build.Pairs();
  for (CallPair& pair : profile.pairs) pair.has_times = false;
  const FunctionTable table = Join(profile, {.own_code = true});
  EXPECT_EQ(table.rows[0].values.self, 11);
  EXPECT_EQ(table.folded->undetermined, 2000);
}

TEST(OwnCode, PairsNeverGiveMoreThanThePathsDo) {
  std::mt19937 random(11);
  int64_t given = 0;
  for (int program = 0; program < 300; ++program) {
    FunctionBuilder build;
    std::vector<CallNodeId> nodes;
    const uint64_t size = 5 + random() % 40;
    for (uint64_t i = 0; i < size; ++i) {
      const std::string name(1, static_cast<char>('a' + random() % 9));
      const std::string_view file = name > "d" ? kLibrary : "own.py";
      const auto self = static_cast<int64_t>(random() % 1000);
      nodes.push_back(nodes.empty() || random() % 15 == 0
                          ? build.Root(name, self, 1, file)
                          : build.Call(nodes[random() % nodes.size()], name, self, 1, file));
    }
    const FunctionTable paths = Join(build.tree(), {.with_calls = false, .own_code = true});
    const FunctionProfile profile = build.Pairs();
    const FunctionTable pairs = Join(profile, {.with_calls = false, .own_code = true});
    std::map<std::string_view, int64_t> truth;
    for (const FunctionRow& row : paths.rows) {
      if (row.in_profile) truth[row.name] = *row.values.self;
    }
    for (const FunctionRow& row : pairs.rows) {
      if (!row.in_profile || row.file == kLibrary) continue;
      ASSERT_LE(*row.values.self, truth[row.name]) << "program " << program << " " << row.name;
    }
    // Nothing is lost either.
    EXPECT_EQ(pairs.total, paths.total) << "program " << program;
    EXPECT_EQ(pairs.folded->library, paths.folded->library);
    EXPECT_GE(pairs.folded->undetermined + pairs.folded->without_owner,
              paths.folded->without_owner);
    given += pairs.folded->library - pairs.folded->undetermined - pairs.folded->without_owner;
  }
  EXPECT_GT(given, 100000);
}

TEST(OwnCode, OwnFunctionsCalledThroughALibraryHaveItsOwnerAsCaller) {
  FunctionBuilder build;
  const CallNodeId main = build.Root("main", 1);
  build.Call(build.Call(main, "map", 10, 1, "~"), "callback", 100, 7);
  const FunctionProfile pairs = build.Pairs();
  const FunctionTable table = Join(pairs, {.own_code = true});
  EXPECT_THAT(Lines(table),
              ElementsAre("main 1/1 11 111", "callback 7/7 100 100", "main>callback 7/7 100 100"));
}

}  // namespace
}  // namespace telltale
