// SPDX-License-Identifier: Apache-2.0
// Event files again: what is sound of one or several, as one file, all of it or of some steps.
// Events stay as they were written, in their order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/byte_sink.h"
#include "io/byte_source.h"

namespace telltale::tfevents {

struct RewriteOptions {
  // Both ends included. Of values only: graphs, and what hyper-parameters were, are kept.
  std::optional<int64_t> first_step;
  std::optional<int64_t> last_step;
};

struct RewriteReport {
  uint64_t events_in = 0;
  uint64_t events_out = 0;
  uint64_t damaged = 0;     // records that are not as they were written, or no events
  uint64_t lost_bytes = 0;  // in no record
};

class Rewriter {
 public:
  Rewriter(ByteSink& sink, const RewriteOptions& options) : sink_(sink), options_(options) {}
  // The next file.
  [[nodiscard]] Result<void> Add(ByteSource& source);
  [[nodiscard]] const RewriteReport& report() const { return report_; }

 private:
  void AddRecord(std::string_view payload, std::string_view record);
  // The event with those values of its summary that are wanted, and with the metadata that a value
  // needs because the one that had it is gone. False: none is wanted.
  bool Trim(std::string_view payload);
  [[nodiscard]] bool IsWanted(int64_t step) const {
    return (!options_.first_step || step >= *options_.first_step) &&
           (!options_.last_step || step <= *options_.last_step);
  }

  // Of a tag that has metadata.
  struct Known {
    std::string metadata;
    bool written = false;
  };

  ByteSink& sink_;
  RewriteOptions options_;
  RewriteReport report_;
  bool has_version_ = false;
  std::map<std::string, Known, std::less<>> tags_;
  std::string event_;
  std::string record_;
};

}  // namespace telltale::tfevents
