// SPDX-License-Identifier: Apache-2.0
// Which host events are backward work, and which forward operator each piece belongs to. A backward
// operator is `autograd::engine::evaluate_function: …`; where the trace has none around them (torch
// before 1.9), an operator `…Backward`, `…Backward0` or `torch::autograd::AccumulateGrad`.
#pragma once

#include <string_view>

#include "analysis/core/host_tree.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

enum class BackwardName : uint8_t {
  kNone,
  kEvaluate,    // autograd::engine::evaluate_function: …
  kNode,        // AddmmBackward0, MulBackward, CheckpointFunctionBackward
  kAccumulate,  // torch::autograd::AccumulateGrad without evaluate_function
  kEvaluateAccumulate,
};
[[nodiscard]] BackwardName BackwardNameOf(std::string_view operator_name);

struct BackwardLinks {
  // By node: the backward operator it is or lies in, kNoRow if it is no backward work. The
  // innermost evaluate_function, else the outermost operator with a backward name.
  Column<NodeId> inside;

  // The backward operators in order of their start, each with
  Column<NodeId> backward;
  // the forward operator it belongs to: by a flow (fwdbwd, forward_backward), else by sequence
  // number and forward thread; kNoRow if neither tells;
  Column<NodeId> forward;
  // and, for AccumulateGrad, the backward operator that came before it on its thread: the engine
  // runs it as soon as the gradient is there. kNoRow for all others, and where there is none.
  Column<NodeId> produced_by;

  [[nodiscard]] bool empty() const { return backward.empty(); }
};

// BackwardLinks::inside alone.
[[nodiscard]] Column<NodeId> BackwardOperators(const Trace& trace, const HostTree& tree);

[[nodiscard]] BackwardLinks LinkBackward(const Trace& trace, const HostTree& tree);

}  // namespace telltale
