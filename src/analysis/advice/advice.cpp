// SPDX-License-Identifier: Apache-2.0
// Runs the rules, keeps two of them from reporting one cause twice, and sorts.
#include "analysis/advice/advice.h"

#include <algorithm>
#include <utility>

#include "analysis/advice/rules.h"

namespace telltale {

namespace {

using advice::Context;
using advice::Find;
using advice::Rule;

Recommendation* FindMutable(std::vector<Recommendation>& recommendations, std::string_view rule) {
  for (Recommendation& r : recommendations) {
    if (r.rule == rule) return &r;
  }
  return nullptr;
}

// The weaker of two rules about one cause is lowered and says so.
void GiveWay(std::vector<Recommendation>& all, std::string_view weaker, std::string_view stronger,
             std::string_view sentence) {
  Recommendation* gives_way = FindMutable(all, weaker);
  if (gives_way == nullptr || Find(all, stronger) == nullptr) return;
  advice::Lower(gives_way->severity);
  gives_way->text += " ";
  gives_way->text += sentence;
}

void SettleSharedCauses(std::vector<Recommendation>& all) {
  GiveWay(all, "communication", "nccl_backend", "Change the backend first: see nccl_backend.");
  GiveWay(all, "host_code", "launch_bound",
          "It is the code between the launches: what launch_bound advises helps here, too.");
  if (const Recommendation* waits = Find(all, "synchronization")) {
    constexpr double kMostly = 0.5;
    if (advice::ShareEvidence(*waits, "from_copies_share") >= kMostly) {
      GiveWay(all, "host_device_copies", "synchronization",
              "Most of these copies are also the waits that synchronization reports.");
    }
  }
  GiveWay(all, "pageable_copies", "host_device_copies",
          "Copying less, as host_device_copies says, comes first.");
}

}  // namespace

std::vector<Recommendation> Advise(const Trace& trace, const HostTree& tree,
                                   const DeviceLinks& links, const NameFacts& facts,
                                   const ProfileReport& report) {
  const Context context = advice::MakeContext(trace, tree, links, facts, report);
  std::vector<Recommendation> all;
  auto add = [&all](Rule rule) {
    if (rule) all.push_back(*std::move(rule));
  };
  add(advice::DataloaderWait(context));
  add(advice::HostCode(context));
  add(advice::DataParallel(context));
  add(advice::NcclBackend(context));
  add(advice::Communication(context));
  add(advice::LaunchBound(context));
  add(advice::Synchronization(context));
  add(advice::LowUtilization(context, all));  // after those that may explain the idle time
  add(advice::TensorCores(context));
  add(advice::MemoryLimit(context));
  add(advice::HostDeviceCopies(context));
  add(advice::PageableCopies(context));
  add(advice::DominatingShape(context));
  add(advice::CompileBreaks(context));
  SettleSharedCauses(all);
  std::stable_sort(all.begin(), all.end(), [](const Recommendation& a, const Recommendation& b) {
    return a.severity < b.severity;
  });
  return all;
}

}  // namespace telltale
