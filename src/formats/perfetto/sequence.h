// SPDX-License-Identifier: Apache-2.0
// What a reader remembers of one packet sequence: texts by number, defaults, the last time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/perfetto/annotations.h"

namespace telltale::perfetto {

// Texts by number. Writers count up from 1, but any number is taken.
class TextTable {
 public:
  void Set(uint64_t iid, std::string text) {
    if (iid < dense_limit_) {
      if (iid >= dense_.size()) dense_.resize(static_cast<size_t>(iid) + 1);
      dense_[static_cast<size_t>(iid)] = {std::move(text), true};
    } else {
      sparse_[iid] = std::move(text);
    }
    if (iid >= dense_.size() / 2) dense_limit_ = std::max(dense_limit_, dense_.size() * 4);
  }
  // A view without data where the number is not known.
  [[nodiscard]] std::string_view Get(uint64_t iid) const {
    if (iid < dense_.size() && dense_[static_cast<size_t>(iid)].known) {
      const std::string& text = dense_[static_cast<size_t>(iid)].text;
      return {text.data(), text.size()};
    }
    const auto found = sparse_.find(iid);
    return found == sparse_.end() ? std::string_view() : std::string_view(found->second);
  }
  void Clear() {
    dense_.clear();
    sparse_.clear();
    dense_limit_ = 256;
  }

 private:
  struct Entry {
    std::string text;
    bool known = false;
  };
  size_t dense_limit_ = 256;  // numbers below stand in the list; grows only as the list fills
  std::vector<Entry> dense_;
  std::unordered_map<uint64_t, std::string> sparse_;
};

struct SequenceState final : InternedTexts {
  TextTable categories;         // as JSON strings, without quotes
  TextTable event_names;        // as JSON strings, with quotes
  TextTable annotation_names;   // clean text
  TextTable annotation_values;  // clean text

  uint64_t default_track = 0;
  uint64_t default_clock = 0;
  std::vector<uint64_t> extra_counters;
  std::vector<uint64_t> extra_double_counters;
  uint64_t thread_track = 0;  // of an old thread descriptor
  int64_t last_time_us = 0;   // for old time deltas
  std::unordered_map<uint64_t, uint64_t> incremental_clocks;

  [[nodiscard]] std::string_view AnnotationName(uint64_t iid) const override {
    return annotation_names.Get(iid);
  }
  [[nodiscard]] std::string_view AnnotationString(uint64_t iid) const override {
    return annotation_values.Get(iid);
  }
  void ClearIncrementalState() {
    categories.Clear();
    event_names.Clear();
    annotation_names.Clear();
    annotation_values.Clear();
    default_track = default_clock = thread_track = 0;
    extra_counters.clear();
    extra_double_counters.clear();
    incremental_clocks.clear();
  }
};

}  // namespace telltale::perfetto
