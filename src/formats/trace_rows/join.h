// SPDX-License-Identifier: Apache-2.0
// Joins fragments, in file order, into one trace. Every parser numbers strings, tracks and
// categories for itself; here they get their final numbers, in order of first use, so that the
// result does not depend on which thread parsed what. One thread at a time.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/trace_rows/fragment.h"
#include "model/trace.h"

namespace telltale::trace_rows {

class Joiner {
 public:
  explicit Joiner(size_t parsers) : maps_(parsers) {}

  // Takes note of what the parser's tables gained. Must see every fragment of a parser, in order,
  // also those whose rows are not wanted.
  void Learn(size_t parser, const Fragment& fragment);
  // Adds the rows of a fragment that was learnt before.
  void Append(size_t parser, const Fragment& fragment);

  // Pairs B with E events and hands the trace over.
  [[nodiscard]] Trace Finish();

  [[nodiscard]] Trace& trace() { return trace_; }
  // About what the trace so far and the way to it take: the parsers' own tables, too.
  [[nodiscard]] size_t memory_bytes() const;

 private:
  struct LocalString {
    std::string_view text;
    StringId global = kNoString;
  };
  struct LocalTrackEntry {
    LocalTrack track;
    uint32_t global = UINT32_MAX;
  };
  struct LocalCategory {
    std::string_view text;
    uint32_t global = UINT32_MAX;
  };
  struct Map {
    std::vector<LocalString> strings;
    std::vector<LocalTrackEntry> tracks;
    std::vector<LocalCategory> categories;
  };
  struct EndRow {
    int64_t time_ns;
    TrackId track;
    uint64_t offset;
  };

  StringId Global(Map& map, StringId local) {
    if (local == kNoString) return kNoString;
    LocalString& entry = map.strings[static_cast<uint32_t>(local)];
    if (entry.global == kNoString) entry.global = trace_.strings.Intern(entry.text);
    return entry.global;
  }
  TrackId Global(Map& map, TrackId local);
  CategoryId Global(Map& map, CategoryId local);
  TrackKey GlobalKey(Map& map, const LocalKey& key);
  uint32_t ProcessOf(const TrackKey& pid);
  void AppendSpans(Map& map, const Fragment& fragment);
  void AppendDetails(Map& map, const Fragment& fragment);
  void AppendOthers(Map& map, const Fragment& fragment);
  void Apply(Map& map, const NameMark& mark);
  void PairBeginsWithEnds();

  Trace trace_;
  std::vector<Map> maps_;
  size_t learnt_bytes_ = 0;
  std::unordered_map<uint64_t, uint32_t> track_index_;    // (pid text, tid text) -> track
  std::unordered_map<uint32_t, uint32_t> process_index_;  // pid text -> process
  std::vector<uint32_t> begin_spans_;
  std::vector<EndRow> ends_;
};

}  // namespace telltale::trace_rows
