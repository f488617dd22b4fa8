// SPDX-License-Identifier: Apache-2.0
#include "runs/trace_name.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace telltale {
namespace {

TEST(TraceNames, FollowThePatternOrGiveTheirStem) {
  const struct {
    const char* file;
    const char* worker;
    const char* digits;
    bool is_pt_trace;
    bool is_json;
  } cases[] = {
      {"worker0.1623143089861.pt.trace.json", "worker0", "1623143089861", true, true},
      {"worker0.1623143089861.pt.trace.json.gz", "worker0", "1623143089861", true, true},
      {"host_123.456.pt.trace.json.zst", "host_123", "456", true, true},
      {"worker0.pt.trace.json", "worker0", "", true, true},
      {"my.worker.12.pt.trace.json", "my.worker", "12", true, true},
      {"my.worker.pt.trace.json", "my.worker", "", true, true},
      {"123.pt.trace.json", "123", "", true, true},
      {".123.pt.trace.json", ".123", "", true, true},
      {"a.b1.pt.trace.json", "a.b1", "", true, true},
      {".pt.trace.json", ".pt.trace.json", "", false, true},
      {"trace.json", "trace", "", false, true},
      {"trace.json.gz", "trace", "", false, true},
      {"trace.1.json", "trace.1", "", false, true},
      {"trace", "trace", "", false, false},
      {"notes.txt", "notes.txt", "", false, false},
      {"trace.gz", "trace", "", false, false},
      {"", "", "", false, false},
  };
  for (const auto& c : cases) {
    const TraceName name = ParseTraceName(c.file);
    EXPECT_EQ(name.worker, c.worker) << c.file;
    EXPECT_EQ(name.digits, c.digits) << c.file;
    EXPECT_EQ(name.is_pt_trace, c.is_pt_trace) << c.file;
    EXPECT_EQ(name.is_json, c.is_json) << c.file;
  }
}

TEST(TraceNames, SayTheRankInManyWays) {
  const std::pair<const char*, std::optional<int64_t>> cases[] = {
      {"rank0.json", 0},
      {"rank-3.Nov_25.json.gz", 3},
      {"trace_rank_12.json", 12},
      {"job-Rank=7.pt.trace.json", 7},
      {"RANK4.json", 4},
      {"runs/rank2/trace.json", 2},
      {"runs/rank2/rank5.json", 5},
      {"local_rank1_rank9.json", 9},
      {"local_rank1.json", std::nullopt},
      {"frank3.json", std::nullopt},
      {"nranks8.json", std::nullopt},
      {"rank.json", std::nullopt},
      {"rank--1.json", std::nullopt},
      {"rank99999999999999999999.json", std::nullopt},
      {"worker0.json", std::nullopt},
      {"rank3/sub/trace.json", std::nullopt},
  };
  for (const auto& [path, rank] : cases) EXPECT_EQ(RankFromPath(path), rank) << path;
}

}  // namespace
}  // namespace telltale
