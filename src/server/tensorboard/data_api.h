// SPDX-License-Identifier: Apache-2.0
// TensorBoard's HTTP read API below /data/, so that scripts and notebooks that ask a TensorBoard
// work unchanged: the same JSON, every point kept. docs/tensorboard-api.md has what differs.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http.h"
#include "server/tensorboard/data_request.h"

namespace telltale {

// The path below /data/ that a request names: /data/runs, /experiment/ID/data/runs. nullopt: it is
// none of this API's.
[[nodiscard]] std::optional<std::string_view> DataPath(std::string_view path);

// What it answers about must outlive the handler. Takes requests that have a DataPath.
[[nodiscard]] HttpHandler MakeDataApi(const Workspace& workspace, DataOptions options);

// Whether an answer may be as large as the logs.
[[nodiscard]] bool AnswersWhole(std::string_view data_path);

// The whole table.
[[nodiscard]] std::vector<DataRoute> DataRoutes();

}  // namespace telltale
