// SPDX-License-Identifier: Apache-2.0
// A hand-made profile with its timeline, and questions to it, for tests.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/core/context.h"
#include "analysis/core/trace_builder.h"
#include "analysis/timeline/decode_fixture.h"
#include "analysis/timeline/encode.h"
#include "analysis/timeline/index.h"
#include "analysis/timeline/span_view.h"

namespace telltale {

class TimelineFixture {
 public:
  explicit TimelineFixture(Trace& trace) { Prepare({&trace}); }
  explicit TimelineFixture(const std::vector<Trace*>& traces) { Prepare(traces); }

  [[nodiscard]] std::span<const TraceContext> contexts() const { return contexts_; }
  [[nodiscard]] const TimelineIndex& index() const { return *index_; }

  [[nodiscard]] std::vector<uint32_t> AllTracks() const {
    std::vector<uint32_t> tracks(index_->tracks().size());
    for (uint32_t i = 0; i < tracks.size(); ++i) tracks[i] = i;
    return tracks;
  }
  // The tracks that show events of the files, each event once.
  [[nodiscard]] std::vector<uint32_t> EventTracks() const {
    std::vector<uint32_t> tracks;
    for (const uint32_t track : AllTracks()) {
      if (index_->tracks()[track].part != kNoRow) tracks.push_back(track);
    }
    return tracks;
  }
  // The first track of that kind; the number of tracks if there is none.
  [[nodiscard]] uint32_t Track(TrackKind kind) const {
    uint32_t track = 0;
    while (track < index_->tracks().size() && index_->tracks()[track].kind != kind) ++track;
    return track;
  }

  [[nodiscard]] std::vector<DecodedBox> View(int64_t start, int64_t end, uint32_t width,
                                             const std::vector<uint32_t>& tracks) const {
    return DecodeSpans(EncodeSpans(ViewSpans(contexts_, *index_, {start, end, width}, tracks)));
  }
  // From the first to the last moment of any event.
  [[nodiscard]] std::vector<DecodedBox> WholeView(uint32_t width) const {
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    for (const uint32_t track : EventTracks()) {
      const TimelineTrack& described = index_->tracks()[track];
      const FileTimeline& file = index_->files()[described.file];
      first = std::min(first, file.FromOrigin(described.first_ns));
      last = std::max(last, file.FromOrigin(described.last_ns));
    }
    return View(first, last + 1, width, EventTracks());
  }

 private:
  void Prepare(const std::vector<Trace*>& traces) {
    AnalysisOptions options;
    options.threads = 2;
    for (Trace* trace : traces) contexts_.push_back(PrepareTrace(*trace, options));
    index_ = std::make_unique<TimelineIndex>(contexts_);
  }

  std::vector<TraceContext> contexts_;
  std::unique_ptr<TimelineIndex> index_;
};

inline uint64_t SumOfCounts(std::span<const DecodedBox> boxes) {
  uint64_t sum = 0;
  for (const DecodedBox& box : boxes) sum += box.count;
  return sum;
}

// Well-spread numbers that are the same on every machine.
class TestRandom {
 public:
  explicit TestRandom(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15 + 1) {}
  uint64_t Below(uint64_t limit) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % limit;
  }

 private:
  uint64_t state_;
};

}  // namespace telltale
