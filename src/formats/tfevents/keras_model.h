// SPDX-License-Identifier: Apache-2.0
// The JSON of a Keras model (model.to_json(), which Keras's callback logs for the plugin
// graph_keras_model) as a graph of its layers.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale::tfevents {

constexpr std::string_view kKerasModelPlugin = "graph_keras_model";

// A GraphDef in bytes: a node for each layer, scopes for models within models, as TensorBoard draws
// it. Layers follow what they name as their inputs (functional models), or else the layer before
// them (sequential ones). An Error says why it is no model.
[[nodiscard]] Result<std::string> GraphOfKerasModel(std::string_view json);

}  // namespace telltale::tfevents
