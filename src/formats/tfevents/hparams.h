// SPDX-License-Identifier: Apache-2.0
// The messages of TensorBoard's hparams plugin, which lie in the metadata of three tags: what an
// experiment varies, how a session began, how it ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace telltale::tfevents {

constexpr std::string_view kHparamsExperimentTag = "_hparams_/experiment";
constexpr std::string_view kHparamsStartTag = "_hparams_/session_start_info";
constexpr std::string_view kHparamsEndTag = "_hparams_/session_end_info";

using HparamValue = std::variant<std::monostate, double, std::string, bool>;  // monostate: null

enum class HparamType : uint8_t { kUnset, kText, kBool, kNumber };

struct HparamInfo {
  std::string name;
  std::string display_name;
  std::string description;
  HparamType type = HparamType::kUnset;
  std::optional<std::vector<HparamValue>> discrete;
  std::optional<std::pair<double, double>> interval;
  bool differs = false;
};

struct HparamMetricName {
  std::string tag;
  std::string group;
  auto operator<=>(const HparamMetricName&) const = default;
};

struct HparamMetric {
  HparamMetricName name;
  std::string display_name;
  std::string description;
  int64_t dataset_type = 0;
};

struct HparamExperiment {
  std::string name;
  std::string description;
  std::string user;
  double time_created_secs = 0;
  std::vector<HparamInfo> hparams;
  std::vector<HparamMetric> metrics;
};

struct HparamSessionStart {
  std::vector<std::pair<std::string, HparamValue>> hparams;
  std::string model_uri;
  std::string monitor_url;
  std::string group_name;
  double start_time_secs = 0;
};

struct HparamSessionEnd {
  int64_t status = 0;
  double end_time_secs = 0;
};

// From the metadata's bytes; nullopt: it is damaged, or another message. Texts are repaired where
// they are not UTF-8.
[[nodiscard]] std::optional<HparamExperiment> ReadHparamExperiment(std::string_view content);
[[nodiscard]] std::optional<HparamSessionStart> ReadHparamStart(std::string_view content);
[[nodiscard]] std::optional<HparamSessionEnd> ReadHparamEnd(std::string_view content);

}  // namespace telltale::tfevents
