// SPDX-License-Identifier: Apache-2.0
// A run: one training, whoever recorded it, with what is known of it besides its series. What
// people added (colour, pins, tags) lies beside the logs, not in them (src/runs/).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/diagnostics.h"

namespace telltale {

enum class RunStatus : uint8_t { kQueued, kRunning, kCompleted, kFailed, kCanceled, kLost };
inline constexpr size_t kRunStatusCount = 6;

// Who made its folder.
enum class RunKind : uint8_t {
  kTelltale,
  kTensorboard,
  kLightning,
  kHydra,
  kWandb,
  kMlflow,
  kTrackio
};
inline constexpr size_t kRunKindCount = 7;

[[nodiscard]] constexpr std::string_view NameOf(RunStatus status) {
  constexpr std::array<std::string_view, kRunStatusCount> kNames = {
      "Queued", "Running", "Completed", "Failed", "Canceled", "Lost"};
  return kNames[static_cast<size_t>(status)];
}
[[nodiscard]] constexpr std::string_view NameOf(RunKind kind) {
  constexpr std::array<std::string_view, kRunKindCount> kNames = {
      "telltale", "tensorboard", "lightning", "hydra", "wandb", "mlflow", "trackio"};
  return kNames[static_cast<size_t>(kind)];
}
// By name, exactly; nothing: there is none.
[[nodiscard]] constexpr std::optional<RunStatus> RunStatusNamed(std::string_view name) {
  for (size_t i = 0; i < kRunStatusCount; ++i) {
    if (NameOf(RunStatus(i)) == name) return RunStatus(i);
  }
  return std::nullopt;
}
[[nodiscard]] constexpr std::optional<RunKind> RunKindNamed(std::string_view name) {
  for (size_t i = 0; i < kRunKindCount; ++i) {
    if (NameOf(RunKind(i)) == name) return RunKind(i);
  }
  return std::nullopt;
}

// monostate: null.
using ConfigValue = std::variant<std::monostate, bool, int64_t, double, std::string>;

struct RunInfo {
  std::string id;    // short, the same as long as its folder is where it is
  std::string name;  // as people call it
  std::string path;
  RunKind kind = RunKind::kTensorboard;
  std::optional<std::string> experiment;
  std::optional<std::string> group;
  std::optional<RunStatus> status;  // none: the files do not say
  std::optional<int64_t> start_ns;  // since 1970
  std::optional<int64_t> end_ns;
  std::vector<std::pair<std::string, ConfigValue>> config;  // what nests is joined by '.'
  std::vector<std::string> tags;
  std::optional<std::string> note;
  std::vector<std::string> files;     // of its series
  std::vector<std::string> profiles;  // traces and profiles in its folder
  Diagnostics diagnostics;

  std::string color;  // "#rrggbb"; empty: the palette's
  bool pinned = false;
  bool hidden = false;
  bool deleted = false;
};

}  // namespace telltale
