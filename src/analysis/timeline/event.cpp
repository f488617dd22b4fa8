// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/event.h"

#include <algorithm>

#include "analysis/functions/own_code.h"
#include "analysis/timeline/name_sums.h"
#include "analysis/timeline/open_boxes.h"
#include "base/frame_name.h"

namespace telltale {

namespace {

StackFrame FrameOf(std::string_view text, SpanRow row) {
  const FrameName parts = SplitFrameName(text);
  return {row, parts.name.empty() ? text : parts.name, parts.file, parts.line};
}

class Describer {
 public:
  Describer(std::span<const TraceContext> contexts, const TimelineIndex& index, uint32_t file,
            SpanRow row)
      : contexts_(contexts),
        index_(index),
        file_(index.files()[file]),
        file_number_(file),
        context_(contexts[file]),
        trace_(context_.trace),
        row_(row) {}

  EventDetails Describe() {
    details_.track = index_.TrackOf(contexts_, file_number_, row_);
    details_.depth = file_.rows.depth[row_];
    details_.parents = ParentsOf(trace_, file_.rows, row_);
    DescribeInside();
    DescribeLaunches();
    DescribeStep();
    DescribeStack();
    const BackwardLinks& backward = index_.BackwardOf(contexts_, file_number_);
    AddForwardBackward(context_, backward, row_, details_.parents, details_.arrows);
    AddFlows(trace_, file_.rows, row_, details_.arrows);
    return std::move(details_);
  }

 private:
  void DescribeInside() {
    const SpanTable& spans = trace_.spans;
    const PlacedTrack& track = file_.rows.tracks[file_.rows.TrackOf(trace_, row_)];
    const auto rows = std::span(file_.rows.boxes.rows).subspan(track.first_row, track.row_count);
    const BoxRow* const below = RowBelowOf(rows, details_.depth, track.part != TrackPart::kStream);
    const int64_t start = spans.start_ns[row_];
    const int64_t end = spans.end_ns(row_);
    details_.self_ns = end - start;
    if (below == nullptr) return;
    const BoxRows& boxes = file_.rows.boxes;
    const BoxTimes times = TimesOf(trace_);
    details_.self_ns -= RowBelow(boxes, times, below, start).Covered(start, end);
    const uint32_t first = boxes.FirstFrom(*below, times, start);
    const uint32_t last = boxes.FirstFrom(*below, times, end);
    if (first >= last) return;
    details_.child_count = last - first;
    for (uint32_t i = first; i < last && details_.children.size() < kMostListed; ++i) {
      details_.children.push_back(boxes.items[below->first + i]);
    }
  }

  void DescribeLaunches() {
    if (IsDevice(trace_.spans.category[row_])) {
      const size_t link = LinkOf(context_.links, row_);
      if (link == context_.links.size()) return;
      if (context_.links.launch[link] != kNoRow) {
        details_.launch = context_.tree.span[context_.links.launch[link]];
        details_.arrows.push_back({"launch", details_.launch, row_});
      }
      if (context_.links.owner[link] != kNoRow) {
        details_.launching_operator = context_.tree.span[context_.links.owner[link]];
      }
      return;
    }
    for (const LaunchedEvent& launched : LaunchedBy(context_, row_)) {
      ++details_.launched_count;
      details_.launched_ns += trace_.spans.duration_ns[launched.device];
      if (details_.launched.size() < kMostListed) details_.launched.push_back(launched.device);
      if (details_.arrows.size() < kMostArrows) {
        details_.arrows.push_back({"launch", launched.call, launched.device});
      }
    }
  }

  // The host moment that the event belongs to; of device events that of their launch.
  [[nodiscard]] SpanRow HostEvent() const {
    if (!IsDevice(trace_.spans.category[row_])) return row_;
    return details_.launch;
  }

  void DescribeStep() {
    const SpanRow host = HostEvent();
    if (host == kNoRow || context_.steps.source == StepSource::kWholeTrace) return;
    const int64_t time = trace_.spans.start_ns[host];
    const std::vector<Step>& steps = context_.steps.rows;
    for (size_t i = steps.size(); i-- > 0;) {
      if (steps[i].host.start_ns > time || steps[i].host.end_ns <= time) continue;
      details_.step = StepName(trace_, context_.steps, steps[i]);
      return;
    }
  }

  void DescribeStack() {
    const SpanRow host = HostEvent();
    if (host == kNoRow) return;
    if (trace_.spans.category[row_] == Category::kPython) {
      details_.stack.push_back(FrameOf(trace_.NameOfSpan(row_), row_));
      for (const SpanRow parent : details_.parents) {
        details_.stack.push_back(FrameOf(trace_.NameOfSpan(parent), parent));
      }
    } else {
      AddPythonFrames(host);
      if (details_.stack.empty()) AddCapturedStack();
    }
    for (const StackFrame& frame : details_.stack) {
      if (frame.file.empty()) continue;
      if (!details_.source) details_.source = frame;
      if (IsLibrary(frame.file, frame.name)) continue;
      details_.source = frame;
      break;
    }
  }

  void AddPythonFrames(SpanRow host) {
    const auto track = static_cast<size_t>(trace_.spans.track[host]);
    const uint32_t python = file_.rows.of_track[track][static_cast<size_t>(TrackPart::kPython)];
    if (python == kNoRow) return;
    const std::vector<SpanRow> open =
        OpenBoxes(trace_, file_.rows, file_.rows.tracks[python], trace_.spans.start_ns[host]);
    for (size_t i = open.size(); i-- > 0;) {
      details_.stack.push_back(FrameOf(trace_.NameOfSpan(open[i]), open[i]));
    }
  }

  // The text that operators carry where frames were not recorded as events, innermost first.
  void AddCapturedStack() {
    std::vector<SpanRow> carriers = {row_};
    carriers.insert(carriers.end(), details_.parents.begin(), details_.parents.end());
    if (details_.launching_operator != kNoRow) carriers.push_back(details_.launching_operator);
    for (const SpanRow carrier : carriers) {
      const OperatorDetail* detail = trace_.OperatorOf(carrier);
      if (detail == nullptr) continue;
      std::string_view text = trace_.Text(detail->call_stack);
      if (text.empty()) continue;
      while (!text.empty()) {
        const size_t end = std::min(text.find(';'), text.size());
        std::string_view frame = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (!frame.empty() && (frame.front() == ' ' || frame.front() == '\n')) {
          frame.remove_prefix(1);
        }
        if (!frame.empty()) details_.stack.push_back(FrameOf(frame, kNoRow));
      }
      return;
    }
  }

  const std::span<const TraceContext> contexts_;
  const TimelineIndex& index_;
  const FileTimeline& file_;
  const uint32_t file_number_;
  const TraceContext& context_;
  const Trace& trace_;
  const SpanRow row_;
  EventDetails details_;
};

}  // namespace

EventDetails DescribeEvent(std::span<const TraceContext> contexts, const TimelineIndex& index,
                           uint32_t file, SpanRow row) {
  return Describer(contexts, index, file, row).Describe();
}

}  // namespace telltale
