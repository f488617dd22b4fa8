// SPDX-License-Identifier: Apache-2.0
// The view `distributed` for people.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/distributed/distributed.h"
#include "views/render/terminal.h"

namespace telltale {

// `labels`: of the files, as LabelsOf gives them.
[[nodiscard]] std::string DistributedText(const DistributedReport& report,
                                          const std::vector<std::string>& labels,
                                          const std::optional<std::string>& sort_field,
                                          std::optional<int64_t> limit, const OutputStyle& style);

// What was found, in a sentence or two.
[[nodiscard]] std::string DistributedAnswer(const DistributedReport& report,
                                            const std::vector<std::string>& labels,
                                            const OutputStyle& style);

}  // namespace telltale
