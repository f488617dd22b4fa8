// SPDX-License-Identifier: Apache-2.0
// Rules about why devices had nothing to run: idle_input, idle_synchronization, host_limited,
// full_queue.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "analysis/core/sums.h"
#include "health/evidence.h"
#include "health/facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kInputShare = 0.05;
constexpr double kSynchronizationShare = 0.02;
constexpr double kHostShare = 0.05;
constexpr double kShortShare = 0.50;

// Of all devices, from their first to their last event.
struct IdleTime {
  int64_t idle_ns = 0;  // for the cause
  int64_t window_ns = 0;
  [[nodiscard]] double share() const {
    return window_ns <= 0 ? 0 : static_cast<double>(idle_ns) / static_cast<double>(window_ns);
  }
};

IdleTime IdleBecauseOf(const Facts& facts, IdleCause cause) {
  IdleTime time;
  const Facts::OfEach<IdleReport> reports = facts.Idle();
  for (const IdleReport& report : *reports) {
    for (const IdleRow& row : report.rows) {
      if (!row.whole_device) continue;
      AddTo(time.idle_ns, row.cause_ns[static_cast<size_t>(cause)]);
      AddTo(time.window_ns, row.window_ns);
    }
  }
  return time;
}

void AddIdle(Recommendation& made, const IdleTime& time) {
  AddEvidence(made, "idle_ns", time.idle_ns);
  AddEvidence(made, "window_ns", time.window_ns);
  AddEvidence(made, "idle_share", time.share());
}

std::optional<Recommendation> FindIdleInput(const Facts& facts) {
  const IdleTime time = IdleBecauseOf(facts, IdleCause::kInput);
  if (time.share() <= kInputShare) return std::nullopt;
  Recommendation made =
      Make(AdviceSeverity::kLow,
           fmt::format("The devices wait {} of their time ({}) for the DataLoader.",
                       Share(time.share()), Duration(time.idle_ns)),
           "Use more workers (num_workers), persistent_workers=True, pin_memory=True and cheaper "
           "transforms.");
  AddIdle(made, time);
  return made;
}

std::optional<Recommendation> FindIdleSynchronization(const Facts& facts) {
  const IdleTime time = IdleBecauseOf(facts, IdleCause::kSynchronisation);
  if (time.share() <= kSynchronizationShare) return std::nullopt;
  Recommendation made = Make(
      AdviceSeverity::kLow,
      fmt::format("The devices are idle {} of their time ({}) because the host had waited for them "
                  "and queued nothing.",
                  Share(time.share()), Duration(time.idle_ns)),
      "Avoid .item(), .cpu() and print(loss) in the loop; copy with non_blocking=True.");
  AddIdle(made, time);
  return made;
}

// The largest share of one rank's launches that take longer than their work.
double LargestShortShare(const Facts& facts) {
  double largest = 0;
  const Facts::OfEach<LaunchReport> reports = facts.Launches();
  for (const LaunchReport& report : *reports) {
    const LaunchSummary& all = report.summary;
    if (all.launches == 0) continue;
    largest = std::max(largest,
                       static_cast<double>(all.short_launches) / static_cast<double>(all.launches));
  }
  return largest;
}

std::optional<Recommendation> FindHostLimited(const Facts& facts) {
  const IdleTime time = IdleBecauseOf(facts, IdleCause::kHostWait);
  const double short_share = LargestShortShare(facts);
  if (time.share() <= kHostShare && short_share <= kShortShare) return std::nullopt;
  std::string finding =
      fmt::format("The host is the limit: the devices wait {} of their time ({}) for launches",
                  Share(time.share()), Duration(time.idle_ns));
  if (short_share > kShortShare) {
    finding += fmt::format(", and {} of launches take longer than their work", Share(short_share));
  }
  Recommendation made =
      Make(AdviceSeverity::kLow, finding + ".",
           "Use larger batches, torch.compile, CUDA graphs (mode=\"reduce-overhead\") and fused "
           "optimizers.");
  AddIdle(made, time);
  AddEvidence(made, "short_share", short_share);
  return made;
}

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

Rule IdleInput() {
  return {
      .id = "idle_input",
      .title = "idle, waiting for input",
      .needs = "device events, DataLoader ranges",
      .threshold = "devices idle > 5 % of their time because the host waited for its DataLoader",
      .reason = "as dataloader_wait, which speaks instead where there are steps",
      .views = {"idle"},
      .of_subject = FindIdleInput,
      .unless = "dataloader_wait"};
}

Rule IdleSynchronization() {
  return {.id = "idle_synchronization",
          .title = "idle after waiting for the device",
          .needs = "device events, runtime calls",
          .threshold = "devices idle > 2 % of their time because the host had waited for them",
          .reason =
              "the waits are commonly a few lines that can go; synchronization speaks instead "
              "where they are many",
          .views = {"idle"},
          .of_subject = FindIdleSynchronization,
          .unless = "synchronization"};
}

Rule HostLimited() {
  return {.id = "host_limited",
          .title = "host limited",
          .needs = "device events with their launching calls",
          .threshold =
              "devices idle > 5 % of their time because the next launch had not begun, or > "
              "50 % of a rank's launches take longer than their work",
          .reason =
              "a few gaps are normal; where most launches outlast their work the host can never "
              "get ahead. launch_bound speaks instead where it costs a fifth of the time",
          .views = {"idle", "launches"},
          .of_subject = FindHostLimited,
          .unless = "launch_bound"};
}

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
