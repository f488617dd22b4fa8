// SPDX-License-Identifier: Apache-2.0
// Every analysis of many events ends soon after nobody waits for it any more (base/cancel.h).
#include "base/cancel.h"

#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "analysis/core/annotations.h"
#include "analysis/core/backward_links.h"
#include "analysis/core/context.h"
#include "analysis/core/trace_builder.h"
#include "analysis/critical_path/critical_path.h"
#include "analysis/diff/diff.h"
#include "analysis/distributed/distributed.h"
#include "analysis/functions/functions.h"
#include "analysis/functions/trace_functions.h"
#include "analysis/idle/idle.h"
#include "analysis/launches/launches.h"
#include "analysis/launches/runtime_calls.h"
#include "analysis/modules/modules.h"
#include "analysis/roofline/roofline.h"
#include "analysis/timeline/index.h"
#include "analysis/timeline/search.h"
#include "analysis/timeline/search_query.h"
#include "analysis/validate/validate.h"
#include "analysis/work/analyze.h"

namespace telltale {
namespace {

// Is canceled at the look of that number, and counts them.
class CanceledAt : public CancelToken {
 public:
  explicit CanceledAt(int look) : look_(look) {}
  [[nodiscard]] bool canceled() const override { return ++looks_ >= look_; }
  [[nodiscard]] int looks() const { return looks_; }

 private:
  int look_;
  mutable int looks_ = 0;
};
constexpr int kNever = 1 << 30;

int LooksOf(const std::function<void()>& work) {
  const CanceledAt token(kNever);
  const CancelScope scope(&token);
  work();
  return token.looks();
}

void EndsAtEveryLook(const std::string& name, const std::function<void()>& work) {
  const int looks = LooksOf(work);
  ASSERT_GE(looks, 1) << name;
  for (const int at : {1, looks / 2 + 1, looks}) {
    const CanceledAt token(at);
    const CancelScope scope(&token);
    EXPECT_THROW(work(), Canceled) << name << " at look " << at << " of " << looks;
    EXPECT_EQ(token.looks(), at) << name << " goes on after it";
  }
}

class Canceling : public testing::Test {
 protected:
  Canceling() {
    Fill(builder_, 0);
    options_.threads = 1;
    contexts_.push_back(PrepareTrace(builder_.trace(), options_));
  }

  // Steps with modules, operators and their backward ones, launches and kernels that talk to
  // others.
  static void Fill(TraceBuilder& builder, int64_t rank) {
    constexpr int kSteps = 4;
    constexpr int kCalls = 6000;
    int64_t now = 0;
    uint64_t correlation = 0;
    for (int step = 0; step < kSteps; ++step) {
      const int64_t begin = now;
      for (int call = 0; call < kCalls; ++call, now += 100) {
        builder.Python("nn.Module: Linear_" + std::to_string(correlation), now, now + 95);
        builder.Annotation("forward", now + 1, now + 94);
        builder.Operator("aten::mm", now + 2, now + 90);
        builder.Runtime("cudaLaunchKernel", now + 10, now + 20, ++correlation);
        builder.Kernel("ncclDevKernel_AllReduce", now + 30, now + 80, correlation);
        builder.Operator("autograd::engine::evaluate_function: MmBackward0", now, now + 90, 2);
      }
      builder.Annotation("ProfilerStep#" + std::to_string(step + 1), begin, now);
    }
    builder.trace().source.rank = rank;
  }

  [[nodiscard]] const TraceContext& context() const { return contexts_[0]; }

  TraceBuilder builder_;
  AnalysisOptions options_;
  std::vector<TraceContext> contexts_;
};

TEST_F(Canceling, ReachesEveryAnalysis) {
  const TimelineIndex index(contexts_);
  const FunctionProfile functions = FunctionsOfTrace(context());
  const std::vector<const FunctionProfile*> joined = {&functions};
  SearchRequest search;
  search.query = ParseSearch("mm").value();
  AnalysisOptions inside = options_;
  inside.inside = "forward";
  TraceBuilder other;
  Fill(other, 1);
  std::vector<TraceContext> ranks;
  ranks.push_back(PrepareTrace(builder_.trace(), options_));
  ranks.push_back(PrepareTrace(other.trace(), options_));
  const std::vector<std::pair<std::string, std::function<void()>>> analyses = {
      {"context", [&] { static_cast<void>(PrepareTrace(builder_.trace(), inside)); }},
      {"work", [&] { static_cast<void>(AnalyzeTrace(context())); }},
      {"idle", [&] { static_cast<void>(DescribeIdle(context())); }},
      {"launches", [&] { static_cast<void>(DescribeLaunches(context())); }},
      {"runtime calls", [&] { static_cast<void>(DescribeRuntimeCalls(context())); }},
      {"annotations",
       [&] { static_cast<void>(DescribeAnnotations(context(), AnnotationShape::kTree)); }},
      {"backward", [&] { static_cast<void>(LinkBackward(context().trace, context().tree)); }},
      {"modules", [&] { static_cast<void>(DescribeModules(context())); }},
      {"roofline", [&] { static_cast<void>(DescribeRoofline(contexts_)); }},
      {"critical path", [&] { static_cast<void>(DescribeCriticalPath(contexts_, {})); }},
      {"distributed", [&] { static_cast<void>(DescribeDistributed(ranks)); }},
      {"diff", [&] { static_cast<void>(DiffTraces(contexts_, contexts_)); }},
      {"functions", [&] { static_cast<void>(JoinFunctions(joined)); }},
      {"functions of a trace", [&] { static_cast<void>(FunctionsOfTrace(context())); }},
      {"timeline", [&] { const TimelineIndex again(contexts_); }},
      {"search", [&] { static_cast<void>(SearchSpans(contexts_, index, search)); }},
  };
  for (const auto& [name, work] : analyses) EndsAtEveryLook(name, work);
}

TEST_F(Canceling, LooksMoreOftenTheMoreThereIs) {
  constexpr int kMostEventsBetweenLooks = 1 << 16;
  const auto events = static_cast<int>(builder_.trace().spans.size());
  EXPECT_GE(LooksOf([&] { const TimelineIndex again(contexts_); }),
            events / kMostEventsBetweenLooks);
}

}  // namespace
}  // namespace telltale
