// SPDX-License-Identifier: Apache-2.0
// GraphDef: the nodes of a model, with what flows between them. Names with '/' are scopes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace telltale::tfevents {

struct GraphNode {
  std::string name;
  std::string op;
  std::string device;
  std::vector<std::string> inputs;                         // as written: "^x", "x:1"
  std::vector<std::pair<std::string, std::string>> attrs;  // as text; long ones are cut
  std::string shape;                                       // of its outputs: "[1,64], [?]"
};

struct Graph {
  std::vector<GraphNode> nodes;
  int64_t producer = 0;
  bool cut = false;      // it has more nodes than `most`
  size_t functions = 0;  // in its library, which is not shown
};
// Refuses (kUnreadable) what is no graph.
[[nodiscard]] Result<Graph> DecodeGraph(std::string_view graph_def, size_t most = 1'000'000);
// graph_def of a MetaGraphDef; empty: it has none.
[[nodiscard]] std::string_view GraphOfMetaGraph(std::string_view meta_graph_def);

// What is drawn of one scope: its nodes and the scopes directly in it, each as one.
struct GraphScope {
  struct Node {
    std::string name;     // whole
    size_t children = 0;  // nodes in it; 0: a node, which is `node` of the graph
    size_t node = SIZE_MAX;
  };
  struct Edge {
    size_t from = 0;  // of nodes
    size_t to = 0;
    size_t count = 0;
    bool control = false;  // all of them are
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  // What comes from outside and goes there, by the name of the node.
  std::vector<std::pair<std::string, size_t>> inputs;
  std::vector<std::pair<std::string, size_t>> outputs;
};
// `scope`: "" is all; "a/b" without '/' at its end.
[[nodiscard]] GraphScope ScopeOf(const Graph& graph, std::string_view scope);

}  // namespace telltale::tfevents
