// SPDX-License-Identifier: Apache-2.0
#include "sample/program_sampler.h"

#include <algorithm>
#include <chrono>

#include "base/thread_time.h"

namespace telltale {

namespace {

// For children: so often, but on a machine with very many processes not more than this share of a
// processor's time.
constexpr int64_t kUpdateEvery = 200'000'000;
constexpr int64_t kUpdateShare = 1000;
// A program of more processes is sampled in its first ones.
constexpr size_t kMostProcesses = 64;

}  // namespace

ProgramSampler::ProgramSampler(int root, int64_t period_ns, SamplesWriter& writer)
    : share_{.root = root, .period_ns = period_ns, .writer = writer}, tree_(root) {}

void ProgramSampler::Sample(int64_t now_ns) {
  if (now_ns >= next_update_ns_) {
    const std::chrono::nanoseconds before = ThreadTime();
    tree_.Update();
    next_update_ns_ =
        now_ns + std::max(kUpdateEvery, kUpdateShare * int64_t{(ThreadTime() - before).count()});
    const std::vector<int>& members = tree_.members();
    std::erase_if(processes_, [&](const auto& entry) {
      return std::ranges::find(members, entry.first) == members.end();
    });
    for (const int pid : members) {
      if (processes_.contains(pid)) continue;
      if (processes_.size() >= kMostProcesses) {
        share_.Lack("the program has more processes than are sampled: the others are left out");
        break;
      }
      processes_.emplace(pid, std::make_unique<ProcessSampler>(pid, share_));
    }
  }
  std::erase_if(processes_, [&](const auto& entry) { return !entry.second->Sample(now_ns); });
}

}  // namespace telltale
