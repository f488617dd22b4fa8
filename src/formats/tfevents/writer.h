// SPDX-License-Identifier: Apache-2.0
// Writes event files that TensorBoard and others read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/protobuf.h"
#include "io/byte_sink.h"
#include "model/series.h"

namespace telltale::tfevents {

// The payload with its frame.
void AppendRecord(std::string_view payload, std::string& out);

// One event after the other; the version record comes first by itself. One thread at a time.
class EventWriter {
 public:
  // `continues`: the file has its version record already.
  explicit EventWriter(ByteSink& sink, bool continues = false)
      : sink_(sink), has_version_(continues) {}

  // With the wall time of the first event, unless it was written before.
  void Version(double wall_time);
  // A value that a float holds exactly is written in the old style, which every reader knows;
  // others as a tensor of doubles. `series`: its tag; what it says of itself goes with the first
  // value.
  void Scalar(const SeriesTag& series, const ScalarPoint& point, bool is_first);
  // As add_text of TensorBoard's writers does.
  void Text(std::string_view tag, std::string_view text, int64_t step, double wall_time);
  // An encoded Summary.Value as it was read; one without metadata gets none.
  void Value(std::string_view value, int64_t step, double wall_time);
  // Of `field` of Event: a graph, or metadata of a run.
  void Field(uint32_t field, std::string_view bytes, int64_t step, double wall_time);
  void SessionStart(int64_t step, double wall_time);

  [[nodiscard]] uint64_t events() const { return events_; }

 private:
  void Begin(int64_t step, double wall_time);
  void Write();

  ByteSink& sink_;
  protobuf::MessageWriter event_;
  std::string record_;
  uint64_t events_ = 0;
  bool has_version_;
};

}  // namespace telltale::tfevents
