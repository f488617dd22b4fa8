// SPDX-License-Identifier: Apache-2.0
// Sessions of the hparams plugin, in groups: the runs that said with which values they began, with
// the last value of each metric. Filtered and sorted as a request asks.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/value.h"
#include "base/result.h"
#include "formats/tfevents/hparams.h"
#include "server/tensorboard/board.h"

namespace telltale {

using tfevents::HparamExperiment;
using tfevents::HparamInfo;
using tfevents::HparamMetric;
using tfevents::HparamMetricName;
using tfevents::HparamSessionEnd;
using tfevents::HparamSessionStart;
using tfevents::HparamType;
using tfevents::HparamValue;

struct HparamMetricValue {
  HparamMetricName name;
  double value = 0;
  int64_t step = 0;
  double wall_time = 0;
};

struct HparamSession {
  std::string name;
  HparamSessionStart start;
  HparamSessionEnd end;
  std::vector<HparamMetricValue> metrics;
};

struct HparamSessionGroup {
  std::string name;
  std::vector<std::pair<std::string, HparamValue>> hparams;
  std::vector<HparamMetricValue> metrics;  // of its sessions, taken together
  std::vector<HparamSession> sessions;
  std::string monitor_url;
};

// All that the runs say about hyper-parameters.
struct HparamRuns {
  // Of all runs, taken together: TensorBoard shows what the first one knows alone.
  HparamExperiment experiment;
  std::vector<HparamSession> sessions;  // in the order of runs
};
[[nodiscard]] HparamRuns ReadHparamRuns(const Board& board, bool purge);

// The request is TensorBoard's ListSessionGroupsRequest in JSON. An Error says what is wrong with
// it.
[[nodiscard]] Result<std::vector<HparamSessionGroup>> SessionGroups(const HparamRuns& runs,
                                                                    const JsonValue& request);

// A member by its name in JSON, or as the message calls it: "colParams", "col_params".
[[nodiscard]] const JsonValue& Member(const JsonValue& object, std::string_view camel,
                                      std::string_view snake);

}  // namespace telltale
