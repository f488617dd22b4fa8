// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/series.h"
#include "query/database.h"

namespace telltale {
namespace {

std::string Ask(const QueryInput& input, std::string_view sql) {
  Database database(input);
  QueryResult<Statement> statement = database.Prepare(sql);
  if (!statement) return statement.error().message;
  std::string text;
  for (;;) {
    const QueryResult<bool> row = statement->Next();
    if (!row) return row.error().message;
    if (!*row) return text;
    for (size_t i = 0; i < statement->columns().size(); ++i) {
      const ResultValue value = statement->Get(i);
      if (i > 0) text += ' ';
      if (value.kind == ResultValue::Kind::kNull) text += "NULL";
      if (value.kind == ResultValue::Kind::kInteger) text += std::to_string(value.integer);
      if (value.kind == ResultValue::Kind::kReal) text += std::to_string(value.real);
      if (value.kind == ResultValue::Kind::kText) text += value.bytes;
    }
    text += '\n';
  }
}

TEST(RunsTables, HaveEveryPointInFileOrderWithWhatWasOverwritten) {
  SeriesSet set;
  const uint32_t loss = set.FindOrAdd("loss", "scalars");
  const uint32_t acc = set.FindOrAdd("acc", "scalars");
  for (const int64_t step : {0, 1, 2, 1, 2}) {
    set.tags[loss].scalars.Append(step, 1.5, step == 2 ? std::nan("") : 0.5);
  }
  set.tags[acc].scalars.Append(7, std::nan(""), 1);
  const SeriesSet* const files[] = {&set};
  std::vector<QueryRun> runs(2);
  runs[0].info.name = "a";
  runs[0].info.config = {{"lr", 0.5}, {"model", std::string("vae")}, {"n", int64_t{3}}};
  runs[0].info.status = RunStatus::kFailed;
  runs[0].scalars = {{"acc", JoinedScalars(files, "acc")}, {"loss", JoinedScalars(files, "loss")}};
  runs[0].texts = [] { return std::vector<QueryText>{{{"note", 3, 2.25}, "hello"}}; };
  runs[1].info.name = "b";
  QueryInput input;
  input.runs = runs;
  EXPECT_EQ(Ask(input, "SELECT run, status, kind FROM runs ORDER BY run"),
            "a Failed tensorboard\nb NULL tensorboard\n");
  EXPECT_EQ(Ask(input, "SELECT name, value FROM params"), "lr 0.500000\nmodel vae\nn 3\n");
  EXPECT_EQ(Ask(input, "SELECT tag, step, wall_time_ns, value, hidden FROM scalars"),
            "acc 7 NULL 1.000000 0\n"
            "loss 0 1500000000 0.500000 0\n"
            "loss 1 1500000000 0.500000 1\n"
            "loss 2 1500000000 NULL 1\n"
            "loss 1 1500000000 0.500000 0\n"
            "loss 2 1500000000 NULL 0\n");
  EXPECT_EQ(Ask(input, "SELECT count(*), max(step) FROM scalars WHERE tag = 'loss' AND run = 'a'"),
            "5 2\n");
  EXPECT_EQ(Ask(input, "SELECT run, tag, step, wall_time_ns, text FROM texts"),
            "a note 3 2250000000 hello\n");
  EXPECT_EQ(Ask(input, "SELECT count(*) FROM events"), "0\n");
  EXPECT_EQ(Ask(input, "SELECT count(*) FROM media"), "0\n");
}

}  // namespace
}  // namespace telltale
