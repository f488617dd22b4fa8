// SPDX-License-Identifier: Apache-2.0
#include "analysis/causes/classify.h"

#include <array>
#include <atomic>
#include <string_view>
#include <utility>

#include "analysis/critical_path/calls.h"
#include "base/cancel.h"
#include "base/parallel.h"

namespace telltale {

namespace {

// A trace of a capture: the host goes through the launches of a graph and few of them happen.
bool RecordsGraph(const PathGraph& graph) {
  const TraceContext& context = *graph.context;
  const SpanTable& spans = context.trace.spans;
  bool captures = false;
  uint64_t operators = 0;
  for (const SpanRow row : context.tree.span) {
    if (spans.category[row] == Category::kOperator) ++operators;
    captures = captures || (spans.category[row] == Category::kRuntime &&
                            BeginsCapture(context.trace.NameOfSpan(row)));
  }
  return captures && graph.work.size() * 10 < operators;
}

// An event of the category `overhead` that is the recording itself, in CUPTI's words. "Lazy
// Function Loading" and "Driver Compiler" are the program's own.
bool IsProfilerOverhead(std::string_view name) {
  static constexpr std::array<std::string_view, 4> kNames = {
      "Activity Buffer Request", "Buffer Flush", "Instrumentation", "Resource"};
  return std::ranges::find(kNames, name) != kNames.end();
}

}  // namespace

Classifier::Classifier(const PathWorld& world) {
  graphs_.resize(world.graphs.size());
  if (graphs_.empty()) return;
  std::atomic<bool> records_graph = false;
  const unsigned threads = ThreadCount(world.graphs[0].context->options.threads);
  ForEachOnThreads(threads, graphs_.size(), [&](size_t g) {
    Graph& graph = graphs_[g];
    graph.graph = &world.graphs[g];
    FindNames(graph);
    const bool records = RecordsGraph(*graph.graph);
    if (records) records_graph = true;
    graph.launches = !graph.graph->work.empty() && !records;
    graph.uneven = UnevenWork(*graph.graph, !graph.launches, world.graphs.size() == 1);
    FindRanges(graph);
    if (graph.launches) {
      FindEmptyAnnotations(graph);
    } else {
      FindAnnotations(graph);
    }
    FindCollectives(graph);
    FindRecording(graph);
    FindLongCopies(graph);
    auto frames = std::make_unique<FrameOwners>(graph.graph->context->trace);
    if (!frames->empty()) graph.frames = std::move(frames);
  });
  records_graph_ = records_graph;
}

void Classifier::FindNames(Graph& graph) {
  const Trace& trace = graph.graph->context->trace;
  const SpanTable& spans = trace.spans;
  graph.names.resize(trace.strings.size());
  CancelCheck cancel;
  for (size_t row = 0; row < spans.size(); ++row) {
    cancel.Tick();
    const auto at = static_cast<size_t>(spans.name[row]);
    if (at >= graph.names.size() || graph.names[at] != 0) continue;
    const std::string_view name = trace.Text(spans.name[row]);
    uint8_t bits = kSeen;
    switch (spans.category[row]) {
      case Category::kRuntime:
        if (IsAllocationCall(name)) bits |= kAllocates;
        break;
      case Category::kMemcpy:
        if (IsHostCopy(name)) bits |= kCopiesFromHost;
        break;
      case Category::kPython:
        if (IsProfilerFrame(name)) bits |= kProfiles;
        [[fallthrough]];
      default:
        if (IsCompileRange(name)) bits |= kCompiles;
        if (IsGarbageCollection(name)) bits |= kCollectsGarbage;
    }
    graph.names[at] = bits;
  }
}

void Classifier::FindRanges(Graph& graph) {
  const HostTree& tree = graph.graph->context->tree;
  const SpanTable& spans = graph.graph->context->trace.spans;
  const auto is_range = [&](SpanRow row) {
    return graph.Is(spans.name[row], kCompiles) || graph.Is(spans.name[row], kCollectsGarbage);
  };
  if (std::none_of(tree.span.begin(), tree.span.end(), is_range)) return;
  SpanRow* const ranges = graph.range_of.extend(spans.size());
  std::fill(ranges, ranges + spans.size(), kNoRow);
  for (NodeId node = 0; node < tree.size(); ++node) {
    const NodeId parent = tree.parent[node];
    const SpanRow above = parent == kNoRow ? kNoRow : ranges[tree.span[parent]];
    if (above != kNoRow) {
      ranges[tree.span[node]] = above;
    } else if (is_range(tree.span[node])) {
      ranges[tree.span[node]] = tree.span[node];
    }
  }
}

void Classifier::FindAnnotations(Graph& graph) {
  const TraceContext& context = *graph.graph->context;
  const SpanTable& spans = context.trace.spans;
  const HostTree& tree = context.tree;
  SpanRow* const around = graph.annotation_of.extend(spans.size());
  std::fill(around, around + spans.size(), kNoRow);
  for (NodeId node = 0; node < tree.size(); ++node) {
    if (tree.parent[node] == kNoRow) continue;
    const SpanRow parent = tree.span[tree.parent[node]];
    const bool names = spans.category[parent] == Category::kAnnotation &&
                       !context.facts.Is(spans.name[parent], NameFact::kStep);
    around[tree.span[node]] = names ? parent : around[parent];
  }
}

void Classifier::FindEmptyAnnotations(Graph& graph) {
  const TraceContext& context = *graph.graph->context;
  const SpanTable& spans = context.trace.spans;
  const HostTree& tree = context.tree;
  for (NodeId node = 0; node < tree.size(); ++node) {
    const SpanRow row = tree.span[node];
    if (spans.category[row] != Category::kAnnotation || spans.duration_ns[row] <= 0) continue;
    const bool filled = node + 1 < tree.size() && tree.parent[node + 1] == node;
    if (filled || context.facts.Is(spans.name[row], NameFact::kStep) ||
        context.facts.Is(spans.name[row], NameFact::kCommunicationRange)) {
      continue;
    }
    if (graph.empty_annotation.empty()) graph.empty_annotation.resize(spans.size());
    graph.empty_annotation[row] = 1;
  }
}

// The first is the name until it ends, where several run at once.
void Classifier::MakeDisjoint(std::vector<LoaderRange>& ranges) {
  std::ranges::stable_sort(ranges, {}, &LoaderRange::start_ns);
  int64_t end_ns = INT64_MIN;
  std::erase_if(ranges, [&](LoaderRange& range) {
    range.start_ns = std::max(range.start_ns, end_ns);
    end_ns = std::max(end_ns, range.end_ns);
    return range.start_ns >= range.end_ns;
  });
}

void Classifier::FindRecording(Graph& graph) {
  const Trace& trace = graph.graph->context->trace;
  const SpanTable& spans = trace.spans;
  const int64_t offset = graph.graph->offset_ns;
  CancelCheck cancel;
  for (size_t i = 0; i < spans.size(); ++i) {
    cancel.Tick();
    if (spans.category[i] != Category::kOverhead) continue;
    const auto row = static_cast<SpanRow>(i);
    if (!IsProfilerOverhead(trace.NameOfSpan(row))) continue;
    graph.recording.push_back({spans.start_ns[row] + offset, spans.end_ns(row) + offset, row});
  }
  MakeDisjoint(graph.recording);
}

void Classifier::FindLongCopies(Graph& graph) {
  const PathGraph& path = *graph.graph;
  const SpanTable& spans = path.context->trace.spans;
  for (const PathWork& work : path.work) {
    if (work.cause != PathCause::kMemcpy || work.launch == kNoRow) continue;
    const SpanRow call = path.points[work.launch].call;
    if (call == kNoRow || spans.duration_ns[call] <= kShortNs) continue;
    if (graph.Is(graph.NameOf(work.span), kCopiesFromHost)) {
      graph.long_copies.push_back({call, work.span});
    }
  }
  std::ranges::stable_sort(graph.long_copies, {}, &LongCopy::call);
}

void Classifier::FindCollectives(Graph& graph) {
  const TraceContext& context = *graph.graph->context;
  const SpanTable& spans = context.trace.spans;
  const int64_t offset = graph.graph->offset_ns;
  for (const SpanRow row : context.tree.span) {
    if (!context.facts.Is(spans.name[row], NameFact::kCommunicationRange)) continue;
    graph.collectives.push_back({spans.start_ns[row] + offset, spans.end_ns(row) + offset, row});
  }
  MakeDisjoint(graph.collectives);
}

CausePiece Classifier::WaitOf(const PathEdge& edge) const {
  CausePiece wait;
  if (edge.kind != EdgeKind::kWork || edge.call == kNoRow) return wait;
  const Graph& graph = graphs_[edge.graph];
  const PathWork& work = graph.graph->work[edge.work];
  wait.span = edge.call;
  wait.name = graph.NameOf(edge.call);
  if (work.launch != kNoRow && graph.graph->points[work.launch].call == edge.call &&
      graph.Is(graph.NameOf(work.span), kCopiesFromHost)) {
    wait.kind = CauseKind::kCopy;
    wait.span = work.span;
    wait.name = graph.NameOf(work.span);
  } else {
    wait.kind =
        graph.Is(wait.name, kAllocates) ? CauseKind::kAllocation : CauseKind::kSynchronization;
  }
  return wait;
}

}  // namespace telltale
