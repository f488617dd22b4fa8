// SPDX-License-Identifier: Apache-2.0
// The event file of one recording process. Events are collected and appended at once; the caller
// notes the length that is safe, and cuts back to it what a crash left half written.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/result.h"
#include "collect/region_reader.h"
#include "formats/tfevents/writer.h"
#include "io/byte_sink.h"
#include "io/file_gate.h"
#include "model/series.h"

namespace telltale {

class EventFile {
 public:
  // Nothing is made before the first event. `length`: of the part that is safe; the rest is cut.
  EventFile(std::string path, uint64_t length);

  void Scalar(std::string_view tag, double value, int64_t step, int64_t wall_ns);
  void Text(std::string_view tag, std::string_view text, int64_t step, int64_t wall_ns);
  // An encoded Summary.Value, which gets `tag` if it has none.
  void Value(std::string_view tag, std::string_view value, int64_t step, int64_t wall_ns);

  [[nodiscard]] bool has_pending() const { return !pending_.empty(); }
  [[nodiscard]] size_t pending_bytes() const { return pending_.size(); }
  // Appends what was collected. An Error: nothing of it is lost; see Forget.
  [[nodiscard]] Result<void> Append();
  // Back to the length at which it was safe last.
  void Forget(uint64_t length);

  // With what was appended.
  [[nodiscard]] uint64_t length() const { return length_; }
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] uint64_t events() const { return events_; }

 private:
  void Restart();

  std::string path_;
  uint64_t length_;
  FileDescriptor file_;
  std::string pending_;
  std::unique_ptr<ByteSink> sink_;
  std::optional<tfevents::EventWriter> writer_;
  std::unordered_map<std::string, SeriesTag> tags_;
  uint64_t events_ = 0;
};

}  // namespace telltale
