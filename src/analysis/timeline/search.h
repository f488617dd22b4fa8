// SPDX-License-Identifier: Apache-2.0
// Events by name and arguments (search_query.h): those that match are counted by name, the first
// ones of them in time are listed, and for a picture that lights them there is a bit for each
// event.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/timeline/index.h"
#include "analysis/timeline/search_query.h"

namespace telltale {

struct SearchRequest {
  SearchQuery query;  // empty: nothing is found
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

// A byte for each event of a file, in file order: 1 if it matches.
[[nodiscard]] std::vector<uint8_t> MatchingSpans(const TraceContext& context,
                                                 const FileTimeline& file,
                                                 const SearchQuery& query);

}  // namespace telltale
