// SPDX-License-Identifier: Apache-2.0
// The tags of each run that belong to a plugin, as most routes `tags` answer.
#pragma once

#include <functional>

#include "base/json_writer.h"
#include "server/tensorboard/data_request.h"

namespace telltale {

// A version of the plugin's data that TensorBoard of today knows.
[[nodiscard]] bool HasKnownVersion(const BoardSeries& series);

// {run: {tag: {displayName, description, …}}}; `more` adds fields.
[[nodiscard]] HttpResponse TagIndex(
    const DataContext& context, std::string_view plugin,
    const std::function<void(const BoardSeries& series, JsonWriter& json)>& more = {});

// Descriptions of a tag in all runs, as HTML: {tag: "<p>…</p>"}.
void WriteTagDescriptions(const Board& board, std::string_view plugin, JsonWriter& json);

}  // namespace telltale
