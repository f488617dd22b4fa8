// SPDX-License-Identifier: Apache-2.0
// The collective operations of one trace (all-reduce, all-gather …), whatever library and era wrote
// them: NCCL and its kin by their device kernels, gloo, MPI and UCC by their host ranges. Not for
// matching them between ranks (match_collectives.h).
//
// A call is one of:
// - the communication kernels that were launched inside one host call: the outermost enclosing
//   event among record_param_comms, nccl:*, gloo:*, mpi:*, ucc:* and c10d::*; a kernel without such
//   an event (launched by a graph, or before the capture) is a call of its own;
// - a host range gloo:*, mpi:* or ucc:* under which no communication kernel was launched;
// - a host range nccl:* under which no kernel was launched: it says what was called, but not when
//   the communication took place, so it has no time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/intervals.h"

namespace telltale {

enum class CollectiveKind : uint8_t {
  kAllReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kBroadcast,
  kReduce,
  kGather,
  kScatter,
  kBarrier,
  kSend,
  kReceive,
  kSendReceive,
  kOther,
};
[[nodiscard]] std::string_view NameOf(CollectiveKind kind);
// By a kernel's, a range's or an argument's name: ncclDevKernel_AllReduce_…, nccl:all_reduce,
// allreduce, _allgather_base …
[[nodiscard]] CollectiveKind CollectiveKindOf(std::string_view name);
// Whether no member can leave before every member has come.
[[nodiscard]] bool Synchronises(CollectiveKind kind);
// Whether all members bring the same number of elements.
[[nodiscard]] bool HasEqualSizes(CollectiveKind kind);
// Bus bandwidth by algorithm bandwidth in a group of `group_size`; none where no convention exists.
[[nodiscard]] std::optional<double> BusFactor(CollectiveKind kind, int64_t group_size);

// Bytes of one element by any of the names that torch writes ("Float", "c10::Half", "long int");
// none if the name is unknown.
[[nodiscard]] std::optional<int64_t> ElementBytes(std::string_view dtype);

struct CollectiveCall {
  CollectiveKind kind = CollectiveKind::kOther;
  // As captured, in the trace's own text; empty: not captured.
  std::string_view name;
  std::string_view dtype;
  std::string_view group_name;  // of the process group
  std::string_view group_ranks;
  int64_t group_size = kNoInt;
  int64_t sequence = kNoInt;  // within the group
  int64_t in_elements = kNoInt;
  int64_t out_elements = kNoInt;
  int64_t issued_ns = 0;         // when the host called it; without a host call, its start
  std::optional<Interval> time;  // as written: first start to last end of what carried it
  SpanRow span = kNoRow;         // its first kernel, or its host range
  bool on_device = false;
};

// The message's size: the larger of what a member puts in and takes out. Where only the input is
// captured, an all-gather's output is that times the group's size. None if the capture has no
// size.
[[nodiscard]] std::optional<int64_t> MessageBytes(const CollectiveCall& call);

// In order of issue, then of start.
[[nodiscard]] std::vector<CollectiveCall> FindCollectives(const TraceContext& context);

}  // namespace telltale
