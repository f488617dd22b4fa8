// SPDX-License-Identifier: Apache-2.0
// The clocks of a trace: what must be added to a time of each to make it trace time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "formats/perfetto/fields.h"
#include "formats/perfetto/sequence.h"

namespace telltale::perfetto {

class Clocks {
 public:
  // Takes a ClockSnapshot message.
  void Read(std::string_view message, SequenceState& sequence);

  // A clock that no snapshot has named counts as trace time.
  [[nodiscard]] uint64_t ToTraceTime(uint64_t time, uint64_t clock, SequenceState& sequence) const;
  // What makes trace time time since 1970.
  [[nodiscard]] std::optional<int64_t> realtime_offset() const { return realtime_offset_; }

 private:
  struct Known {
    uint64_t to_trace = 0;  // modulo 2^64
    uint64_t multiplier = 1;
  };
  uint64_t primary_ = clocks::kBoottime;
  bool has_primary_ = false;
  std::unordered_map<uint64_t, Known> known_;
  std::optional<int64_t> realtime_offset_;
};

}  // namespace telltale::perfetto
