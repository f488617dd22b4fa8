// SPDX-License-Identifier: Apache-2.0
// What trackers log as JSON (W&B, trackio), as series: numbers become points, texts, histograms and
// media become values whose JSON, or whose file, is kept beside the series.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json/value.h"
#include "model/series.h"

namespace telltale {

// A value that is no number: its JSON, or a file that the tracker wrote.
struct LoggedValue {
  std::string json;
  std::string file;  // below the tracker's media folder; empty: none
};

class LoggedValues {
 public:
  // One record: an object of what was logged at a step. What nests is joined by '.'.
  void Log(int64_t step, double wall_time, const JsonValue& record);
  // A number of one tag.
  void Point(std::string_view tag, int64_t step, double wall_time, double value);

  SeriesSet series;
  // By the number of the tag in `series`: as many as it has values.
  std::map<uint32_t, std::vector<LoggedValue>> values;

 private:
  // Texts beyond this are counted, not kept: they stay in the tracker's file.
  static constexpr size_t kMostText = size_t{1} << 20;    // of one value
  static constexpr size_t kMostTexts = size_t{64} << 20;  // of all

  void LogObject(std::string_view prefix, int64_t step, double wall_time, const JsonValue& object);
  void LogValue(const std::string& tag, int64_t step, double wall_time, const JsonValue& value);
  void Keep(std::string_view tag, std::string_view plugin, int64_t step, double wall_time,
            LoggedValue value);

  size_t kept_bytes_ = 0;
};

}  // namespace telltale
