// SPDX-License-Identifier: Apache-2.0
#include "server/run_values.h"

#include <algorithm>

#include <fmt/format.h>

#include "io/byte_source.h"
#include "server/path_inside.h"
#include "server/run_routes.h"
#include "server/tensorboard/stored_values.h"

namespace telltale {

namespace {

constexpr size_t kLargestFile = size_t{256} << 20;

}  // namespace

std::optional<RunValues> FindRunValues(const RouteContext& context, std::string_view run,
                                       std::string_view tag, std::string_view plugin, bool raw) {
  std::optional<RunValues> found;
  static_cast<void>(context.runs->workspace().WithSeries(
      run,
      [&](const RunSeries& series) {
        const TagSeries* const shown = series.Find(tag, plugin);
        if (shown == nullptr) return;
        found.emplace();
        found->plugin = shown->plugin;
        for (const TagSeries::Piece& piece : shown->pieces) {
          if (found->plugin_content.empty()) found->plugin_content = piece.tag->plugin_content;
          for (size_t i = 0; i < piece.tag->values.size(); ++i) {
            RunValue value;
            value.stored = piece.tag->values[i];
            if (piece.logged == nullptr) {
              value.path = piece.path;
            } else if (i < piece.logged->size()) {
              value.json = (*piece.logged)[i].json;
              const std::string& file = (*piece.logged)[i].file;
              if (!file.empty()) value.file = PathInside(piece.media, file).value_or("");
            }
            found->values.push_back(std::move(value));
          }
        }
      },
      raw));
  return found;
}

std::optional<std::string> BytesOf(const FileGate& gate, const RunValue& value) {
  if (!value.file.empty()) {
    Result<std::string> bytes = ReadSmallFile(value.file, gate, kLargestFile);
    return bytes ? std::optional(std::move(*bytes)) : std::nullopt;
  }
  if (value.path.empty()) return std::nullopt;
  std::optional<std::string> bytes;
  ForEachStored(gate, {{value.path, value.stored}},
                [&](const StoredValue&, std::string_view stored) { bytes = stored; });
  return bytes;
}

std::vector<size_t> SpreadPlaces(size_t count, size_t limit) {
  std::vector<size_t> places;
  const size_t shown = std::min(count, limit);
  for (size_t i = 0; i < shown; ++i) {
    places.push_back(shown == 1 ? count - 1 : (count - 1) * i / (shown - 1));
  }
  return places;
}

}  // namespace telltale
