// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/uneven.h"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>

#include "analysis/core/sums.h"
#include "base/cancel.h"

namespace telltale {

namespace {

// Fewer of a kind say nothing about what is usual.
constexpr uint32_t kFewest = 5;
constexpr uint32_t kFewestCollectives = 3;
// So many times what is usual is uneven …
constexpr int64_t kFarLonger = 4;
// … if it is so much longer at least.
constexpr int64_t kLeastExcessNs = 200'000;
// More than one in four of a kind is no exception any more.
constexpr uint32_t kOneIn = 4;

// Durations of one kind by powers of two: enough for what is usual, in one pass and no memory.
struct Group {
  std::array<uint32_t, 64> count = {};
  std::array<int64_t, 64> sum_ns = {};
  uint32_t total = 0;

  static size_t BucketOf(int64_t ns) {
    return ns <= 0 ? 0 : static_cast<size_t>(std::bit_width(static_cast<uint64_t>(ns)) - 1);
  }
  void Add(int64_t ns) {
    const size_t bucket = BucketOf(ns);
    ++count[bucket];
    AddTo(sum_ns[bucket], std::max<int64_t>(ns, 0));
    ++total;
  }
  // The mean of those around the one at `place`.
  [[nodiscard]] int64_t At(uint32_t place) const {
    uint32_t seen = 0;
    for (size_t b = 0; b < count.size(); ++b) {
      seen += count[b];
      if (seen > place) return sum_ns[b] / count[b];
    }
    return 0;
  }
};

struct Sample {
  SpanRow row;
  uint32_t group;
  int64_t own_ns;
  bool collective;
};

class Samples {
 public:
  void Add(SpanRow row, uint64_t key, int64_t own_ns, bool collective) {
    const auto [at, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(groups_.size()));
    if (is_new) groups_.emplace_back();
    groups_[at->second].Add(own_ns);
    samples_.push_back({row, at->second, own_ns, collective});
  }

  // The parts of each span that are too much.
  void Judge(size_t spans, Column<uint32_t>& excess) const {
    std::vector<int64_t> usual(groups_.size());
    std::vector<uint32_t> exceptions(groups_.size(), 0);
    std::vector<int64_t> fastest(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      usual[g] = groups_[g].At((groups_[g].total - 1) / 2);
      fastest[g] = groups_[g].At(0);
    }
    for (const Sample& sample : samples_) {
      if (IsException(sample, usual[sample.group])) ++exceptions[sample.group];
    }
    for (const Sample& sample : samples_) {
      const Group& group = groups_[sample.group];
      int64_t right = sample.own_ns;
      if (sample.collective) {
        // A fastest one that waits as well says nothing of the transfer.
        if (group.total >= kFewestCollectives && fastest[sample.group] <= sample.own_ns / 2) {
          right = fastest[sample.group];
        }
      } else if (group.total >= kFewest && exceptions[sample.group] * kOneIn <= group.total &&
                 IsException(sample, usual[sample.group])) {
        right = usual[sample.group];
      }
      if (sample.own_ns - right < kLeastExcessNs) continue;
      if (excess.empty()) excess.resize(spans);
      excess[sample.row] =
          static_cast<uint32_t>(static_cast<double>(sample.own_ns - right) /
                                static_cast<double>(sample.own_ns) * UnevenWork::kAll);
    }
  }

 private:
  static bool IsException(const Sample& sample, int64_t usual_ns) {
    return sample.own_ns / kFarLonger >= usual_ns && sample.own_ns - usual_ns >= kLeastExcessNs;
  }

  std::unordered_map<uint64_t, uint32_t> numbers_;
  std::vector<Group> groups_;
  std::vector<Sample> samples_;
};

uint64_t Mix(uint64_t key, uint64_t value) {
  return (key ^ (value + 0x9e3779b97f4a7c15U)) * 0xff51afd7ed558ccdU;
}

void AddWork(const PathGraph& graph, bool alone, Samples& samples) {
  const Trace& trace = graph.context->trace;
  CancelCheck cancel;
  for (const PathWork& work : graph.work) {
    cancel.Tick();
    const bool collective = work.cause == PathCause::kCommunication;
    if (collective ? !alone : work.cause != PathCause::kKernel) continue;
    uint64_t key = Mix(collective ? 1 : 0, static_cast<uint64_t>(trace.spans.name[work.span]));
    if (const DeviceDetail* detail = trace.DeviceOf(work.span)) {
      for (const uint32_t side : detail->grid) key = Mix(key, side);
      if (detail->collective != kNoDetail) {
        key = Mix(key, static_cast<uint64_t>(trace.collectives[detail->collective].in_elements));
      }
    }
    samples.Add(work.span, key, work.end_ns - work.start_ns, collective);
  }
}

// Operators by their own time, and collectives on the host.
void AddHost(const PathGraph& graph, bool alone, Samples& samples) {
  const TraceContext& context = *graph.context;
  const SpanTable& spans = context.trace.spans;
  const HostTree& tree = context.tree;
  std::vector<int64_t> own(tree.size());
  for (NodeId node = 0; node < tree.size(); ++node) {
    const int64_t duration = spans.duration_ns[tree.span[node]];
    AddTo(own[node], duration);
    if (tree.parent[node] != kNoRow) SubtractFrom(own[tree.parent[node]], duration);
  }
  CancelCheck cancel;
  for (NodeId node = 0; node < tree.size(); ++node) {
    cancel.Tick();
    const SpanRow row = tree.span[node];
    const bool collective = context.facts.Is(spans.name[row], NameFact::kCommunicationRange);
    if (collective ? !alone : spans.category[row] != Category::kOperator) continue;
    uint64_t key = Mix(collective ? 3 : 2, static_cast<uint64_t>(spans.name[row]));
    if (const OperatorDetail* detail = context.trace.OperatorOf(row)) {
      key = Mix(key, static_cast<uint64_t>(detail->input_dims));
    }
    samples.Add(row, key, own[node], collective);
  }
}

}  // namespace

UnevenWork::UnevenWork(const PathGraph& graph, bool host, bool alone) {
  Samples samples;
  AddWork(graph, alone, samples);
  if (host) AddHost(graph, alone, samples);
  samples.Judge(graph.context->trace.spans.size(), excess_);
}

}  // namespace telltale
