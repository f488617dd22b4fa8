// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/place.h"

#include "analysis/causes/frames.h"
#include "analysis/causes/kinds.h"

namespace telltale {

namespace {

// The innermost operator or annotation of another name around the moment.
std::string Around(const PathGraph& graph, const CausePiece& piece) {
  const auto track = static_cast<size_t>(piece.track);
  const uint32_t thread =
      track < graph.thread_of_track.size() ? graph.thread_of_track[track] : kNoRow;
  if (thread == kNoRow) return "";
  const TraceContext& context = *graph.context;
  const SpanTable& spans = context.trace.spans;
  const HostTree& tree = context.tree;
  const PathThread& range = graph.threads[thread];
  const NodeId next = graph.FirstNodeFrom(thread, piece.from_ns + 1, range.first_node);
  NodeId node = next > range.first_node ? next - 1 : kNoRow;
  for (; node != kNoRow; node = tree.parent[node]) {
    const SpanRow row = tree.span[node];
    if (spans.end_ns(row) + graph.offset_ns <= piece.from_ns) continue;
    const StringId name = spans.name[row];
    if (name == piece.name || spans.category[row] == Category::kRuntime ||
        context.facts.Is(name, NameFact::kStep)) {
      continue;
    }
    return std::string(context.trace.Text(name));
  }
  return "";
}

}  // namespace

CausePlace PlaceOfPiece(const PathGraph& graph, const FrameOwners* frames,
                        const CausePiece& piece) {
  CausePlace place;
  // What has no name of its own is in many places, and work on the device in none.
  if (piece.name == kNoString || piece.to_ns <= piece.from_ns) return place;
  if (piece.kind != CauseKind::kDataLoading) place.inside = Around(graph, piece);
  if (frames == nullptr) return place;
  const Trace& trace = graph.context->trace;
  const auto take = [&](int64_t, int64_t, SpanRow frame) {
    if (frame == kNoRow || trace.spans.name[frame] == piece.name) return;
    // Of a loader: what it calls, not who calls it.
    if (piece.kind == CauseKind::kDataLoading &&
        trace.spans.start_ns[frame] <= trace.spans.start_ns[piece.span]) {
      return;
    }
    if (!IsProfilerFrame(trace.NameOfSpan(frame))) place.called_from = trace.NameOfSpan(frame);
  };
  const int64_t moment = piece.from_ns - graph.offset_ns;
  frames->ForEachOwner(piece.track, moment, moment + 1, take);
  if (piece.kind == CauseKind::kDataLoading && place.called_from.empty() && piece.span != kNoRow) {
    const StringId most =
        frames->MostIn(piece.track, moment, piece.to_ns - graph.offset_ns, piece.span);
    if (most != kNoString) place.called_from = trace.Text(most);
  }
  return place;
}

}  // namespace telltale
