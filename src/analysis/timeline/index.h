// SPDX-License-Identifier: Apache-2.0
// The timeline of a profile, made once: its groups (one for each file, on one clock), the tracks in
// the order they are shown, and for each the rows of boxes or the curve. Holds no trace: the
// functions that answer questions take the contexts it was made from, too. May be used by several
// threads at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/backward_links.h"
#include "analysis/core/context.h"
#include "analysis/distributed/alignment.h"
#include "analysis/timeline/derived_spans.h"
#include "analysis/timeline/file_rows.h"
#include "analysis/timeline/name_sums.h"
#include "analysis/timeline/series.h"

namespace telltale {

enum class TrackKind : uint8_t {
  kSteps,
  kCriticalPath,
  kThread,
  kPython,
  kAnnotations,
  kStream,
  kMemory,
  kCounter,
};
[[nodiscard]] std::string_view NameOf(TrackKind kind);

struct TimelineTrack {
  TrackKind kind = TrackKind::kThread;
  uint32_t file = 0;  // its group has the same number
  std::string name;
  uint32_t part = kNoRow;    // of threads, Python stacks, streams: into FileRows::tracks
  uint32_t series = kNoRow;  // of curves: into FileTimeline::series
  uint32_t depth = 0;        // rows
  // The thread's track above a Python stack; the stream's below its annotations.
  std::optional<uint32_t> belongs_to;
  std::optional<uint64_t> spans;  // none: of the critical path, which is computed when asked for
  int64_t first_ns = 0;           // as in the file
  int64_t last_ns = 0;
  std::optional<int64_t> device;
  std::optional<int64_t> stream;
};

struct FileTimeline {
  std::string name;  // "rank 0", else the worker's or the file's name
  FileRows rows;
  Column<TimelineCategory> category;  // by span
  StretchSums stretches;              // of the rows
  DerivedSpans steps;
  std::vector<Series> series;
  uint64_t series_left_out = 0;
  // To add (wrapping) to a time of the file for the time since the timeline's origin.
  uint64_t shift_ns = 0;
  std::vector<uint32_t> track_of_part;  // by FileRows::tracks: into TimelineIndex::tracks
  Column<uint32_t> name_counts;         // by StringId: spans of that name

  [[nodiscard]] int64_t FromOrigin(int64_t time_ns) const {
    return static_cast<int64_t>(static_cast<uint64_t>(time_ns) + shift_ns);
  }
  // Saturates: whatever is asked for stays in the range of times.
  [[nodiscard]] int64_t ToFile(int64_t from_origin_ns) const;
};

// Boxes of one track and the times of their items.
struct TrackBoxes {
  const BoxRows* boxes = nullptr;
  BoxTimes times;
  std::span<const BoxRow> rows;
  const DerivedSpans* derived = nullptr;  // null: items are rows of the file's spans
};

class TimelineIndex {
 public:
  // `contexts` in the order of the files.
  explicit TimelineIndex(std::span<const TraceContext> contexts);
  ~TimelineIndex();
  TimelineIndex(TimelineIndex&&) noexcept;
  TimelineIndex& operator=(TimelineIndex&&) noexcept;

  [[nodiscard]] const std::vector<FileTimeline>& files() const { return files_; }
  [[nodiscard]] const std::vector<TimelineTrack>& tracks() const { return tracks_; }
  [[nodiscard]] const Alignment& alignment() const { return alignment_; }
  // Since 1970 where the files know, else as in the first file.
  [[nodiscard]] int64_t origin_ns() const { return origin_ns_; }
  // From the origin to the last end. Where single events lie days apart from all others (a clock
  // that was not set), both leave them out: they are before 0 or behind the duration.
  [[nodiscard]] int64_t duration_ns() const { return duration_ns_; }
  [[nodiscard]] uint64_t spans_outside() const { return spans_outside_; }
  [[nodiscard]] std::optional<int64_t> clock_error_ns() const { return clock_error_ns_; }

  // Empty for curves. Computes the critical path when its track is asked for first.
  [[nodiscard]] TrackBoxes BoxesOf(std::span<const TraceContext> contexts, uint32_t track) const;
  // Found when asked for first. Without BackwardLinks::inside.
  [[nodiscard]] const BackwardLinks& BackwardOf(std::span<const TraceContext> contexts,
                                                uint32_t file) const;
  // The track that shows a span.
  [[nodiscard]] uint32_t TrackOf(std::span<const TraceContext> contexts, uint32_t file,
                                 SpanRow row) const {
    return files_[file].track_of_part[files_[file].rows.TrackOf(contexts[file].trace, row)];
  }
  [[nodiscard]] size_t memory_bytes() const;

 private:
  struct Lazy;  // what is computed when it is asked for

  void SetClock(std::span<const TraceContext> contexts);

  std::vector<FileTimeline> files_;
  std::vector<TimelineTrack> tracks_;
  Alignment alignment_;
  int64_t origin_ns_ = 0;
  int64_t duration_ns_ = 0;
  uint64_t spans_outside_ = 0;
  std::optional<int64_t> clock_error_ns_;
  std::unique_ptr<Lazy> lazy_;
};

}  // namespace telltale
