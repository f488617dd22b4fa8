// SPDX-License-Identifier: Apache-2.0
// A run as the tables of SQL see it: what is known of it, its scalars where they lie in memory, and
// what has to be read from its files only when a query asks for it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/series/joined.h"
#include "model/run.h"

namespace telltale {

struct QueryScalars {
  std::string tag;
  JoinedScalars points;
};

// Where and when a value was logged.
struct QueryPlace {
  std::string tag;
  int64_t step = 0;
  double wall_time = 0;  // seconds since 1970
};

struct QueryHistogram : QueryPlace {
  double min = 0, max = 0, count = 0, sum = 0, sum_squares = 0;  // NaN: not known
  std::string buckets;                                           // JSON: [[left, right, count], …]
};

struct QueryMedia : QueryPlace {
  std::string kind;  // images, audio …
  int64_t sample = 0;
  std::string content_type;  // empty: none that is known
  int64_t bytes = 0;
  int64_t width = 0, height = 0;  // 0: not known
};

struct QueryText : QueryPlace {
  std::string text;
};

struct QueryRun {
  RunInfo info;
  std::vector<QueryScalars> scalars;
  std::function<std::vector<QueryHistogram>()> histograms;
  std::function<std::vector<QueryMedia>()> media;
  std::function<std::vector<QueryText>()> texts;
};

}  // namespace telltale
