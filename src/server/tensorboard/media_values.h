// SPDX-License-Identifier: Apache-2.0
// Images and sounds of a series, and the keys by which a client asks for the bytes of one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/tensorboard/data_request.h"

namespace telltale {

struct MediaStep {
  int64_t step = 0;
  double wall_time = 0;
  size_t samples = 0;
  BoardValue value;
};
// By step; of several values of a step the first one, which is the only one that a key names.
[[nodiscard]] std::vector<MediaStep> MediaSteps(const DataContext& context, std::string_view plugin,
                                                const std::vector<BoardValue>& values);
// The most that a step of it has.
[[nodiscard]] size_t MostSamples(const DataContext& context, const BoardSeries& series);

struct BlobName {
  std::string plugin;
  std::string run;
  std::string tag;
  int64_t step = 0;
  size_t sample = 0;
};
// URL-safe; opaque to clients.
[[nodiscard]] std::string BlobKey(const BlobName& name);
[[nodiscard]] std::optional<BlobName> ReadBlobKey(std::string_view key);

// The bytes, with the type that they show. `plugin`: the only one that the key may name.
[[nodiscard]] HttpResponse BlobResponse(const DataContext& context, std::string_view key,
                                        std::string_view plugin);

}  // namespace telltale
