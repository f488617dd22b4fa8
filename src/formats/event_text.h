// SPDX-License-Identifier: Apache-2.0
// One trace event taken apart: every field and every argument with its value as clean JSON,
// whatever damage its text had (kineto_json/FORMAT.md says which is repaired). For writers, which
// must keep what no column holds. Values point into the event's text or into this object; both must
// live as long as they are used.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "formats/kineto_json/value.h"

namespace telltale {

struct JsonField {
  std::string_view key;   // clean text, not quoted
  std::string_view json;  // a JSON value
};

class EventText {
 public:
  // `text` is an object followed by kineto_json::kPadding readable bytes. False if it cannot be
  // understood.
  [[nodiscard]] bool Parse(std::string_view text);

  // Without args. A key may come twice: the last one counts.
  [[nodiscard]] const std::vector<JsonField>& fields() const { return fields_; }
  [[nodiscard]] const std::vector<JsonField>& args() const { return args_; }
  // Empty if there are none, or if they are no object: then this is their value.
  [[nodiscard]] std::string_view odd_args() const { return odd_args_; }
  [[nodiscard]] bool has_args() const { return has_args_; }

 private:
  template <bool kRepair>
  bool ParseObject(const char*& p, const char* end, bool is_args);
  template <bool kRepair>
  bool ParseWhole(std::string_view text);
  std::string_view CleanKey(const kineto_json::Value& value);
  std::string_view CleanValue(const kineto_json::Value& value);

  std::vector<JsonField> fields_;
  std::vector<JsonField> args_;
  std::string_view odd_args_;
  bool has_args_ = false;
  std::string arena_;  // cleaned texts; never reallocated within one event
};

// The same for one value that stands alone.
[[nodiscard]] std::string CleanJson(const kineto_json::Value& value);

}  // namespace telltale
