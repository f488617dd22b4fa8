// SPDX-License-Identifier: Apache-2.0
#include "views/runs/where.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>

namespace telltale {
namespace {

RunList Runs() {
  RunList list;
  const auto add = [&](std::string name, double lr, double loss, std::optional<RunStatus> status) {
    auto run = std::make_shared<ListedRun>();
    run->info.name = std::move(name);
    run->info.status = status;
    run->info.config = {{"lr", lr}, {"model", std::string("vae")}};
    MetricSummary metric;
    metric.tag = "val/loss";
    metric.points = 3;
    metric.last = loss;
    metric.min = loss / 2;
    metric.max = loss * 2;
    run->metrics = {metric};
    run->duration_ns = 7'200'000'000'000;
    run->info.start_ns = 1794775501000000000;  // 2026-11-15 20:45:01
    list.runs.push_back(std::move(run));
  };
  add("a", 0.1, 1, RunStatus::kCompleted);
  add("b", 0.5, 3, std::nullopt);
  auto tagged = std::make_shared<ListedRun>(*list.runs[0]);
  tagged->info.name = "c-1";
  tagged->info.config = {};
  tagged->info.tags = {"good", "seed 1"};
  list.runs.push_back(std::move(tagged));
  return list;
}

std::string Left(std::string_view text) {
  const RunList list = Runs();
  const Result<RunFilter> filter = RunFilter::Parse(text, NamesOf(list));
  if (!filter) {
    return std::to_string(filter.error().offset.value_or(0)) + ": " + filter.error().message;
  }
  std::string names;
  for (const auto& run : list.runs) {
    if (filter->Matches(*run)) names += run->info.name + " ";
  }
  return names;
}

TEST(Where, ComparesConfigurationAndMetrics) {
  EXPECT_EQ(Left("lr>0.1 and val/loss<5"), "b ");
  EXPECT_EQ(Left("lr >= 10% && val/loss.min = 0.5"), "a ");
  EXPECT_EQ(Left("config.lr<1 or metrics.val/loss.max == 2"), "a b c-1 ");
  EXPECT_EQ(Left("not (lr > 0.2)"), "a c-1 ");
  EXPECT_EQ(Left("lr = null"), "c-1 ");
  EXPECT_EQ(Left("lr"), "a b ");
  EXPECT_EQ(Left("model ~ '^v.e$' and !(name = a)"), "b ");
}

TEST(Where, KnowsStatusTagsDurationsAndMoments) {
  EXPECT_EQ(Left("status = Completed"), "a c-1 ");
  EXPECT_EQ(Left("tags = good"), "c-1 ");
  EXPECT_EQ(Left("tags != good"), "a b ");
  EXPECT_EQ(Left("tags ~ \"^seed\""), "c-1 ");
  EXPECT_EQ(Left("duration > 90min and duration <= 2h"), "a b c-1 ");
  EXPECT_EQ(Left("duration < 7200"), "");
  EXPECT_EQ(Left("start > \"2026-11-15 20:45\" and start < \"2026-11-16\""), "a b c-1 ");
}

TEST(Where, SaysWhereItWentWrongAndWhatIsValid) {
  EXPECT_EQ(Left("lr>0.1 and vall/loss<2"),
            "11: there is no 'vall/loss' in these runs; did you mean 'val/loss'?; valid are lr, "
            "model, val/loss, id, name, path, kind, experiment, group, status, start, end, "
            "duration, tags, note, color, pinned, hidden, deleted, points, profiles");
  EXPECT_EQ(
      Left("status=Complete"),
      "7: 'Complete' is no status of a run; did you mean 'Completed'?; valid are Queued, Running, "
      "Completed, Failed, Canceled, Lost");
  EXPECT_EQ(Left("lr >"), "4: the filter ends where a value is expected");
  EXPECT_EQ(Left("(lr > 1"), "7: expected ')'");
  EXPECT_EQ(Left("lr > 1 lr"), "7: expected 'and', 'or' or the end");
  EXPECT_EQ(Left(""), "0: the filter ends where a name is expected");
  EXPECT_EQ(Left("val/loss = big"), "11: val/loss is a number; 'big' is none");
}

TEST(Where, IsBounded) {
  const RunList list = Runs();
  EXPECT_FALSE(RunFilter::Parse(std::string(60'000, '('), NamesOf(list)));
  EXPECT_FALSE(RunFilter::Parse(std::string(60'000, '!'), NamesOf(list)));
  std::string chain = "lr > 0";
  for (int i = 0; i < 5000; ++i) chain += " or lr>1";
  EXPECT_TRUE(RunFilter::Parse(chain, NamesOf(list)));
}

}  // namespace
}  // namespace telltale
