// SPDX-License-Identifier: Apache-2.0
// W&B's offline log, run-*.wandb (FORMAT.md): what a run is called, its configuration and how it
// ended, its history and system metrics as series. Follows a growing file: a record that is cut
// where the file ends for now is read when the rest has come. One thread.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/value.h"
#include "base/result.h"
#include "formats/logged_values.h"
#include "io/byte_source.h"

namespace telltale {

class WandbLog {
 public:
  // Takes what is there; `source` begins at position(). Fails only if this can never become such a
  // file.
  [[nodiscard]] Result<void> Read(ByteSource& source);
  // Of the first byte that belongs to no whole record yet.
  [[nodiscard]] uint64_t position() const { return position_; }

  LoggedValues logged;
  std::string id, project, name, group, job_type, host;
  std::optional<std::string> notes;
  std::vector<std::string> tags;
  JsonValue config = JsonValue::Object();
  std::optional<int64_t> start_ns;
  std::optional<int64_t> exit_code;  // none: it did not say that it ended
  uint64_t records = 0;

 private:
  void Record(std::string_view bytes, uint64_t offset);
  void Run(std::string_view message);
  void Config(std::string_view message);
  void History(std::string_view message);
  void Summary(std::string_view message);
  void TakeSummary();
  void Stats(std::string_view message);
  void Bad(uint64_t offset);

  uint64_t position_ = 0;
  int64_t stats_ = 0;  // system records so far: their steps
  // Of the last history record.
  int64_t last_step_ = 0;
  double last_wall_time_ = std::numeric_limits<double>::quiet_NaN();
  // Numbers of the summary by tag, with the first of its keys; until the run has ended.
  std::map<std::string, std::pair<std::string, double>, std::less<>> summary_;
};

}  // namespace telltale
