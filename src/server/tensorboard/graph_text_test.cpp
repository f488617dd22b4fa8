// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/graph_text.h"

#include <gtest/gtest.h>

#include <string>

#include "base/protobuf.h"

namespace telltale {
namespace {

using protobuf::MessageWriter;

void AddAttribute(MessageWriter& graph, std::string_view key, const auto& value) {
  const size_t entry = graph.Begin(5);
  graph.Bytes(1, key);
  const size_t inside = graph.Begin(2);
  value(graph);
  graph.End(inside);
  graph.End(entry);
}

std::string OneNode(const auto& fill) {
  MessageWriter graph;
  const size_t node = graph.Begin(1);
  graph.Bytes(1, "a\xc3\xbc\n\"'\\\x01");
  fill(graph);
  graph.End(node);
  const size_t versions = graph.Begin(4);
  graph.Int(1, 22);
  graph.End(versions);
  return std::string(graph.bytes());
}

// As str() of the message says it in TensorBoard.
TEST(GraphText, IsTheTextFormOfTheMessage) {
  const std::string graph = OneNode([](MessageWriter& node) {
    node.Bytes(3, "x");
    AddAttribute(node, "T", [](MessageWriter& value) { value.Int(6, 1); });
    AddAttribute(node, "bytes", [](MessageWriter& value) { value.Bytes(2, "\xff a\xc3\xbc"); });
    AddAttribute(node, "empty", [](MessageWriter& value) { value.Bytes(2, ""); });
    AddAttribute(node, "unknown", [](MessageWriter& value) { value.Int(6, 999); });
    AddAttribute(node, "minus", [](MessageWriter& value) { value.Int(3, -3); });
  });
  const Result<std::string> text = TextOfGraph(GraphMessage::kGraphDef, graph);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, R"(node {
  name: "a)"
                   "\xc3\xbc"
                   R"(\n\"\'\\\001"
  input: "x"
  attr {
    key: "unknown"
    value {
      type: 999
    }
  }
  attr {
    key: "minus"
    value {
      i: -3
    }
  }
  attr {
    key: "empty"
    value {
      s: ""
    }
  }
  attr {
    key: "bytes"
    value {
      s: "\377 a\303\274"
    }
  }
  attr {
    key: "T"
    value {
      type: DT_FLOAT
    }
  }
}
versions {
  producer: 22
}
)");
}

TEST(GraphText, LargeAttributesAreLeftOutAndNamed) {
  const std::string graph = OneNode([](MessageWriter& node) {
    AddAttribute(node, "small", [](MessageWriter& value) { value.Bytes(2, "x"); });
    AddAttribute(node, "large", [](MessageWriter& value) { value.Bytes(2, std::string(99, 'x')); });
  });
  const Result<std::string> text =
      TextOfGraph(GraphMessage::kGraphDef, graph, {.largest_attribute = 50, .large_key = "_big"});
  ASSERT_TRUE(text);
  EXPECT_EQ(text->find("xxxx"), std::string::npos);
  EXPECT_NE(text->find("key: \"_big\""), std::string::npos);
  EXPECT_NE(text->find("s: \"large\""), std::string::npos);
  EXPECT_NE(text->find("key: \"small\""), std::string::npos);
}

TEST(GraphText, DamageIsAnError) {
  EXPECT_FALSE(TextOfGraph(GraphMessage::kGraphDef, "\x0a\x7f"));
  EXPECT_TRUE(TextOfGraph(GraphMessage::kRunMetadata, ""));
  // A function in a function, deeper than anybody nests.
  std::string deep;
  for (int i = 0; i < 500; ++i) {
    MessageWriter outer;
    const size_t list = outer.Begin(1);
    outer.Bytes(9, deep);
    outer.End(list);
    deep = std::string(outer.bytes());
  }
  MessageWriter graph;
  const size_t node = graph.Begin(1);
  const size_t entry = graph.Begin(5);
  graph.Bytes(2, deep);
  graph.End(entry);
  graph.End(node);
  static_cast<void>(TextOfGraph(GraphMessage::kGraphDef, graph.bytes()));
}

}  // namespace
}  // namespace telltale
