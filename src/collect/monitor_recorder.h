// SPDX-License-Identifier: Apache-2.0
// Writes what a monitor reads into a folder: an event file with all series, one event a sample,
// and resource_usage.csv with mean and largest value of each. What was added is in the event file
// when Add returns, and survives the end of the process; the table is written anew every half
// minute and at the end. A disk that is full or a folder that is gone loses samples, is told once,
// and is tried again with the next sample. One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/protobuf.h"
#include "base/result.h"
#include "io/file_gate.h"
#include "monitor/monitor.h"
#include "monitor/usage_summary.h"

namespace telltale {

class MonitorRecorder {
 public:
  // `folder`: a run's monitor/, which is made if need be. One in which there is a recording
  // already is continued: a file beside its files, and one table. `wall_ns`: now.
  [[nodiscard]] static Result<std::unique_ptr<MonitorRecorder>> Create(const std::string& folder,
                                                                       int64_t wall_ns);
  MonitorRecorder(const MonitorRecorder&) = delete;
  MonitorRecorder& operator=(const MonitorRecorder&) = delete;
  // Writes the table.
  ~MonitorRecorder();

  // The readings of monitor's last sample, taken at `wall_ns` (since 1970).
  void Add(const Monitor& monitor, std::span<const MonitorReading> readings, int64_t wall_ns);
  // Writes the table as it is now.
  void WriteTable();

  // What went wrong first, as a sentence; empty: nothing.
  [[nodiscard]] const std::string& problem() const { return problem_; }
  [[nodiscard]] uint64_t samples() const { return samples_; }
  // That could not be written.
  [[nodiscard]] uint64_t lost_samples() const { return lost_samples_; }
  [[nodiscard]] const std::string& event_file() const { return event_path_; }
  [[nodiscard]] const UsageSummary& summary() const { return summary_; }

 private:
  MonitorRecorder() = default;
  void Encode(const Monitor& monitor, std::span<const MonitorReading> readings, int64_t wall_ns);
  [[nodiscard]] bool Append(std::string_view bytes);
  void Note(std::string_view path, int error);

  std::string folder_;
  std::string event_path_;
  FileDescriptor events_;
  uint64_t event_bytes_ = 0;  // whole records in the file
  UsageSummary summary_;
  protobuf::MessageWriter event_;
  std::string record_;
  std::vector<uint8_t> described_;  // by series: its first value is in the file
  std::vector<double> last_limit_;  // by series, of those that are recorded when they change
  int64_t next_table_ns_ = 0;
  int64_t first_step_ = 0;
  uint64_t samples_ = 0;
  uint64_t lost_samples_ = 0;
  std::string problem_;
};

}  // namespace telltale
