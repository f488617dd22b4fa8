// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/index.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <mutex>
#include <utility>

#include "analysis/timeline/clock_window.h"
#include "analysis/timeline/tracks.h"
#include "base/cancel.h"
#include "base/parallel.h"

namespace telltale {

namespace {

std::string NameOfFile(const ProfileSource& source) {
  if (source.rank != kNoInt) return "rank " + std::to_string(source.rank);
  if (!source.worker.empty()) return source.worker;
  const size_t slash = source.path.find_last_of('/');
  return slash == std::string::npos ? source.path : source.path.substr(slash + 1);
}

Column<uint32_t> CountNames(const Trace& trace) {
  Column<uint32_t> counts(trace.strings.size());
  for (const StringId name : trace.spans.name) ++counts[static_cast<size_t>(name)];
  return counts;
}

Column<TimelineCategory> Categories(const TraceContext& context) {
  const size_t size = context.trace.spans.size();
  Column<TimelineCategory> categories;
  categories.reserve(size);
  TimelineCategory* const out = categories.extend(size);
  for (SpanRow row = 0; row < size; ++row) out[row] = TimelineCategoryOf(context, row);
  return categories;
}

Alignment Align(std::span<const TraceContext> contexts) {
  if (contexts.size() > 1) return AlignRanks(contexts);
  Alignment alignment;
  alignment.files.resize(contexts.size());
  return alignment;
}

}  // namespace

std::string_view NameOf(TrackKind kind) {
  static constexpr std::array<std::string_view, 8> kNames = {
      "steps", "critical_path", "thread", "python", "annotations", "stream", "memory", "counter"};
  return kNames[static_cast<size_t>(kind)];
}

int64_t FileTimeline::ToFile(int64_t from_origin_ns) const {
  // Times of files are within 2^62 of zero; what is asked for beyond has nothing to show anyway.
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max() / 2;
  const auto shift = static_cast<int64_t>(shift_ns);
  int64_t time = 0;
  if (__builtin_sub_overflow(from_origin_ns, shift, &time)) {
    time = from_origin_ns < 0 ? -kFar : kFar;
  }
  return time;
}

struct TimelineIndex::Lazy {
  struct Backward {
    std::once_flag once;
    BackwardLinks links;
  };

  explicit Lazy(size_t files) : backward(files) {}

  std::once_flag path_once;
  std::vector<DerivedSpans> path;  // by file
  std::vector<Backward> backward;  // by file
};

TimelineIndex::~TimelineIndex() = default;
TimelineIndex::TimelineIndex(TimelineIndex&&) noexcept = default;
TimelineIndex& TimelineIndex::operator=(TimelineIndex&&) noexcept = default;

TimelineIndex::TimelineIndex(std::span<const TraceContext> contexts)
    : alignment_(Align(contexts)), lazy_(std::make_unique<Lazy>(contexts.size())) {
  files_.resize(contexts.size());
  if (contexts.empty()) return;
  SetClock(contexts);
  const unsigned threads = ThreadCount(contexts[0].options.threads);
  for (uint32_t i = 0; i < contexts.size(); ++i) {
    StopIfCanceled();
    FileTimeline& file = files_[i];
    const Trace& trace = contexts[i].trace;
    file.name = NameOfFile(trace.source);
    RunBoth(
        threads, [&] { file.rows = PlaceInRows(trace, threads); },
        [&] {
          FileSeries series = SeriesOf(contexts[i]);
          file.series = std::move(series.series);
          file.series_left_out = series.left_out;
          file.steps = StepSpans(contexts[i]);
          file.name_counts = CountNames(trace);
          file.category = Categories(contexts[i]);
        });
    file.stretches = SumStretches(trace, file.category.span(), file.rows, threads);
    std::vector<TimelineTrack> tracks =
        TracksOf(contexts[i], i, file, static_cast<uint32_t>(tracks_.size()));
    tracks_.insert(tracks_.end(), std::make_move_iterator(tracks.begin()),
                   std::make_move_iterator(tracks.end()));
  }
}

void TimelineIndex::SetClock(std::span<const TraceContext> contexts) {
  const ClockWindow window = FindClockWindow(contexts, alignment_);
  origin_ns_ = window.start_ns;
  spans_outside_ = window.spans_outside;
  if (__builtin_sub_overflow(window.end_ns, window.start_ns, &duration_ns_)) {
    duration_ns_ = std::numeric_limits<int64_t>::max();
  }
  for (size_t i = 0; i < contexts.size(); ++i) {
    const int64_t zero = alignment_.CommonTime(contexts[i].trace, i, 0);
    files_[i].shift_ns = static_cast<uint64_t>(zero) - static_cast<uint64_t>(origin_ns_);
    const std::optional<int64_t> error = alignment_.files[i].error_ns;
    if (error) clock_error_ns_ = std::max(clock_error_ns_.value_or(0), *error);
  }
}

TrackBoxes TimelineIndex::BoxesOf(std::span<const TraceContext> contexts, uint32_t number) const {
  const TimelineTrack& track = tracks_[number];
  const FileTimeline& file = files_[track.file];
  const DerivedSpans* derived = nullptr;
  if (track.kind == TrackKind::kSteps) derived = &file.steps;
  if (track.kind == TrackKind::kCriticalPath) {
    std::call_once(lazy_->path_once,
                   [&] { lazy_->path = CriticalPathSpans(contexts, alignment_); });
    derived = &lazy_->path[track.file];
  }
  if (derived != nullptr) return {&derived->boxes, derived->times(), derived->boxes.rows, derived};
  if (track.part == kNoRow) return {};
  const PlacedTrack& placed = file.rows.tracks[track.part];
  return {&file.rows.boxes, TimesOf(contexts[track.file].trace),
          std::span(file.rows.boxes.rows).subspan(placed.first_row, placed.row_count), nullptr};
}

const BackwardLinks& TimelineIndex::BackwardOf(std::span<const TraceContext> contexts,
                                               uint32_t file) const {
  Lazy::Backward& backward = lazy_->backward[file];
  std::call_once(backward.once, [&] {
    backward.links = LinkBackward(contexts[file].trace, contexts[file].tree);
    backward.links.inside = Column<NodeId>();
  });
  return backward.links;
}

size_t TimelineIndex::memory_bytes() const {
  size_t bytes = tracks_.capacity() * sizeof(TimelineTrack);
  for (const FileTimeline& file : files_) {
    bytes += file.rows.memory_bytes() + file.stretches.memory_bytes() + file.steps.memory_bytes() +
             file.name_counts.memory_bytes() + file.category.memory_bytes() +
             file.track_of_part.capacity() * sizeof(uint32_t);
    for (const Series& series : file.series) bytes += series.memory_bytes();
  }
  return bytes;
}

}  // namespace telltale
