// SPDX-License-Identifier: Apache-2.0
// The rule full_queue: the host is ahead of the device by as much as it can be.
#include <fmt/format.h>

#include <optional>

#include "health/evidence.h"
#include "health/facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

std::optional<Recommendation> FindFullQueue(const Facts& facts) {
  const QueueRow* worst = nullptr;
  const auto share = [](const QueueRow& row) {
    return row.window_ns <= 0
               ? 0.0
               : static_cast<double>(row.full_ns) / static_cast<double>(row.window_ns);
  };
  const Facts::OfEach<LaunchReport> reports = facts.Launches();
  for (const LaunchReport& report : *reports) {
    for (const QueueRow& row : report.queues) {
      if (share(row) > 0 && (worst == nullptr || share(row) > share(*worst))) worst = &row;
    }
  }
  if (worst == nullptr) return std::nullopt;
  Recommendation made = Make(
      AdviceSeverity::kLow,
      fmt::format("The queue of device {} is full {} of the time ({}): the host waits for room "
                  "in it.",
                  worst->device, Share(share(*worst)), Duration(worst->full_ns)),
      "There the device is the limit: make its kernels faster, not the host.");
  AddEvidence(made, "device", worst->device);
  AddEvidence(made, "full_ns", worst->full_ns);
  AddEvidence(made, "full_share", share(*worst));
  AddEvidence(made, "longest_queue", worst->max_length);
  return made;
}

}  // namespace

Rule FullQueue() {
  return {.id = "full_queue",
          .title = "full queue",
          .needs = "device events with their launching calls",
          .threshold = "a stream holds >= 1024 launches at any time",
          .reason = "about there a further launch blocks its caller",
          .views = {"idle", "launches"},
          .of_subject = FindFullQueue};
}

}  // namespace telltale::health
