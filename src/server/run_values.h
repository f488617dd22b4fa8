// SPDX-License-Identifier: Apache-2.0
// The values of a tag that stay on disk, for the routes that decode them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runs/workspace.h"
#include "server/route.h"

namespace telltale {

// One value: in an event file, or what another tracker logged.
struct RunValue {
  StoredValue stored;
  std::string path;  // of the event file; empty: logged
  std::string json;  // logged
  std::string file;  // logged: a file, absolute; empty: none
};

struct RunValues {
  std::string plugin;
  std::string plugin_content;
  std::vector<RunValue> values;  // in the order written
};

// nullopt: no such run, or no such tag of these plugins (any for none).
[[nodiscard]] std::optional<RunValues> FindRunValues(const RouteContext& context,
                                                     std::string_view run, std::string_view tag,
                                                     std::string_view plugin, bool raw);

// The bytes; nullopt: they cannot be read any more.
[[nodiscard]] std::optional<std::string> BytesOf(const FileGate& gate, const RunValue& value);

// `limit` of `count` places, evenly spread, first and last included.
[[nodiscard]] std::vector<size_t> SpreadPlaces(size_t count, size_t limit);

}  // namespace telltale
