// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/keras_model.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "base/json/value.h"
#include "base/protobuf.h"

namespace telltale::tfevents {

namespace {

tl::unexpected<Error> NoModel(const std::string& why) {
  return Fail(ErrorCode::kUnreadable, "the Keras model cannot be drawn: " + why);
}

// TensorFlow's numbers of Keras's names. Others, policies of mixed precision among them, are no
// type of a tensor.
std::optional<int64_t> TypeOf(std::string_view name) {
  struct Named {
    std::string_view name;
    int64_t number;
  };
  static constexpr std::array<Named, 18> kTypes = {{
      {"float32", 1},
      {"float64", 2},
      {"int32", 3},
      {"uint8", 4},
      {"int16", 5},
      {"int8", 6},
      {"string", 7},
      {"complex64", 8},
      {"int64", 9},
      {"bool", 10},
      {"bfloat16", 14},
      {"uint16", 17},
      {"complex128", 18},
      {"float16", 19},
      {"uint32", 22},
      {"uint64", 23},
      {"float", 1},
      {"half", 19},
  }};
  const auto* const found = std::ranges::find(kTypes, name, &Named::name);
  return found == kTypes.end() ? std::nullopt : std::optional(found->number);
}

std::string Scoped(const std::string& scope, const std::string& name) {
  return scope.empty() ? name : scope + "/" + name;
}

// An output of a layer: [name, how often it was called, which output].
struct Source {
  std::string name;
  size_t output = 0;
};

void AddSource(const JsonValue& history, std::vector<Source>& sources) {
  const std::vector<JsonValue>& parts = history.elements();
  if (parts.size() < 3 || !parts[0].IsString()) return;
  sources.push_back(
      {parts[0].AsString(), static_cast<size_t>(std::max<int64_t>(parts[2].AsInt(), 0))});
}

// ["a", 0, 0], or a list of these.
std::vector<Source> SourcesOf(const JsonValue& layers) {
  std::vector<Source> sources;
  AddSource(layers, sources);
  for (const JsonValue& layer : layers.elements()) AddSource(layer, sources);
  return sources;
}

// What Keras 3 writes: {"args": [tensor, or a list of them]}, each with its "keras_history".
std::vector<Source> InboundOf(const JsonValue& layer) {
  std::vector<Source> sources;
  const auto add = [&](const JsonValue& tensor) {
    AddSource(tensor["config"]["keras_history"], sources);
  };
  for (const JsonValue& node : layer["inbound_nodes"].elements()) {
    for (const JsonValue& argument : node["args"].elements()) {
      add(argument);
      for (const JsonValue& tensor : argument.elements()) add(tensor);
    }
  }
  return sources;
}

class KerasGraph {
 public:
  // The layer and those in it. False: it is none.
  bool Add(const JsonValue& layer, const std::string& scope) {
    const JsonValue& config = layer["config"];
    const JsonValue& layers = config["layers"];
    if (!config["name"].IsString()) return false;
    const std::string name = Scoped(scope, config["name"].AsString());
    if (layers.IsNull()) {
      AddNode(layer, scope, name);
      return true;
    }
    if (layers.elements().empty()) return false;
    EnterModel(layer, scope, name);
    return std::ranges::all_of(layers.elements(),
                               [&](const JsonValue& one) { return Add(one, name); });
  }

  [[nodiscard]] std::string Take() { return std::string(graph_.bytes()); }

 private:
  // Notes what leads into the model, and what comes out of it.
  void EnterModel(const JsonValue& model, const std::string& scope, const std::string& name) {
    const JsonValue& config = model["config"];
    const std::vector<Source> inputs = SourcesOf(config["input_layers"]);
    const std::vector<Source> outputs = SourcesOf(config["output_layers"]);
    const std::vector<Source> inbound = InboundOf(model);
    const bool functional = !inputs.empty() && !outputs.empty();
    if (functional && !inbound.empty()) {
      for (size_t i = 0; i < std::min(inputs.size(), inbound.size()); ++i) {
        before_input_[Scoped(name, inputs[i].name)] = Scoped(scope, inbound[i].name);
      }
    } else if (functional && !previous_.empty()) {
      before_input_[Scoped(name, inputs[0].name)] = previous_;
    } else if (!inbound.empty()) {
      previous_ = Scoped(scope, inbound[0].name);
    }
    std::vector<std::string>& ends = ends_[name];
    for (const Source& output : outputs) ends.push_back(Scoped(name, output.name));
    if (!functional) {
      ends = {Scoped(name, config["layers"].elements().back()["config"]["name"].AsString())};
    }
  }

  void AddNode(const JsonValue& layer, const std::string& scope, const std::string& name) {
    const size_t node = graph_.Begin(1);
    graph_.Bytes(1, name);
    if (!layer["inbound_nodes"].IsNull()) {
      for (const Source& source : InboundOf(layer)) AddInput(Scoped(scope, source.name), source);
    } else if (!previous_.empty()) {
      graph_.Bytes(3, previous_);
    }
    if (const auto before = before_input_.find(name); before != before_input_.end()) {
      graph_.Bytes(3, before->second);
    }
    if (layer["class_name"].IsString()) {
      AddAttribute("keras_class", [&] { graph_.Bytes(2, layer["class_name"].AsString()); });
    }
    const JsonValue& dtype = layer["config"]["dtype"];
    const JsonValue& type_name = dtype.IsObject() ? dtype["config"]["name"] : dtype;
    if (const std::optional<int64_t> type = TypeOf(type_name.AsString())) {
      AddAttribute("dtype", [&] { graph_.Int(6, *type); });
    }
    graph_.End(node);
    previous_ = name;
  }

  // Of a model, the layer that makes the output; the last one where it has fewer of them.
  void AddInput(const std::string& from, const Source& source) {
    const auto ends = ends_.find(from);
    if (ends == ends_.end() || ends->second.empty()) {
      graph_.Bytes(3, from);
    } else {
      graph_.Bytes(3, ends->second[std::min(source.output, ends->second.size() - 1)]);
    }
  }

  template <typename Write>
  void AddAttribute(std::string_view key, const Write& write) {
    const size_t entry = graph_.Begin(5);
    graph_.Bytes(1, key);
    const size_t value = graph_.Begin(2);
    write();
    graph_.End(value);
    graph_.End(entry);
  }

  protobuf::MessageWriter graph_;
  std::string previous_;  // the layer before, in the order of layers
  std::map<std::string, std::string> before_input_;
  std::map<std::string, std::vector<std::string>> ends_;  // of models
};

}  // namespace

Result<std::string> GraphOfKerasModel(std::string_view json) {
  const Result<JsonValue> model = ParseJson(json);
  if (!model) return NoModel(model.error().message);
  KerasGraph graph;
  if (!graph.Add(*model, "")) return NoModel("a layer has no name, or a model has no layers");
  return graph.Take();
}

}  // namespace telltale::tfevents
