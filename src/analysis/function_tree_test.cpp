// SPDX-License-Identifier: Apache-2.0
#include "analysis/function_tree.h"

#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/function_builder.h"
#include "analysis/sums.h"

namespace telltale {
namespace {

using testing::ElementsAre;

FunctionTable Join(const FunctionProfile& profile) {
  const FunctionProfile* const one = &profile;
  return JoinFunctions({&one, 1}, {.with_tree = true});
}

// "  name least-most", indented by depth; "name total" where it is exact.
std::vector<std::string> Lines(const FunctionTable& table,
                               const FunctionTreeOptions& options = {}) {
  std::vector<std::string> lines;
  for (const FunctionTreeNode& node : BuildFunctionTree(table, options)) {
    std::string line(node.depth * 2, ' ');
    line += table.rows[node.row].name;
    if (node.recursive) {
      line += " recursive";
    } else if (node.exact()) {
      line += " " + std::to_string(node.most);
    } else {
      line += " " + std::to_string(node.least) + "-" + std::to_string(node.most);
    }
    if (node.hidden_children > 0) line += " +" + std::to_string(node.hidden_children);
    lines.push_back(line);
  }
  return lines;
}

// main calls a and b, both call leaf, leaf calls deep: 10 below a, 30 below b.
FunctionBuilder Shared() {
  FunctionBuilder build;
  const CallNodeId main = build.Root("main", 1);
  const CallNodeId leaf_of_a = build.Call(build.Call(main, "a", 5), "leaf", 2);
  const CallNodeId leaf_of_b = build.Call(build.Call(main, "b", 5), "leaf", 4);
  build.Call(leaf_of_a, "deep", 10);
  build.Call(leaf_of_b, "deep", 30);
  return build;
}

TEST(FunctionTree, PathsAreShownAsTheyAre) {
  const FunctionBuilder build = Shared();
  EXPECT_THAT(Lines(Join(build.tree())),
              ElementsAre("main 57", "  b 39", "    leaf 34", "      deep 30", "  a 17",
                          "    leaf 12", "      deep 10"));
}

TEST(FunctionTree, PairsProveARangeWhereAFunctionHasSeveralCallers) {
  const FunctionProfile pairs = Shared().Pairs();
  // deep took 40 in all, leaf 12 below a and 34 below b: deep took 6 to 12 there, 28 to 34 here.
  EXPECT_THAT(Lines(Join(pairs)),
              ElementsAre("main 57", "  b 39", "    leaf 34", "      deep 28-34", "  a 17",
                          "    leaf 12", "      deep 6-12"));
}

TEST(FunctionTree, RecursionEndsAPathAndLeavesARange) {
  FunctionBuilder build;
  const CallNodeId main = build.Root("main", 1);
  const CallNodeId even = build.Call(main, "even", 10);
  const CallNodeId odd = build.Call(even, "odd", 20);
  build.Call(odd, "even", 40);
  EXPECT_THAT(Lines(Join(build.Pairs())),
              ElementsAre("main 71", "  even 70", "    odd 0-60", "      even recursive"));
}

TEST(FunctionTree, CallsFromOutsideMakeARootToo) {
  FunctionBuilder build;
  build.Call(build.Root("main", 1), "f", 10);
  build.Root("f", 5);
  EXPECT_THAT(Lines(Join(build.Pairs())), ElementsAre("main 11", "  f 10", "f 5"));
}

TEST(FunctionTree, WithoutTimesOfPairsOnlyOneCallerProvesAnything) {
  FunctionBuilder build;
  const CallNodeId main = build.Root("main", 1);
  build.Call(build.Call(main, "a", 5), "leaf", 2);
  build.Call(build.Call(main, "b", 5), "leaf", 4);
  FunctionProfile pairs = build.Pairs();
  for (CallPair& pair : pairs.pairs) pair.has_times = false;
  EXPECT_THAT(Lines(Join(pairs)),
              ElementsAre("main 17", "  b 9", "    leaf 0-6", "  a 7", "    leaf 0-6"));
}

TEST(FunctionTree, DepthShareAndNumberOfNodesAreLimited) {
  const FunctionBuilder build = Shared();
  const FunctionTable table = Join(build.tree());
  EXPECT_THAT(Lines(table, {.depth = 1}), ElementsAre("main 57", "  b 39 +1", "  a 17 +1"));
  EXPECT_THAT(Lines(table, {.least_share = 0.5}),
              ElementsAre("main 57 +1", "  b 39", "    leaf 34", "      deep 30"));
  EXPECT_THAT(Lines(table, {.most_nodes = 3}), ElementsAre("main 57", "  b 39 +1", "  a 17 +1"));
}

TEST(FunctionTree, AGraphWithVeryManyPathsIsCut) {
  // Layers of functions that all call all of the next layer: 8^12 paths.
  FunctionProfile profile;
  profile.shape = FunctionShape::kPairs;
  CallTreeBuilder builder(profile);
  for (int layer = 0; layer < 12; ++layer) {
    for (int i = 0; i < 8; ++i) {
      const FunctionId f = builder.FunctionOf("a.py", i, "f" + std::to_string(layer));
      const bool first = layer == 0;
      profile.totals.push_back({first ? 1 : 8, first ? 1 : 8, 1, 8, true});
      for (FunctionId caller = f - static_cast<FunctionId>(i) - (first ? 0 : 8);
           !first && caller < f - static_cast<FunctionId>(i); ++caller) {
        profile.pairs.push_back({caller, f, {1, 1, 0.125, 1, true}, true});
      }
    }
  }
  EXPECT_EQ(BuildFunctionTree(Join(profile), {.most_nodes = 500}).size(), 500U);
}

// The true time of every path, by the names along it.
std::map<std::string, int64_t> TrueTimes(const FunctionProfile& profile) {
  const CallTree& tree = profile.tree;
  std::vector<int64_t> total(tree.self.begin(), tree.self.end());
  for (size_t node = tree.size(); node-- > 0;) {
    if (tree.parent[node] != kNoCallNode) total[tree.parent[node]] += total[node];
  }
  std::map<std::string, int64_t> times;
  std::vector<std::string> path(tree.size());
  for (size_t node = 0; node < tree.size(); ++node) {
    path[node] = (tree.parent[node] == kNoCallNode ? "" : path[tree.parent[node]]) + "/" +
                 std::string(profile.Text(profile.functions[tree.function[node]].name));
    times[path[node]] = total[node];
  }
  return times;
}

TEST(FunctionTree, RangesHoldTheTruthForAnyProgram) {
  std::mt19937 random(7);
  size_t exact = 0;
  size_t ranges = 0;
  for (int program = 0; program < 400; ++program) {
    // A random program: few functions, so that they share callers and recur.
    FunctionBuilder build;
    std::vector<CallNodeId> nodes;
    const uint64_t functions = 3 + random() % 8;
    const uint64_t size = 5 + random() % 60;
    for (uint64_t i = 0; i < size; ++i) {
      const std::string name(1, static_cast<char>('a' + random() % functions));
      const auto self = static_cast<int64_t>(random() % 1000);
      const uint64_t calls = 1 + random() % 3;
      const bool root = nodes.empty() || random() % 20 == 0;
      nodes.push_back(root ? build.Root(random() % 2 == 0 ? "main" : name, self, calls)
                           : build.Call(nodes[random() % nodes.size()], name, self, calls));
    }
    const std::map<std::string, int64_t> truth = TrueTimes(build.tree());
    const FunctionProfile pairs = build.Pairs();
    const FunctionTable table = Join(pairs);
    std::vector<std::string> path;
    for (const FunctionTreeNode& node : BuildFunctionTree(table, {.most_nodes = 3000})) {
      path.push_back((node.parent == kNoCallNode ? "" : path[node.parent]) + "/" +
                     std::string(table.rows[node.row].name));
      if (node.recursive) continue;
      const auto at = truth.find(path.back());
      // A path that the program never took has no time; the pairs cannot rule it out.
      const int64_t time = at == truth.end() ? 0 : at->second;
      ASSERT_LE(node.least, time) << "program " << program << " path " << path.back();
      ASSERT_GE(node.most, time) << "program " << program << " path " << path.back();
      ++(node.exact() ? exact : ranges);
    }
  }
  // The test would say nothing if all ranges were wide.
  EXPECT_GT(exact, 500U);
  EXPECT_GT(ranges, 500U);
}

}  // namespace
}  // namespace telltale
