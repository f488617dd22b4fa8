// SPDX-License-Identifier: Apache-2.0
// What small files beside a run's series say about it: hparams.yaml and config.yaml, args.txt and
// experiment_summary.txt (run.json is run_record.h). Texts in, values out; nothing is opened here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/diagnostics.h"
#include "base/json/value.h"
#include "model/run.h"

namespace telltale {

using Config = std::vector<std::pair<std::string, ConfigValue>>;

// Nested mappings are flattened with '.'; lists are their JSON text. Sorted by name.
[[nodiscard]] Config FlattenConfig(const JsonValue& value);
// Of a single text of a tool that knows only texts (MLflow's parameters): 0.1, True and None are
// what they look like.
[[nodiscard]] ConfigValue ConfigFromText(std::string_view text);

// "key: value" lines; others, such as a heading, are passed over.
[[nodiscard]] Config ReadArgsText(std::string_view text);
// By the name of the file; `diagnostics` gets what could not be understood.
[[nodiscard]] Config ReadSettings(std::string_view path, std::string_view text,
                                  Diagnostics& diagnostics);
// Values of `more` take the place of those of the same name.
void MergeConfig(Config& config, Config more);

// "2026-11-15T20:45:01.123456789Z", with any number of decimals, an offset, or a space for the T;
// ns since 1970.
[[nodiscard]] std::optional<int64_t> ParseTime(std::string_view text);

}  // namespace telltale
