// SPDX-License-Identifier: Apache-2.0
// Events by name: the text is looked for in the names, each once, and then the events of those
// names are counted and the first ones of them in time are listed.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/timeline/index.h"

namespace telltale {

struct SearchRequest {
  std::string_view text;  // ASCII letters match in either case; empty: nothing is found
  // Matches that start at this moment (since the origin) or later. None: from the first one.
  std::optional<int64_t> near_ns;
  // Those before `near_ns` (the end without it), the latest ones.
  bool backwards = false;
  size_t limit = 100;  // of matches
  size_t names = 100;  // of names
};

struct SearchMatch {
  uint32_t file = 0;
  SpanRow row = 0;
  int64_t start_ns = 0;  // since the origin
};

struct SearchName {
  std::string_view name;  // lives as long as the traces
  uint64_t count = 0;
};

struct SearchResult {
  uint64_t total = 0;                // events, at any time
  uint64_t names_total = 0;          // different names
  std::vector<SearchName> names;     // most events first
  std::vector<SearchMatch> matches;  // in time order
};

[[nodiscard]] SearchResult SearchSpans(std::span<const TraceContext> contexts,
                                       const TimelineIndex& index, const SearchRequest& request);

}  // namespace telltale
