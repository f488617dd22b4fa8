// SPDX-License-Identifier: Apache-2.0
// What processes tell of themselves by notes (telltale_note), as parts of run.json and args.txt.
// Values only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json/value.h"
#include "collect/run_record.h"

namespace telltale {

// Of one recording process.
struct ProcessFacts {
  uint64_t pid = 0;
  std::optional<int64_t> rank, local_rank;
  bool is_main = false;  // the first Python process of the run, as it says
  bool is_worker = false;
  bool is_closed = false;  // it said that it ends
  bool is_alive = true;
  uint64_t steps = 0;
  bool has_failed = false;       // by an exception
  std::optional<int> exit_code;  // as it said itself
  int64_t last_wall_ns = 0;      // of its last record
};

class RunFacts {
 public:
  // Goes on where run.json and args.txt stand.
  RunFacts(const RunRecord& record, std::string_view args);

  // False: it is no JSON; `process` gets what is its own. A key that nobody knows is a remark.
  bool Take(std::string_view key, std::string_view json, int64_t wall_ns, ProcessFacts& process);

  // Puts what was taken into a record; its ranks, status and times are not this one's business.
  void ApplyTo(RunRecord& record) const;
  // "key: value" lines.
  [[nodiscard]] std::string Args() const;
  // Since the last call.
  [[nodiscard]] bool TakeChanged() { return std::exchange(changed_, false); }

 private:
  void Remark(std::string sentence);

  std::vector<std::pair<std::string, std::string>> config_;
  std::vector<std::pair<std::string, std::string>> versions_;
  std::vector<std::pair<std::string, std::string>> hooks_;  // what of a tool is not recorded, why
  JsonValue error_;
  bool error_is_workers_ = false;
  JsonValue quick_run_;
  JsonValue summary_;
  JsonValue metrics_;
  JsonValue artifacts_;
  JsonValue run_;                     // what the program calls the run; null: nothing
  std::vector<std::string> remarks_;  // each once
  bool changed_ = false;
};

// A value as args.txt has it: one line.
[[nodiscard]] std::string ConfigText(const JsonValue& value);

}  // namespace telltale
