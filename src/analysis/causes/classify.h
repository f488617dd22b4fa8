// SPDX-License-Identifier: Apache-2.0
// What each piece of the graph's time is a cause of, and what of it could be gone. Every piece
// belongs to one cause, so that freeing one never frees another.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "analysis/causes/frames.h"
#include "analysis/causes/kinds.h"
#include "analysis/causes/uneven.h"
#include "analysis/critical_path/edges.h"
#include "base/column.h"

namespace telltale {

// A stretch of time and whose it is.
struct CausePiece {
  CauseKind kind = CauseKind::kWork;
  StringId name = kNoString;  // kNoString: of nobody
  SpanRow span = kNoRow;      // that the name is of
  TrackId track{0};
  int64_t from_ns = 0;
  int64_t to_ns = 0;
  int64_t avoidable_ns = 0;
};

class Classifier {
 public:
  explicit Classifier(const PathWorld& world);

  // The pieces of an edge within its region, in order of time.
  template <typename Each>
  void ForEach(const PathEdges& edges, const PathEdge& edge, Each each) const {
    ForEachPiece(edges, edge,
                 [&](int64_t from, int64_t to, PathCause cause, SpanRow span, TrackId track) {
                   JudgeBesideProfiler(
                       edge, cause, {CauseKind::kWork, kNoString, span, track, from, to, 0}, each);
                 });
  }

  // The call that waits at the end of an edge, as a cause; kWork: none does.
  [[nodiscard]] CausePiece WaitOf(const PathEdge& edge) const;

  // Some trace is of a capture: its launches go into a graph, and few of them happen.
  [[nodiscard]] bool records_graph() const { return records_graph_; }
  // Host code in short stretches between the operators of a graph without a device, in no
  // annotation, is from here on what calling them costs, whoever calls.
  void JoinShort(uint32_t graph) { graphs_[graph].joins_short = true; }
  [[nodiscard]] bool launches(uint32_t graph) const { return graphs_[graph].launches; }
  // nullptr: the graph's trace has none.
  [[nodiscard]] const FrameOwners* FramesOf(uint32_t graph) const {
    return graphs_[graph].frames.get();
  }

  // Host code that runs for longer between two calls is somebody's, not the price of launching.
  static constexpr int64_t kShortNs = 200'000;
  // A function that takes less is not looked for between two calls.
  static constexpr int64_t kWorthANameNs = 20'000;

 private:
  // What is known of the names of a trace.
  enum Name : uint8_t {
    kSeen = 1 << 0,
    kAllocates = 1 << 1,
    kCompiles = 1 << 2,
    kCollectsGarbage = 1 << 3,
    kProfiles = 1 << 4,
    kCopiesFromHost = 1 << 5,
  };
  // A call that makes a copy between host and device, and is no short one.
  struct LongCopy {
    SpanRow call = kNoRow;
    SpanRow copy = kNoRow;
  };
  struct Graph {
    const PathGraph* graph = nullptr;
    // The host is there to launch. Not where it records a graph: that is its work.
    bool launches = false;
    bool joins_short = false;
    Column<uint8_t> names;          // bits of Name by StringId
    Column<SpanRow> range_of;       // by span: the outermost range of a compilation or collection
    Column<SpanRow> annotation_of;  // by span: the innermost one around it; without a device alone
    std::unique_ptr<FrameOwners> frames;
    UnevenWork uneven;
    std::vector<LoaderRange> collectives;  // on any thread: disjoint, by time
    std::vector<LoaderRange> recording;    // the profiler's own work: disjoint, by time
    std::vector<LongCopy> long_copies;     // by call
    Column<uint8_t> empty_annotation;      // by span: nothing runs in it; beside a device alone

    [[nodiscard]] bool Is(StringId name, Name bit) const {
      const auto at = static_cast<size_t>(name);
      return at < names.size() && (names[at] & bit) != 0;
    }
    [[nodiscard]] StringId NameOf(SpanRow span) const {
      return span == kNoRow ? kNoString : graph->context->trace.spans.name[span];
    }
    // The copy between host and device that a long call makes; kNoRow: it is no such call.
    [[nodiscard]] SpanRow CopyOf(SpanRow call) const {
      const auto at = std::ranges::lower_bound(long_copies, call, {}, &LongCopy::call);
      return at == long_copies.end() || at->call != call ? kNoRow : at->copy;
    }
  };

  // An operator that is all calling and no computing: part of the code that calls it so often.
  static constexpr int64_t kTinyNs = 10'000;
  [[nodiscard]] static bool IsTiny(const Graph& graph, SpanRow row) {
    return !graph.annotation_of.empty() &&
           graph.graph->context->trace.spans.duration_ns[row] <= kTinyNs;
  }

  static void FindNames(Graph& graph);
  static void FindRanges(Graph& graph);
  static void FindAnnotations(Graph& graph);
  static void FindCollectives(Graph& graph);
  static void FindEmptyAnnotations(Graph& graph);
  static void MakeDisjoint(std::vector<LoaderRange>& ranges);
  static void FindRecording(Graph& graph);
  static void FindLongCopies(Graph& graph);
  [[nodiscard]] static bool IsEmptyAnnotation(const Graph& graph, SpanRow span) {
    return span != kNoRow && !graph.empty_annotation.empty() && graph.empty_annotation[span] != 0;
  }

  template <typename Each>
  static void Say(CausePiece piece, CauseKind kind, StringId name, Each& each) {
    piece.kind = kind;
    piece.name = name;
    piece.avoidable_ns = IsAvoidable(kind) ? piece.to_ns - piece.from_ns : 0;
    each(piece);
  }

  // Work, or what of it others like it do not take.
  template <typename Each>
  static void SayWork(const Graph& graph, CausePiece piece, CauseKind excess, Each& each,
                      CauseKind otherwise = CauseKind::kWork) {
    const uint32_t part = piece.span == kNoRow ? 0 : graph.uneven.ExcessOf(piece.span);
    if (part == 0) return Say(piece, otherwise, graph.NameOf(piece.span), each);
    piece.kind = excess;
    piece.name = graph.NameOf(piece.span);
    piece.avoidable_ns = static_cast<int64_t>(static_cast<double>(piece.to_ns - piece.from_ns) *
                                              part / UnevenWork::kAll);
    each(piece);
  }

  // What the profiler does itself while the host stands in a call or an operator is no fault of
  // those.
  template <typename Each>
  void JudgeBesideProfiler(const PathEdge& edge, PathCause cause, CausePiece piece,
                           Each& each) const {
    const Graph& graph = graphs_[edge.graph];
    const bool on_host = cause == PathCause::kRuntime || cause == PathCause::kOperator ||
                         cause == PathCause::kHostOther;
    if (!on_host || graph.recording.empty() || piece.to_ns - piece.from_ns <= kShortNs) {
      return Judge(edge, cause, piece, each);
    }
    auto at = std::ranges::partition_point(
        graph.recording, [&](const LoaderRange& range) { return range.end_ns <= piece.from_ns; });
    const int64_t end = piece.to_ns;
    for (; at != graph.recording.end() && at->start_ns < end; ++at) {
      CausePiece part = piece;
      part.to_ns = std::max(piece.from_ns, at->start_ns);
      if (part.from_ns < part.to_ns) Judge(edge, cause, part, each);
      part.from_ns = part.to_ns;
      part.to_ns = piece.from_ns = std::min(end, at->end_ns);
      part.span = at->span;
      Say(part, CauseKind::kProfiler, kNoString, each);
    }
    if (piece.from_ns < end) Judge(edge, cause, piece, each);
  }

  template <typename Each>
  void Judge(const PathEdge& edge, PathCause cause, CausePiece piece, Each& each) const {
    const Graph& graph = graphs_[edge.graph];
    const int64_t length = piece.to_ns - piece.from_ns;
    const bool is_short = length <= kShortNs;
    const StringId name = graph.NameOf(piece.span);
    switch (cause) {
      case PathCause::kDataLoading:
        return Say(piece, CauseKind::kDataLoading, name, each);
      case PathCause::kKernel:
        return SayWork(graph, piece, CauseKind::kUnevenWork, each);
      case PathCause::kMemset:
        return Say(piece, CauseKind::kWork, name, each);
      case PathCause::kCommunication:
        return SayWork(graph, piece, CauseKind::kCollectiveWait, each, CauseKind::kCommunication);
      case PathCause::kMemcpy:
        return Say(piece, graph.Is(name, kCopiesFromHost) ? CauseKind::kCopy : CauseKind::kWork,
                   name, each);
      case PathCause::kSynchronization: {
        CausePiece wait = WaitOf(edge);
        if (wait.kind != CauseKind::kWork) {
          piece.span = wait.span;
          return Say(piece, wait.kind, wait.name, each);
        }
        return Say(
            piece,
            graph.Is(name, kAllocates) ? CauseKind::kAllocation : CauseKind::kSynchronization, name,
            each);
      }
      case PathCause::kRuntime:
        if (graph.Is(name, kAllocates)) return Say(piece, CauseKind::kAllocation, name, each);
        // A copy from pageable memory is made in the call itself: through a buffer, bit by bit.
        if (const SpanRow copy = graph.CopyOf(piece.span); copy != kNoRow) {
          piece.span = copy;
          return Say(piece, CauseKind::kCopy, graph.NameOf(copy), each);
        }
        if (is_short) return Say(piece, CauseKind::kLaunchOverhead, kNoString, each);
        return Say(piece, CauseKind::kRuntimeCall, name, each);
      case PathCause::kLaunchDelay:
      case PathCause::kKernelGap:
        if (is_short) {
          return Say(
              piece,
              cause == PathCause::kLaunchDelay ? CauseKind::kLaunchOverhead : CauseKind::kWork,
              kNoString, each);
        }
        return Say(piece, CauseKind::kUnexplained,
                   cause == PathCause::kLaunchDelay ? name : kNoString, each);
      case PathCause::kIdle:
        return Say(piece, CauseKind::kUnexplained, kNoString, each);
      case PathCause::kOperator:
        if (InRange(graph, piece, each)) return;
        if (!graph.launches) {
          if (!IsTiny(graph, piece.span)) {
            return SayWork(graph, piece, CauseKind::kUnevenWork, each);
          }
          piece.span = graph.annotation_of[piece.span];
          if (graph.joins_short && piece.span == kNoRow) {
            return Say(piece, CauseKind::kLaunchOverhead, kNoString, each);
          }
          return SayHostCode(graph, piece, each);
        }
        if (is_short) return Say(piece, CauseKind::kLaunchOverhead, kNoString, each);
        return Say(piece, CauseKind::kHostOperator, name, each);
      case PathCause::kHostOther:
        if (InRange(graph, piece, each)) return;
        // A range in which nothing is launched is somebody's code, however short.
        if (is_short && ((graph.joins_short && piece.span == kNoRow) ||
                         (graph.launches && !IsEmptyAnnotation(graph, piece.span)))) {
          return SayBetweenCalls(graph, piece, each);
        }
        return SayHostCode(graph, piece, each);
    }
  }

  // In the range of a compilation or collection.
  template <typename Each>
  static bool InRange(const Graph& graph, CausePiece piece, Each& each) {
    if (graph.range_of.empty() || piece.span == kNoRow) return false;
    const SpanRow range = graph.range_of[piece.span];
    if (range == kNoRow) return false;
    piece.span = range;
    const StringId name = graph.NameOf(range);
    Say(piece, graph.Is(name, kCompiles) ? CauseKind::kCompilation : CauseKind::kGarbageCollection,
        name, each);
    return true;
  }

  // Code between two calls: the price of calling, but for functions that begin and end there. They
  // call nothing, and are somebody's code as well.
  template <typename Each>
  static void SayBetweenCalls(const Graph& graph, CausePiece piece, Each& each) {
    if (graph.frames == nullptr || piece.to_ns - piece.from_ns < kWorthANameNs) {
      return Say(piece, CauseKind::kLaunchOverhead, kNoString, each);
    }
    const SpanTable& spans = graph.graph->context->trace.spans;
    const int64_t offset = graph.graph->offset_ns;
    const int64_t start = piece.from_ns - offset;
    const int64_t end = piece.to_ns - offset;
    graph.frames->ForEachOwner(
        piece.track, start, end, [&](int64_t from, int64_t to, SpanRow frame) {
          CausePiece part = piece;
          part.from_ns = from + offset;
          part.to_ns = to + offset;
          const bool inside = frame != kNoRow && spans.start_ns[frame] >= start &&
                              spans.end_ns(frame) <= end &&
                              spans.duration_ns[frame] >= kWorthANameNs;
          if (!inside) return Say(part, CauseKind::kLaunchOverhead, kNoString, each);
          part.span = frame;
          SayFrame(graph, part, each);
        });
  }

  template <typename Each>
  static void SayFrame(const Graph& graph, const CausePiece& part, Each& each) {
    const StringId name = graph.NameOf(part.span);
    if (graph.Is(name, kProfiles)) return Say(part, CauseKind::kProfiler, kNoString, each);
    Say(part,
        graph.Is(name, kCollectsGarbage) ? CauseKind::kGarbageCollection : CauseKind::kHostCode,
        name, each);
  }

  // The innermost of annotations and own frames.
  template <typename Each>
  static void SayHostCode(const Graph& graph, CausePiece piece, Each& each) {
    if (graph.frames == nullptr) {
      if (piece.span == kNoRow) return SayNobodys(graph, piece, each);
      return Say(piece, CauseKind::kHostCode, graph.NameOf(piece.span), each);
    }
    const SpanTable& spans = graph.graph->context->trace.spans;
    const int64_t offset = graph.graph->offset_ns;
    graph.frames->ForEachOwner(
        piece.track, piece.from_ns - offset, piece.to_ns - offset,
        [&](int64_t from, int64_t to, SpanRow frame) {
          CausePiece part = piece;
          part.from_ns = from + offset;
          part.to_ns = to + offset;
          if (frame != kNoRow &&
              (part.span == kNoRow || spans.start_ns[frame] >= spans.start_ns[part.span])) {
            part.span = frame;
          }
          SayFrame(graph, part, each);
        });
  }

  // Time that nothing names: while another thread of the process is in a collective, it waits.
  template <typename Each>
  static void SayNobodys(const Graph& graph, CausePiece piece, Each& each) {
    auto at = std::ranges::partition_point(
        graph.collectives, [&](const LoaderRange& range) { return range.end_ns <= piece.from_ns; });
    const int64_t end = piece.to_ns;
    for (; at != graph.collectives.end() && at->start_ns < end; ++at) {
      CausePiece part = piece;
      part.to_ns = std::max(piece.from_ns, at->start_ns);
      if (part.from_ns < part.to_ns) Say(part, CauseKind::kHostCode, kNoString, each);
      part.from_ns = part.to_ns;
      part.to_ns = piece.from_ns = std::min(end, at->end_ns);
      part.span = at->span;
      Say(part, CauseKind::kCommunication, graph.NameOf(at->span), each);
    }
    if (piece.from_ns < end) Say(piece, CauseKind::kHostCode, kNoString, each);
  }

  std::vector<Graph> graphs_;
  bool records_graph_ = false;
};

}  // namespace telltale
