// SPDX-License-Identifier: Apache-2.0
// Rules about modules: outside_modules, recomputation.
#include <fmt/format.h>

#include <optional>

#include "health/evidence.h"
#include "health/facts.h"
#include "health/rules.h"

namespace telltale::health {

namespace {

constexpr double kOutsideShare = 0.20;

std::optional<Recommendation> FindOutsideModules(const Facts& facts) {
  const Facts::Shared<ModuleReport> report = facts.Modules();
  const bool on_device = report->device_ns > 0;
  const int64_t whole = on_device ? report->device_ns : report->host_ns;
  if (report->rows.empty() || !report->rows.back().outside() || whole <= 0) return std::nullopt;
  const ModuleRow& outside = report->rows.back();
  const int64_t time = on_device ? outside.device_self_ns : outside.host_self_ns;
  const double share = static_cast<double>(time) / static_cast<double>(whole);
  if (share <= kOutsideShare) return std::nullopt;
  Recommendation made =
      Make(AdviceSeverity::kLow,
           fmt::format("{} of the {} time ({}) lies outside of modules: {}.", Share(share),
                       on_device ? "device" : "host", Duration(time),
                       facts.Training() ? "optimizer, loss, data" : "sampling, data, copies"),
           facts.Training() ? "Fused optimizers (fused=True) often help."
                            : "The operators view, by stack, shows who calls it.");
  AddEvidence(made, "outside_ns", time);
  AddEvidence(made, "outside_share", share);
  return made;
}

std::optional<Recommendation> FindRecomputation(const Facts& facts) {
  const Facts::Shared<ModuleReport> report = facts.Modules();
  uint64_t calls = 0;
  for (const ModuleRow& row : report->rows) calls += row.recomputed_calls;
  if (calls == 0) return std::nullopt;
  Recommendation made =
      Make(AdviceSeverity::kLow,
           fmt::format("{} recomputed in the backward pass (activation checkpointing): that buys "
                       "memory with time.",
                       Counted(calls, "call of a module is", "calls of modules are")),
           "Where memory is left, checkpoint fewer modules.");
  AddEvidence(made, "recomputed_calls", calls);
  return made;
}

}  // namespace

Rule OutsideModules() {
  return {
      .id = "outside_modules",
      .title = "work outside of modules",
      .needs = "calls of modules (with_stack=True, or Lightning's profiler)",
      .threshold = "> 20 % of the device time (host time without a device) lies outside of modules",
      .reason = "an optimizer step commonly takes a tenth",
      .views = {"modules"},
      .of_subject = FindOutsideModules};
}

Rule Recomputation() {
  return {.id = "recomputation",
          .title = "recomputation",
          .needs = "calls of modules (with_stack=True, or Lightning's profiler)",
          .threshold = "a module is called in the backward pass",
          .reason = "it is a choice that somebody made, and may have been forgotten",
          .views = {"modules"},
          .of_subject = FindRecomputation};
}

}  // namespace telltale::health
