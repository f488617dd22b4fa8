// SPDX-License-Identifier: Apache-2.0
// W&B's offline log, run-*.wandb (FORMAT.md): what a run is called, its configuration and how it
// ended, its history and system metrics as series. Follows a growing file: a record that is cut
// where the file ends for now is read when the rest has come. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
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
  void Stats(std::string_view message);
  void Bad(uint64_t offset);

  uint64_t position_ = 0;
  int64_t stats_ = 0;  // system records so far: their steps
};

}  // namespace telltale
