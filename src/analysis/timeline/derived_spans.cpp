// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/derived_spans.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "analysis/critical_path/critical_path.h"
#include "analysis/timeline/free_rows.h"

namespace telltale {

namespace {

class Builder {
 public:
  void Add(int64_t start_ns, int64_t duration_ns, SpanRow event, std::string name,
           TimelineCategory category) {
    const auto [at, added] =
        numbers_.try_emplace(std::move(name), static_cast<uint32_t>(spans_.names.size()));
    if (added) spans_.names.push_back(at->first);
    spans_.start_ns.push_back(start_ns);
    spans_.duration_ns.push_back(duration_ns);
    spans_.event.push_back(event);
    spans_.name.push_back(at->second);
    spans_.category.push_back(category);
  }

  // By start, stacked where they overlap.
  DerivedSpans Take() {
    std::vector<uint32_t> order(spans_.size());
    for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return spans_.start_ns[a] < spans_.start_ns[b];
    });
    BoxRows& boxes = spans_.boxes;
    FreeRows free;
    std::vector<std::vector<uint32_t>> rows;
    for (const uint32_t item : order) {
      const int64_t start = spans_.start_ns[item];
      const uint32_t row = free.Place(0, start, start + spans_.duration_ns[item]);
      if (row >= rows.size()) rows.resize(row + 1);
      rows[row].push_back(item);
    }
    uint32_t nodes = 0;
    for (const std::vector<uint32_t>& items : rows) {
      boxes.rows.push_back({static_cast<uint32_t>(boxes.items.size()),
                            static_cast<uint32_t>(items.size()), nodes,
                            boxes.rows.size() == kMostRows - 1});
      boxes.items.append(items.data(), items.size());
      nodes += BoxRows::NodesFor(static_cast<uint32_t>(items.size()));
    }
    boxes.AllocateNodes(nodes);
    for (const BoxRow& row : boxes.rows) boxes.BuildNodes(row, spans_.times());
    return std::move(spans_);
  }

 private:
  DerivedSpans spans_;
  std::map<std::string, uint32_t> numbers_;
};

std::string NameOfPiece(const Trace& trace, const PathPiece& piece) {
  const std::string_view event =
      piece.span == kNoRow ? std::string_view() : trace.NameOfSpan(piece.span);
  switch (piece.cause) {
    case PathCause::kLaunchDelay:
    case PathCause::kKernelGap:
    case PathCause::kSynchronization:
    case PathCause::kHostOther:
    case PathCause::kIdle: {
      std::string name(NameOf(piece.cause));
      std::replace(name.begin(), name.end(), '_', ' ');
      if (!event.empty()) name.append(": ").append(event);
      return name;
    }
    default:
      return std::string(event.empty() ? NameOf(piece.cause) : event);
  }
}

}  // namespace

size_t DerivedSpans::memory_bytes() const {
  size_t bytes = start_ns.memory_bytes() + duration_ns.memory_bytes() + event.memory_bytes() +
                 name.memory_bytes() + category.memory_bytes() + boxes.memory_bytes();
  for (const std::string& text : names) bytes += sizeof(std::string) + text.capacity();
  return bytes;
}

DerivedSpans StepSpans(const TraceContext& context) {
  Builder builder;
  if (context.steps.source != StepSource::kWholeTrace) {
    const bool numbered = context.steps.source == StepSource::kProfilerStep;
    for (const Step& step : context.steps.rows) {
      const std::string name = StepName(context.trace, context.steps, step);
      builder.Add(step.bounds.start_ns,
                  std::max<int64_t>(0, step.bounds.end_ns - step.bounds.start_ns), step.span,
                  numbered ? "Step " + name : name, TimelineCategory::kStep);
    }
  }
  return builder.Take();
}

std::vector<DerivedSpans> CriticalPathSpans(std::span<const TraceContext> contexts,
                                            const Alignment& alignment) {
  CriticalPathOptions options;
  options.pieces = true;
  const CriticalPathReport report = DescribeCriticalPath(contexts, options);
  std::vector<Builder> builders(contexts.size());
  for (const PathPiece& piece : report.pieces) {
    const Trace& trace = contexts[piece.file].trace;
    // Joined ranks' pieces are on the common clock, a single file's on its own, made absolute.
    uint64_t shift = static_cast<uint64_t>(trace.base_time_ns);
    if (report.joined) shift += static_cast<uint64_t>(alignment.files[piece.file].offset_ns);
    builders[piece.file].Add(static_cast<int64_t>(static_cast<uint64_t>(piece.start_ns) - shift),
                             piece.duration_ns, piece.span, NameOfPiece(trace, piece),
                             TimelineCategoryOf(piece.cause));
  }
  std::vector<DerivedSpans> spans;
  for (Builder& builder : builders) spans.push_back(builder.Take());
  return spans;
}

}  // namespace telltale
