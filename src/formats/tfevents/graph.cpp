// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/graph.h"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/protobuf.h"
#include "base/utf8.h"

namespace telltale::tfevents {

namespace {

using protobuf::Field;
using protobuf::MessageReader;
using protobuf::WireType;

// A node's attributes are for people: a constant of megabytes is not.
constexpr size_t kMostAttrBytes = 1024;
constexpr size_t kMostInputs = 100'000;
constexpr int kMostDepth = 16;

std::string ShapeText(std::string_view shape) {
  std::string text = "[";
  for (MessageReader reader(shape); reader.Next() && text.size() < kMostAttrBytes;) {
    if (reader.field().number == 3 && reader.field().IsNumber() && reader.field().value != 0) {
      return "?";  // not even the rank is known
    }
    if (reader.field().number != 2 || !reader.field().IsBytes()) continue;
    int64_t size = 0;
    for (MessageReader dim(reader.field().bytes); dim.Next();) {
      if (dim.field().number == 1 && dim.field().IsNumber()) size = dim.field().Signed();
    }
    text += (text.size() > 1 ? "," : "") + (size < 0 ? std::string("?") : std::to_string(size));
  }
  return text + "]";
}

std::string TypeText(uint64_t type) {
  switch (type) {
    case 1:
      return "float32";
    case 2:
      return "float64";
    case 3:
      return "int32";
    case 4:
      return "uint8";
    case 7:
      return "string";
    case 9:
      return "int64";
    case 10:
      return "bool";
    case 14:
      return "bfloat16";
    case 19:
      return "float16";
    default:
      return "type " + std::to_string(type);
  }
}

std::string Shortened(std::string text) {
  if (text.size() <= kMostAttrBytes) return text;
  const size_t bytes = text.size();
  text.resize(kMostAttrBytes);
  return RepairUtf8(text) + "… (" + std::to_string(bytes) + " bytes)";
}

std::string AttrText(std::string_view attr, int depth);

// AttrValue.ListValue: the same numbers as AttrValue, each repeated.
std::string ListText(std::string_view list, int depth) {
  std::string text = "[";
  for (MessageReader reader(list); reader.Next() && text.size() < kMostAttrBytes;) {
    const Field& field = reader.field();
    const auto add = [&](const std::string& item) { text += (text.size() > 1 ? ", " : "") + item; };
    if (field.number == 7 && field.IsBytes()) {
      add(ShapeText(field.bytes));
    } else if (field.number == 2 && field.IsBytes()) {
      add("\"" + RepairUtf8(field.bytes.substr(0, kMostAttrBytes)) + "\"");
    } else if (field.number == 3 || field.number == 5 || field.number == 6) {
      protobuf::ForEachNumber(field, WireType::kVarint, [&](uint64_t value) {
        if (text.size() < kMostAttrBytes) {
          add(field.number == 6 ? TypeText(value) : std::to_string(static_cast<int64_t>(value)));
        }
      });
    } else if (field.number == 4 && field.type == WireType::kFixed32) {
      add(std::to_string(field.Double()));
    } else {
      add("…");
    }
  }
  static_cast<void>(depth);
  return text + "]";
}

// AttrValue: 1 list, 2 bytes, 3 int, 4 float, 5 bool, 6 type, 7 shape, 8 tensor, 10 function.
std::string AttrText(std::string_view attr, int depth) {
  std::string text;
  for (MessageReader reader(attr); reader.Next();) {
    const Field& field = reader.field();
    switch (field.number) {
      case 1:
        if (field.IsBytes() && depth < kMostDepth) text = ListText(field.bytes, depth + 1);
        break;
      case 2:
        if (field.IsBytes()) {
          text = Shortened(RepairUtf8(field.bytes.substr(0, 2 * kMostAttrBytes)));
        }
        break;
      case 3:
        if (field.IsNumber()) text = std::to_string(field.Signed());
        break;
      case 4:
        if (field.type == WireType::kFixed32) text = std::to_string(field.Double());
        break;
      case 5:
        if (field.IsNumber()) text = field.value != 0 ? "true" : "false";
        break;
      case 6:
        if (field.IsNumber()) text = TypeText(field.value);
        break;
      case 7:
        if (field.IsBytes()) text = ShapeText(field.bytes);
        break;
      case 8:
        if (field.IsBytes()) text = "a tensor of " + std::to_string(field.bytes.size()) + " bytes";
        break;
      case 10:
        if (field.IsBytes()) text = "a function";
        break;
      default:
        break;
    }
  }
  return text;
}

// _output_shapes: a list of shapes.
std::string OutputShapes(std::string_view attr) {
  std::string text;
  for (MessageReader reader(attr); reader.Next();) {
    if (reader.field().number != 1 || !reader.field().IsBytes()) continue;
    for (MessageReader list(reader.field().bytes); list.Next() && text.size() < kMostAttrBytes;) {
      if (list.field().number != 7 || !list.field().IsBytes()) continue;
      text += (text.empty() ? "" : ", ") + ShapeText(list.field().bytes);
    }
  }
  return text;
}

// False: damaged.
bool ReadNode(std::string_view bytes, GraphNode& node) {
  MessageReader reader(bytes);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (!field.IsBytes()) continue;
    switch (field.number) {
      case 1:
        node.name = RepairUtf8(field.bytes);
        break;
      case 2:
        node.op = RepairUtf8(field.bytes);
        break;
      case 3:
        if (node.inputs.size() < kMostInputs) node.inputs.push_back(RepairUtf8(field.bytes));
        break;
      case 4:
        node.device = RepairUtf8(field.bytes);
        break;
      case 5: {
        std::string key;
        std::string_view value;
        MessageReader entry(field.bytes);
        while (entry.Next()) {
          if (!entry.field().IsBytes()) continue;
          if (entry.field().number == 1) key = RepairUtf8(entry.field().bytes);
          if (entry.field().number == 2) value = entry.field().bytes;
        }
        if (entry.bad()) return false;
        if (key == "_output_shapes") node.shape = OutputShapes(value);
        node.attrs.emplace_back(std::move(key), Shortened(AttrText(value, 0)));
        break;
      }
      default:
        break;
    }
  }
  return !reader.bad();
}

// "^name" and "name:1" lead to the node "name".
std::string_view SourceOf(std::string_view input, bool& control) {
  control = input.starts_with('^');
  if (control) input.remove_prefix(1);
  const size_t colon = input.rfind(':');
  if (colon != std::string_view::npos && colon + 1 < input.size() &&
      input.find_first_not_of("0123456789", colon + 1) == std::string_view::npos) {
    input = input.substr(0, colon);
  }
  return input;
}

}  // namespace

Result<Graph> DecodeGraph(std::string_view graph_def, size_t most) {
  const auto refuse = [](const std::string& why) {
    return Fail(ErrorCode::kUnreadable, "the graph cannot be shown: " + why);
  };
  Graph graph;
  MessageReader reader(graph_def);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (!field.IsBytes()) continue;
    if (field.number == 1) {
      if (graph.nodes.size() == most) {
        graph.cut = true;
        continue;
      }
      if (!ReadNode(field.bytes, graph.nodes.emplace_back())) return refuse("a node is damaged");
      std::ranges::sort(graph.nodes.back().attrs);
    } else if (field.number == 2) {
      for (MessageReader library(field.bytes); library.Next();) {
        if (library.field().number == 1) ++graph.functions;
      }
    } else if (field.number == 4) {
      for (MessageReader versions(field.bytes); versions.Next();) {
        if (versions.field().number == 1) graph.producer = versions.field().Signed();
      }
    }
  }
  if (reader.bad()) return refuse("its message is damaged");
  return graph;
}

std::string_view GraphOfMetaGraph(std::string_view meta_graph_def) {
  for (MessageReader reader(meta_graph_def); reader.Next();) {
    if (reader.field().number == 2 && reader.field().IsBytes()) return reader.field().bytes;
  }
  return {};
}

GraphScope ScopeOf(const Graph& graph, std::string_view scope) {
  GraphScope shown;
  const std::string prefix = scope.empty() ? std::string() : std::string(scope) + "/";
  // The name of what stands for a node here; empty: it is outside.
  const auto standing = [&](std::string_view name) -> std::string_view {
    if (!name.starts_with(prefix)) return {};
    const size_t slash = name.find('/', prefix.size());
    return slash == std::string_view::npos ? name : name.substr(0, slash);
  };
  std::unordered_map<std::string_view, size_t> places;
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const std::string_view name = graph.nodes[i].name;
    const std::string_view group = standing(name);
    if (group.empty()) continue;
    const auto [at, is_new] = places.try_emplace(group, shown.nodes.size());
    if (is_new) shown.nodes.push_back({std::string(group), 0, SIZE_MAX});
    GraphScope::Node& node = shown.nodes[at->second];
    if (group.size() == name.size()) {
      node.node = i;
    } else {
      ++node.children;
    }
  }
  struct Count {
    size_t all = 0;
    size_t control = 0;
  };
  std::map<std::pair<size_t, size_t>, Count> edges;
  std::map<std::string, size_t> inputs;
  std::map<std::string, size_t> outputs;
  for (const GraphNode& node : graph.nodes) {
    const std::string_view to = standing(node.name);
    for (const std::string& input : node.inputs) {
      bool control = false;
      const std::string_view source = SourceOf(input, control);
      const std::string_view from = standing(source);
      if (to.empty() && from.empty()) continue;
      if (to.empty()) {
        ++outputs[node.name];
        continue;
      }
      const auto place = from.empty() ? places.end() : places.find(from);
      if (place == places.end()) {
        ++inputs[std::string(source)];
        continue;
      }
      if (from == to) continue;
      Count& count = edges[{place->second, places.at(to)}];
      ++count.all;
      if (control) ++count.control;
    }
  }
  for (const auto& [ends, count] : edges) {
    shown.edges.push_back({ends.first, ends.second, count.all, count.control == count.all});
  }
  shown.inputs.assign(inputs.begin(), inputs.end());
  shown.outputs.assign(outputs.begin(), outputs.end());
  return shown;
}

}  // namespace telltale::tfevents
