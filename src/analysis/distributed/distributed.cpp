// SPDX-License-Identifier: Apache-2.0
#include "analysis/distributed/distributed.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "analysis/core/sums.h"
#include "analysis/distributed/collectives.h"
#include "analysis/distributed/match_collectives.h"
#include "analysis/distributed/steps.h"

namespace telltale {

namespace {

template <typename T>
std::optional<T> IfCaptured(T value, T missing) {
  return value == missing ? std::nullopt : std::optional<T>(value);
}

std::optional<std::string> TextIfAny(std::string_view text) {
  return text.empty() ? std::nullopt : std::optional<std::string>(text);
}

std::string NameOf(const CollectiveCall& call) {
  return std::string(call.kind == CollectiveKind::kOther ? call.name : NameOf(call.kind));
}

int64_t Length(const Interval& time) { return Difference(time.end_ns, time.start_ns); }

// Bytes per time, and what crosses each link.
struct Bandwidths {
  std::optional<double> algorithm;
  std::optional<double> bus;
};

Bandwidths BandwidthsOf(CollectiveKind kind, int64_t group_size, std::optional<int64_t> bytes,
                        int64_t time_ns) {
  Bandwidths result;
  if (!bytes || time_ns <= 0 || kind == CollectiveKind::kBarrier) return result;
  result.algorithm = static_cast<double>(*bytes) / static_cast<double>(time_ns);
  if (const std::optional<double> factor = BusFactor(kind, group_size))
    result.bus = *result.algorithm * *factor;
  return result;
}

struct RowSums {
  CollectiveRow row;
  CollectiveKind kind = CollectiveKind::kOther;
  int64_t timed_calls = 0;
  // Over calls with a size and a time: all of them, and the matched collectives.
  int64_t sized_bytes = 0;
  int64_t sized_ns = 0;
  int64_t matched_bytes = 0;
  int64_t matched_ns = 0;
};

class Describer {
 public:
  explicit Describer(std::span<const TraceContext> contexts) : contexts_(contexts) {
    calls_.reserve(contexts.size());
    for (const TraceContext& context : contexts) {
      calls_.push_back(FindCollectives(context));
      CompleteGroups(context, calls_.back());
    }
    matches_ = MatchCollectives(contexts, calls_);
    alignment_ = AlignRanks(contexts, calls_, matches_);
    selected_.resize(matches_.size());
    for (size_t match = 0; match < matches_.size(); ++match) {
      const CollectiveMember& first = matches_.Of(match).front();
      selected_[match] = Selected(first.file, calls_[first.file][first.call]);
    }
    for (const uint32_t match : alignment_.contradicted) {
      selected_[match] = false;
      for (const CollectiveMember& member : matches_.Of(match)) ++matches_.unmatched[member.file];
    }
  }

  DistributedReport Describe() {
    AddCalls();
    AddMatches();
    FinishCollectives();
    AddRanks();
    FindMissing();
    report_.stragglers = FindStragglers(contexts_, calls_, matches_, alignment_, selected_);
    return std::move(report_);
  }

 private:
  // Ranges of gloo and old traces name no group. Where a capture names none at all, there is only
  // the world.
  static void CompleteGroups(const TraceContext& context, std::vector<CollectiveCall>& calls) {
    const int64_t world = context.trace.distributed.world_size;
    const bool named = std::any_of(calls.begin(), calls.end(), [](const CollectiveCall& call) {
      return !call.group_name.empty() || call.group_size != kNoInt;
    });
    if (named || world == kNoInt) return;
    for (CollectiveCall& call : calls) call.group_size = world;
  }

  [[nodiscard]] bool Selected(uint32_t file, const CollectiveCall& call) const {
    return contexts_[file].selection.HasHostTime(call.issued_ns);
  }

  // Calls whose sizes lie between the same powers of two are one row.
  using Key = std::tuple<CollectiveKind, std::string_view, std::string_view, std::string_view,
                         int64_t, int>;

  static Key KeyOf(const CollectiveCall& call) {
    const std::optional<int64_t> bytes = MessageBytes(call);
    const int size_class =
        bytes ? static_cast<int>(std::bit_width(static_cast<uint64_t>(*bytes))) : -1;
    return {call.kind,       call.kind == CollectiveKind::kOther ? call.name : std::string_view(),
            call.group_name, call.dtype,
            call.group_size, size_class};
  }

  void AddCalls() {
    for (uint32_t file = 0; file < calls_.size(); ++file) {
      for (const CollectiveCall& call : calls_[file]) {
        if (!Selected(file, call)) continue;
        const auto [at, added] = sums_.try_emplace(KeyOf(call));
        if (added) Begin(at->second, call);
        AddCall(at->second, call);
      }
    }
  }

  void Begin(RowSums& sums, const CollectiveCall& call) const {
    sums.kind = call.kind;
    sums.row.name = NameOf(call);
    sums.row.group = TextIfAny(call.group_name);
    sums.row.group_size = IfCaptured(call.group_size, kNoInt);
    sums.row.dtype = TextIfAny(call.dtype);
    sums.row.first_event = sums_.size();
  }

  static void AddCall(RowSums& sums, const CollectiveCall& call) {
    CollectiveRow& row = sums.row;
    ++row.calls;
    const std::optional<int64_t> bytes = MessageBytes(call);
    if (bytes) {
      int64_t sum = row.bytes.value_or(0);
      AddTo(sum, *bytes);
      row.bytes = sum;
      row.bytes_min = std::min(row.bytes_min.value_or(*bytes), *bytes);
      row.bytes_max = std::max(row.bytes_max.value_or(*bytes), *bytes);
    }
    if (!call.time) return;
    ++sums.timed_calls;
    const int64_t length = Length(*call.time);
    int64_t total = row.total_ns.value_or(0);
    AddTo(total, length);
    row.total_ns = total;
    row.min_ns = std::min(row.min_ns.value_or(length), length);
    row.max_ns = std::max(row.max_ns.value_or(length), length);
    if (!bytes) return;
    AddTo(sums.sized_bytes, *bytes);
    AddTo(sums.sized_ns, length);
  }

  void AddMatches() {
    matched_times_.resize(contexts_.size());
    matched_calls_.resize(contexts_.size());
    for (size_t match = 0; match < matches_.size(); ++match) {
      if (!selected_[match]) continue;
      const std::span<const CollectiveMember> members = matches_.Of(match);
      for (const CollectiveMember& member : members) ++matched_calls_[member.file];
      if (const std::optional<Arrival> arrival =
              ArrivalOf(contexts_, calls_, alignment_, members)) {
        AddMatch(members, *arrival);
      }
    }
  }

  void AddMatch(std::span<const CollectiveMember> members, const Arrival& arrival) {
    const CollectiveMember& first = members.front();
    const CollectiveCall& call = calls_[first.file][first.call];
    MatchRow row;
    row.name = NameOf(call);
    row.group = TextIfAny(call.group_name);
    row.sequence = IfCaptured(call.sequence, kNoInt);
    row.dtype = TextIfAny(call.dtype);
    row.start_ns = arrival.first_ns;
    row.start_skew_ns = arrival.skew_ns;
    row.last_file = arrival.last_file;
    row.transfer_ns = INT64_MAX;
    for (const CollectiveMember& member : members) {
      const CollectiveCall& own = calls_[member.file][member.call];
      row.transfer_ns = std::min(row.transfer_ns, Length(*own.time));
      // Members of an all-to-all may bring different sizes: the largest decides.
      const std::optional<int64_t> bytes = MessageBytes(own);
      if (bytes) row.bytes = std::max(row.bytes.value_or(*bytes), *bytes);
    }
    int64_t waiting = 0;
    for (const CollectiveMember& member : members) {
      const CollectiveCall& own = calls_[member.file][member.call];
      const Interval& time = *own.time;
      const int64_t waited = Difference(Length(time), row.transfer_ns);
      row.members.push_back(
          {member.file, own.span,
           alignment_.CommonTime(contexts_[member.file].trace, member.file, time.start_ns),
           Length(time), waited});
      AddTo(waiting, waited);
      matched_times_[member.file].push_back({time, row.transfer_ns});
    }
    row.step = StepName(contexts_[first.file], call.issued_ns);
    const Bandwidths bandwidths =
        BandwidthsOf(call.kind, call.group_size, row.bytes, row.transfer_ns);
    row.algorithm_bandwidth_gb_per_s = bandwidths.algorithm;
    row.bus_bandwidth_gb_per_s = bandwidths.bus;

    RowSums& sums = sums_.at(KeyOf(call));
    ++sums.row.matched;
    AddInto(sums.row.transfer_ns, row.transfer_ns);
    AddInto(sums.row.waiting_ns, waiting);
    if (row.bytes) {
      AddTo(sums.matched_bytes, *row.bytes);
      AddTo(sums.matched_ns, row.transfer_ns);
    }
    report_.matches.push_back(std::move(row));
  }

  static void AddInto(std::optional<int64_t>& sum, int64_t value) {
    int64_t total = sum.value_or(0);
    AddTo(total, value);
    sum = total;
  }

  static std::string StepName(const TraceContext& context, int64_t time_ns) {
    const std::vector<Step>& rows = context.steps.rows;
    const auto after =
        std::upper_bound(rows.begin(), rows.end(), time_ns,
                         [](int64_t time, const Step& step) { return time < step.host.start_ns; });
    if (after == rows.begin()) return {};
    const Step& step = *(after - 1);
    if (step.span == kNoRow || time_ns >= step.host.end_ns) return {};
    const std::string_view name = context.trace.NameOfSpan(step.span);
    const std::string_view number = ProfilerStepNumber(name);
    return std::string(number.empty() ? name : number);
  }

  void FinishCollectives() {
    for (auto& [key, sums] : sums_) {
      CollectiveRow& row = sums.row;
      if (row.total_ns) row.mean_ns = Mean(*row.total_ns, sums.timed_calls);
      const bool matched = sums.matched_ns > 0;
      const Bandwidths bandwidths = BandwidthsOf(
          sums.kind, row.group_size.value_or(kNoInt),
          matched ? std::optional(sums.matched_bytes)
                  : (sums.sized_ns > 0 ? std::optional(sums.sized_bytes) : std::nullopt),
          matched ? sums.matched_ns : sums.sized_ns);
      row.algorithm_bandwidth_gb_per_s = bandwidths.algorithm;
      row.bus_bandwidth_gb_per_s = bandwidths.bus;
      report_.collectives.push_back(std::move(row));
    }
    std::sort(report_.collectives.begin(), report_.collectives.end(),
              [](const CollectiveRow& a, const CollectiveRow& b) {
                const int64_t first = a.total_ns.value_or(0);
                const int64_t second = b.total_ns.value_or(0);
                if (first != second) return first > second;
                return std::tie(a.name, a.first_event) < std::tie(b.name, b.first_event);
              });
  }

  void AddRanks() {
    for (uint32_t file = 0; file < contexts_.size(); ++file) {
      const TraceContext& context = contexts_[file];
      const DistributedInfo& info = context.trace.distributed;
      RankRow row;
      row.file = file;
      row.rank = IfCaptured(RankOf(context.trace), kNoInt);
      row.world_size = IfCaptured(info.world_size, kNoInt);
      row.backend = info.backend;
      row.clock = alignment_.files[file];
      for (const CollectiveCall& call : calls_[file]) {
        if (!Selected(file, call)) continue;
        ++row.collectives;
        if (!call.time) report_.device_calls_without_kernels = true;
      }
      row.matched = matched_calls_[file];
      row.unmatched = matches_.unmatched[file];
      row.alone = matches_.alone[file];
      std::vector<RankStep> steps = DescribeRankSteps(context, calls_[file], matched_times_[file]);
      row.average = AverageTimes(steps);
      for (RankStep& step : steps) {
        if (step.complete) ++row.steps;
        step.file = file;
        step.start_ns = alignment_.CommonTime(context.trace, file, step.start_ns);
        report_.steps.push_back(std::move(step));
      }
      report_.ranks.push_back(std::move(row));
    }
  }

  void FindMissing() {
    int64_t world = 0;
    std::set<int64_t> present;
    for (const RankRow& row : report_.ranks) {
      world = std::max(world, row.world_size.value_or(0));
      if (!row.rank) return;  // which ranks are here is not known
      present.insert(*row.rank);
    }
    const auto inside = std::count_if(present.begin(), present.end(),
                                      [world](int64_t rank) { return rank >= 0 && rank < world; });
    report_.missing_rank_count = static_cast<uint64_t>(world - inside);
    for (int64_t rank = 0; rank < world && report_.missing_ranks.size() < kMostMissing; ++rank) {
      if (!present.contains(rank)) report_.missing_ranks.push_back(rank);
    }
  }

  std::span<const TraceContext> contexts_;
  std::vector<std::vector<CollectiveCall>> calls_;
  CollectiveMatches matches_;
  Alignment alignment_;
  std::vector<bool> selected_;
  std::map<Key, RowSums> sums_;
  std::vector<std::vector<MatchedTime>> matched_times_;  // by file
  std::vector<uint64_t> matched_calls_;
  DistributedReport report_;
};

}  // namespace

DistributedReport DescribeDistributed(std::span<const TraceContext> contexts) {
  return Describer(contexts).Describe();
}

}  // namespace telltale
