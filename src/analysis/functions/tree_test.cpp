// SPDX-License-Identifier: Apache-2.0
#include "analysis/functions/tree.h"

#include <map>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/core/sums.h"
#include "analysis/functions/builder.h"

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
        profile.pairs.push_back({caller, f, {1, 1, 0.125, 1}, true});
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

// A random program: few functions, so that they share callers and recur.
void MakeProgram(std::mt19937& random, FunctionBuilder& build) {
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
}

TEST(FunctionTree, RangesHoldTheTruthForAnyProgram) {
  std::mt19937 random(7);
  size_t exact = 0;
  size_t ranges = 0;
  for (int program = 0; program < 400; ++program) {
    FunctionBuilder build;
    MakeProgram(random, build);
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

// The nodes by the names on their way from the root.
std::map<std::string, FunctionTreeNode> ByWay(const FunctionTable& table,
                                              const std::vector<FunctionTreeNode>& nodes) {
  std::map<std::string, FunctionTreeNode> ways;
  std::vector<std::string> way;
  for (const FunctionTreeNode& node : nodes) {
    way.push_back((node.parent == kNoCallNode ? "" : way[node.parent]) + "/" +
                  std::string(table.rows[node.row].name));
    ways[way.back()] = node;
  }
  return ways;
}

uint32_t RowNamed(const FunctionTable& table, std::string_view name) {
  for (uint32_t row = 0; row < table.rows.size(); ++row) {
    if (table.rows[row].name == name) return row;
  }
  return kNoFunction;
}

TEST(FunctionTree, CallersAndCalleesOfPathsAreMerged) {
  FunctionBuilder build;
  const CallNodeId main = build.Root("main", 1, 1);
  const CallNodeId a = build.Call(main, "a", 2, 1);
  const CallNodeId b = build.Call(main, "b", 3, 1);
  build.Call(build.Call(a, "f", 10, 2), "g", 5, 4);
  const CallNodeId f = build.Call(b, "f", 20, 3);
  build.Call(f, "g", 7, 1);
  build.Call(f, "f", 100, 1);  // recursion counts in the outer call
  const FunctionTable table = Join(build.tree());
  const uint32_t row = RowNamed(table, "f");

  const auto callees = ByWay(table, BuildCalleesTree(table, row, {}));
  EXPECT_EQ(callees.at("/f").most, 142);
  EXPECT_EQ(callees.at("/f").calls, 5);
  EXPECT_EQ(callees.at("/f/g").most, 12);
  EXPECT_EQ(callees.at("/f/f").most, 100);

  const auto callers = ByWay(table, BuildCallersTree(table, row, {}));
  EXPECT_EQ(callers.at("/f").most, 142);
  EXPECT_EQ(callers.at("/f/a").most, 15);
  EXPECT_EQ(callers.at("/f/b").most, 127);
  EXPECT_EQ(callers.at("/f/b/main").most, 127);
  EXPECT_EQ(callers.at("/f/a").calls, 2);
  EXPECT_FALSE(callers.at("/f/a").self.has_value());
  EXPECT_EQ(callers.size(), 5U);
}

TEST(FunctionTree, CallersAndCalleesOfPairsHoldTheTruthForAnyProgram) {
  std::mt19937 random(11);
  size_t exact = 0;
  size_t ranges = 0;
  for (int program = 0; program < 200; ++program) {
    FunctionBuilder build;
    MakeProgram(random, build);
    const FunctionTable paths = Join(build.tree());
    const FunctionProfile made = build.Pairs();
    const FunctionTable pairs = Join(made);
    for (uint32_t row = 0; row < pairs.rows.size(); ++row) {
      const uint32_t same = RowNamed(paths, pairs.rows[row].name);
      for (const bool up : {true, false}) {
        const FunctionTreeOptions options = {.most_nodes = 2000};
        const auto truth = ByWay(paths, up ? BuildCallersTree(paths, same, options)
                                           : BuildCalleesTree(paths, same, options));
        for (const auto& [way, node] : ByWay(pairs, up ? BuildCallersTree(pairs, row, options)
                                                       : BuildCalleesTree(pairs, row, options))) {
          if (node.recursive) continue;
          const auto at = truth.find(way);
          const int64_t time = at == truth.end() ? 0 : at->second.most;
          ASSERT_LE(node.least, time) << "program " << program << " up " << up << " way " << way;
          ASSERT_GE(node.most, time) << "program " << program << " up " << up << " way " << way;
          ++(node.exact() ? exact : ranges);
        }
      }
    }
  }
  EXPECT_GT(exact, 500U);
  EXPECT_GT(ranges, 500U);
}

}  // namespace
}  // namespace telltale
