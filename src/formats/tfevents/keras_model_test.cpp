// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/keras_model.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/tfevents/graph.h"

namespace telltale::tfevents {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

Graph Drawn(std::string_view json) {
  const Result<std::string> bytes = GraphOfKerasModel(json);
  EXPECT_TRUE(bytes) << bytes.error().message;
  Result<Graph> graph = DecodeGraph(bytes ? *bytes : "");
  EXPECT_TRUE(graph);
  return graph ? std::move(*graph) : Graph();
}

TEST(KerasModel, LayersOfASequentialModelFollowEachOther) {
  const Graph graph = Drawn(R"({"class_name": "Sequential", "config": {"name": "seq", "layers": [
      {"class_name": "InputLayer", "config": {"name": "in", "dtype": "float32"}},
      {"class_name": "Dense", "config": {"name": "a", "dtype":
          {"class_name": "DTypePolicy", "config": {"name": "mixed_float16"}}}},
      {"class_name": "Sequential", "config": {"name": "inner", "layers": [
          {"class_name": "Dense", "config": {"name": "b", "dtype": {"config": {"name": "half"}}}}]}},
      {"class_name": "Dense", "config": {"name": "c"}}]}})");
  ASSERT_EQ(graph.nodes.size(), 4U);
  EXPECT_EQ(graph.nodes[0].name, "seq/in");
  EXPECT_THAT(graph.nodes[0].inputs, IsEmpty());
  EXPECT_THAT(graph.nodes[0].attrs,
              ElementsAre(Pair("dtype", "float32"), Pair("keras_class", "InputLayer")));
  EXPECT_THAT(graph.nodes[1].attrs, ElementsAre(Pair("keras_class", "Dense")));
  EXPECT_EQ(graph.nodes[2].name, "seq/inner/b");
  EXPECT_THAT(graph.nodes[2].inputs, ElementsAre("seq/a"));
  EXPECT_THAT(graph.nodes[3].inputs, ElementsAre("seq/inner/b"));
}

TEST(KerasModel, LayersOfAFunctionalModelNameTheirInputs) {
  const Graph graph = Drawn(R"({"class_name": "Functional", "config": {"name": "m", "layers": [
      {"class_name": "InputLayer", "config": {"name": "x"}, "inbound_nodes": []},
      {"class_name": "InputLayer", "config": {"name": "y"}, "inbound_nodes": []},
      {"class_name": "Functional", "config": {"name": "twin",
          "input_layers": [["p", 0, 0], ["q", 0, 0]], "output_layers": [["r", 0, 0], ["s", 0, 0]],
          "layers": [
              {"config": {"name": "p"}, "inbound_nodes": []},
              {"config": {"name": "q"}, "inbound_nodes": []},
              {"config": {"name": "r"}, "inbound_nodes": [{"args": [
                  {"config": {"keras_history": ["p", 0, 0]}}]}]},
              {"config": {"name": "s"}, "inbound_nodes": [{"args": [
                  {"config": {"keras_history": ["q", 0, 0]}}]}]}]},
       "inbound_nodes": [{"args": [[{"config": {"keras_history": ["x", 0, 0]}},
                                    {"config": {"keras_history": ["y", 0, 0]}}]]}]},
      {"class_name": "Add", "config": {"name": "add"}, "inbound_nodes": [{"args": [
          [{"config": {"keras_history": ["twin", 1, 0]}},
           {"config": {"keras_history": ["twin", 1, 1]}},
           {"config": {"keras_history": ["twin", 1, 7]}}], 3, null]}]}],
      "input_layers": [["x", 0, 0], ["y", 0, 0]], "output_layers": ["add", 0, 0]}})");
  ASSERT_EQ(graph.nodes.size(), 7U);
  EXPECT_EQ(graph.nodes[2].name, "m/twin/p");
  EXPECT_THAT(graph.nodes[2].inputs, ElementsAre("m/x"));
  EXPECT_THAT(graph.nodes[3].inputs, ElementsAre("m/y"));
  EXPECT_THAT(graph.nodes[4].inputs, ElementsAre("m/twin/p"));
  EXPECT_THAT(graph.nodes[6].inputs, ElementsAre("m/twin/r", "m/twin/s", "m/twin/s"));
}

TEST(KerasModel, WhatIsNoModelIsAnError) {
  for (const char* const json :
       {"", "[]", "{}", "3", R"({"config": 3})", R"({"config": {"layers": []}})",
        R"({"config": {"name": "a", "layers": []}})",
        R"({"config": {"name": "a", "layers": [{"config": {}}]}})"}) {
    EXPECT_FALSE(GraphOfKerasModel(json)) << json;
  }
}

}  // namespace
}  // namespace telltale::tfevents
