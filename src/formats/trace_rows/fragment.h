// SPDX-License-Identifier: Apache-2.0
// What one RowBuilder made of one part of a file: rows with ids of that builder's own tables, plus
// the entries these tables gained, so that the fragments can be joined in file order whoever parsed
// them (join.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/diagnostics.h"
#include "model/trace.h"

namespace telltale::trace_rows {

// A pid or tid: an integer, or a text of the parser's pool.
struct LocalKey {
  bool is_number = true;
  int64_t number = 0;            // if is_number
  StringId text = kEmptyString;  // else
  bool operator==(const LocalKey&) const = default;
};

struct LocalTrack {
  LocalKey pid;
  LocalKey tid;
};

// The end of a B/E pair.
struct EndMark {
  int64_t time_ns;
  TrackId track;
  uint64_t offset;
};

// A metadata event (ph M) about a process or thread.
struct NameMark {
  enum class What : uint8_t {
    kProcessName,
    kProcessLabels,
    kProcessSort,
    kThreadName,
    kThreadSort
  };
  What what;
  TrackId track;
  StringId text = kNoString;
  int64_t number = kNoInt;
};

struct Fragment : TraceTables {
  std::vector<EndMark> ends;          // E
  std::vector<uint32_t> begin_spans;  // rows in spans that came from B
  std::vector<NameMark> marks;
  uint64_t events = 0;
  Diagnostics diagnostics;

  // What the parser's tables gained during this block; the views live as long as the parser.
  std::vector<std::string_view> new_strings;
  std::vector<LocalTrack> new_tracks;
  std::vector<std::string_view> new_categories;

  void Clear();
};

}  // namespace telltale::trace_rows
