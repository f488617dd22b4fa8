// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/graph.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/protobuf.h"

namespace telltale::tfevents {
namespace {

using protobuf::MessageWriter;
using testing::ElementsAre;
using testing::Pair;

void Node(MessageWriter& graph, std::string_view name, const std::vector<std::string>& inputs) {
  const size_t node = graph.Begin(1);
  graph.Bytes(1, name);
  graph.Bytes(2, "Op");
  for (const std::string& input : inputs) graph.Bytes(3, input);
  const size_t attr = graph.Begin(5);
  graph.Bytes(1, "_output_shapes");
  // list { shape { dim { size: 2 } dim { size: -1 } } }
  graph.Bytes(2, std::string_view("\x0a\x13\x3a\x11\x12\x02\x08\x02\x12\x0b\x08"
                                  "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                                  21));
  graph.End(attr);
  graph.End(node);
}

Graph Model() {
  MessageWriter graph;
  Node(graph, "input", {});
  Node(graph, "net/conv/weight", {});
  Node(graph, "net/conv/out", {"input", "net/conv/weight:0"});
  Node(graph, "net/relu", {"net/conv/out:1", "^input"});
  Node(graph, "loss", {"net/relu", "net/conv/out"});
  const Result<Graph> decoded = DecodeGraph(graph.bytes());
  EXPECT_TRUE(decoded);
  return decoded ? *decoded : Graph();
}

TEST(Graph, ReadsNodesWithShapes) {
  const Graph graph = Model();
  ASSERT_EQ(graph.nodes.size(), 5U);
  EXPECT_EQ(graph.nodes[2].name, "net/conv/out");
  EXPECT_THAT(graph.nodes[2].inputs, ElementsAre("input", "net/conv/weight:0"));
  EXPECT_EQ(graph.nodes[2].shape, "[2,?]");
}

TEST(Graph, ShowsOneScopeAtATime) {
  const Graph graph = Model();
  const GraphScope all = ScopeOf(graph, "");
  ASSERT_EQ(all.nodes.size(), 3U);
  EXPECT_EQ(all.nodes[1].name, "net");
  EXPECT_EQ(all.nodes[1].children, 3U);
  ASSERT_EQ(all.edges.size(), 2U);
  EXPECT_EQ(all.edges[0].count, 2U);  // input to net
  EXPECT_FALSE(all.edges[0].control);
  EXPECT_EQ(all.edges[1].count, 2U);  // net to loss
  const GraphScope net = ScopeOf(graph, "net");
  ASSERT_EQ(net.nodes.size(), 2U);
  EXPECT_EQ(net.nodes[0].name, "net/conv");
  EXPECT_EQ(net.nodes[1].name, "net/relu");
  EXPECT_EQ(net.nodes[1].node, 3U);
  ASSERT_EQ(net.edges.size(), 1U);
  EXPECT_THAT(net.inputs, ElementsAre(Pair("input", 2U)));
  EXPECT_THAT(net.outputs, ElementsAre(Pair("loss", 2U)));
  EXPECT_TRUE(ScopeOf(graph, "nothing").nodes.empty());
}

TEST(Graph, ReadsNoMoreThanAsked) {
  MessageWriter graph;
  for (int i = 0; i < 10; ++i) Node(graph, "n" + std::to_string(i), {});
  const Result<Graph> some = DecodeGraph(graph.bytes(), 4);
  ASSERT_TRUE(some);
  EXPECT_EQ(some->nodes.size(), 4U);
  EXPECT_TRUE(some->cut);
  for (size_t cut = 1; cut < 40; ++cut) {
    static_cast<void>(DecodeGraph(graph.bytes().substr(0, cut)));
  }
  EXPECT_FALSE(DecodeGraph("\xff"));
}

}  // namespace
}  // namespace telltale::tfevents
