// SPDX-License-Identifier: Apache-2.0
// Writes Kineto JSON: one event a line, times as decimal microseconds with exactly three places,
// everything an event holds. Loads in json.loads, Chrome, Perfetto, HTA and torch_tb_profiler.
#pragma once

#include <string>
#include <string_view>

#include "formats/trace_writer.h"
#include "io/byte_sink.h"

namespace telltale {

class KinetoJsonWriter final : public TraceWriter {
 public:
  explicit KinetoJsonWriter(ByteSink& sink) : sink_(sink) {}

  void Metadata(std::string_view key, std::string_view json) override;
  void Event(const TraceEvent& event, size_t input) override;
  void AddCounter(std::string_view pid, std::string_view name, std::string_view series,
                  int64_t time_ns, double value, size_t input) override;
  void Finish() override;
  [[nodiscard]] const LossCounts& lost() const override { return lost_; }

 private:
  void OpenEvents();

  ByteSink& sink_;
  std::string line_;
  std::string late_;  // top-level values that came after the first event
  bool any_key_ = false;
  bool events_open_ = false;
  bool any_event_ = false;
  LossCounts lost_;
};

// 1234567 ns as 1234.567.
void AppendMicroseconds(std::string& out, int64_t ns);
// The shortest text that reads back as the same double, always with a fraction or exponent; not
// finite becomes null.
void AppendDouble(std::string& out, double value);

}  // namespace telltale
