// SPDX-License-Identifier: Apache-2.0
// The operator table by the rules of torch's own key_averages, where they differ from ours:
//  1. Python frames take part in the nesting and take self time away, but have no rows; runtime
//     calls take no part. Threads are told apart by tid alone.
//  2. aten::is_leaf, aten::output_nr, aten::_version, profiler::_record_function_* are hidden.
//  3. ProfilerStep#N is ProfilerStep*, aten::add.Tensor is aten::add; operators and annotations of
//     one name share a row.
//  4. Memory is host memory only, from all threads: start <= time <= end; self = total minus the
//     children's totals. Instants in no event become [memory] rows.
//  5. A range still open when recording ended runs to the end of the recorded window, is no one's
//     child or parent and has no self time. (Other asynchronous ranges, which end on another thread
//     than they started on, cannot be told from a trace.)
//  6. In shapes a list of tensors is []; stacks have at most five frames, and what runs in the
//     backward pass has the stack of its forward operator.
// Device times are ours, summed over torch's tree.
#pragma once

#include <vector>

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/core/options.h"
#include "analysis/core/steps.h"
#include "analysis/work/report.h"
#include "model/trace.h"

namespace telltale {

// Sorted like the operator table; first_event is the place in torch's own order.
[[nodiscard]] std::vector<OperatorRow> DescribeOperatorsLikeTorch(const Trace& trace,
                                                                  const HostTree& tree,
                                                                  const DeviceLinks& links,
                                                                  const Selection& selection,
                                                                  OperatorGrouping grouping);

}  // namespace telltale
