// SPDX-License-Identifier: Apache-2.0
#include "analysis/work/operator_calls.h"

#include <map>
#include <string>
#include <tuple>

#include <gtest/gtest.h>

#include "analysis/core/trace_builder.h"
#include "analysis/work/operators.h"

namespace telltale {
namespace {

// Two threads, folding, runtime calls in between, device events with and without launches, memory.
Trace Sample() {
  TraceBuilder builder;
  for (int i = 0; i < 20; ++i) {
    const int64_t at = i * 1000;
    const auto id = static_cast<uint64_t>(10 * i);
    builder.Annotation("ProfilerStep#" + std::to_string(i), at, at + 900);
    builder.Operator("outer", at + 10, at + 800);
    builder.Operator("folded", at + 20, at + 300);
    builder.Operator("folded", at + 30, at + 290);
    builder.Runtime("cudaLaunchKernel", at + 40, at + 50, id + 1);
    builder.Operator("inner", at + 310, at + 400);
    builder.Runtime("cudaLaunchKernel", at + 320, at + 330, id + 2);
    builder.Kernel("a", at + 100, at + 150 + i, id + 1);
    builder.Kernel("b", at + 400, at + 500, id + 2);
    builder.Kernel("lost", at + 500, at + 510, id + 3);
    builder.Operator("elsewhere", at + 5, at + 700, 2);
    builder.Memory(at + 35, 100 + i);
    builder.Memory(at + 315, -10);
    builder.Memory(at + 600, 7);
  }
  return std::move(builder.trace());
}

TEST(OperatorCalls, SumToTheOperatorTable) {
  const Trace trace = Sample();
  const TraceContext context = PrepareTrace(trace, {});
  const OperatorCalls calls = DescribeOperatorCalls(context);
  const std::vector<GroupMemory> memory = MemoryOfCalls(context, calls);
  struct Sums {
    uint64_t calls = 0;
    int64_t host_self_ns = 0;
    int64_t device_self_ns = 0;
    int64_t device_total_ns = 0;
    int64_t memory_total = 0;
    int64_t memory_self = 0;
  };
  std::map<std::string, Sums> sums;
  for (size_t row = 0; row < calls.size(); ++row) {
    Sums& sum = sums[std::string(trace.NameOfSpan(context.tree.span[calls.node[row]]))];
    ++sum.calls;
    sum.host_self_ns += calls.host_self_ns[row];
    sum.device_self_ns += calls.device_self_ns[row];
    sum.device_total_ns += calls.device_total_ns[row];
    sum.memory_total += memory[row].total_bytes;
    sum.memory_self += memory[row].self_bytes;
  }
  const std::vector<OperatorRow> rows =
      DescribeOperators(trace, context.tree, context.links, context.facts, context.selection,
                        OperatorGrouping::kName);
  ASSERT_EQ(rows.size(), sums.size());
  for (const OperatorRow& row : rows) {
    const Sums& sum = sums[row.name];
    EXPECT_EQ(std::tuple(sum.calls, sum.host_self_ns, sum.device_self_ns, sum.device_total_ns),
              std::tuple(row.calls, row.host_self_ns, row.device_self_ns, row.device_total_ns))
        << row.name;
    EXPECT_EQ(std::pair(sum.memory_total, sum.memory_self),
              std::pair(*row.memory_total_bytes, *row.memory_self_bytes))
        << row.name;
  }
}

TEST(OperatorCalls, AreInFileOrderWithTheirParents) {
  const Trace trace = Sample();
  const TraceContext context = PrepareTrace(trace, {});
  const OperatorCalls calls = DescribeOperatorCalls(context);
  ASSERT_GE(calls.size(), 5U);
  const auto name = [&](size_t row) {
    return trace.NameOfSpan(context.tree.span[calls.node[row]]);
  };
  EXPECT_EQ(name(0), "ProfilerStep#0");
  EXPECT_EQ(name(1), "outer");
  EXPECT_EQ(name(2), "folded");
  EXPECT_EQ(name(3), "inner");
  EXPECT_EQ(name(4), "elsewhere");
  EXPECT_EQ(calls.parent[0], kNoRow);
  EXPECT_EQ(calls.parent[2], 1U);
  EXPECT_EQ(calls.parent[4], kNoRow);
  EXPECT_EQ(calls.depth[3], 2U);
}

TEST(SpanPlaces, OverlappingStepsGiveTheLastThatBegan) {
  TraceBuilder builder;
  builder.Annotation("ProfilerStep#1", 0, 100);
  builder.Annotation("ProfilerStep#2", 50, 120, 2);
  builder.Annotation("ProfilerStep#3", 200, 300);
  const SpanRow first = builder.Operator("a", 49, 60, 3);
  const SpanRow second = builder.Operator("a", 50, 60, 3);
  const SpanRow third = builder.Operator("a", 110, 115, 3);
  const SpanRow none = builder.Operator("a", 120, 130, 3);
  const SpanRow last = builder.Python("a", 299, 400, 3);
  const SpanRow end = builder.Operator("a", 300, 301, 3);
  const TraceContext context = PrepareTrace(builder.trace(), {});
  const SpanPlaces places = PlaceSpans(context);
  const auto step = [&](SpanRow row) {
    return places.step[row] == kNoRow ? "none" : NameOfStep(context, places.step[row]);
  };
  EXPECT_EQ(step(first), "1");
  EXPECT_EQ(step(second), "2");
  EXPECT_EQ(step(third), "2");
  EXPECT_EQ(step(none), "none");
  EXPECT_EQ(step(last), "3");
  EXPECT_EQ(step(end), "none");
}

TEST(SpanPlaces, WithoutStepsTheWholeTraceIsOne) {
  TraceBuilder builder;
  const SpanRow op = builder.Operator("a", 0, 10);
  const SpanRow kernel = builder.Kernel("k", 20, 30, 77);
  const TraceContext context = PrepareTrace(builder.trace(), {});
  const SpanPlaces places = PlaceSpans(context);
  EXPECT_EQ(places.step[op], 0U);
  EXPECT_EQ(places.step[kernel], 0U);
  EXPECT_EQ(places.owner[kernel], kNoRow);
  EXPECT_EQ(NameOfStep(context, 0), "0");
}

}  // namespace
}  // namespace telltale
