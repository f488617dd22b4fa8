// SPDX-License-Identifier: Apache-2.0
#include "analysis/modules/spans.h"

#include <algorithm>
#include <span>

#include "analysis/core/nesting.h"
#include "base/cancel.h"

namespace telltale {

namespace {

constexpr std::string_view kFramePrefix = "nn.Module: ";
constexpr std::string_view kLightningPrefix = "[pl][module]";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "Linear_3" -> "Linear"; a name that does not end in _ and digits is the class itself.
std::string_view ClassOfLabel(std::string_view label) {
  size_t end = label.size();
  while (end > 0 && IsDigit(label[end - 1])) --end;
  const bool numbered = end < label.size() && end > 1 && label[end - 1] == '_';
  return numbered ? label.substr(0, end - 1) : label;
}

std::optional<ModuleName> ParseFrame(std::string_view name) {
  if (!name.starts_with(kFramePrefix)) return std::nullopt;
  const std::string_view label = name.substr(kFramePrefix.size());
  return ModuleName{label, ClassOfLabel(label), {}};
}

std::optional<ModuleName> ParseLightning(std::string_view name) {
  if (!name.starts_with(kLightningPrefix)) return std::nullopt;
  name.remove_prefix(kLightningPrefix.size());
  const size_t colon = name.find(": ");
  std::string_view type = name.substr(0, colon);
  if (const size_t dot = type.rfind('.'); dot != std::string_view::npos) {
    type.remove_prefix(dot + 1);
  }
  const std::string_view path =
      colon == std::string_view::npos ? std::string_view() : name.substr(colon + 2);
  return ModuleName{type, type, path};
}

// Whether an annotation only names the frame of the call around it, from inside: the same class,
// and the frame has no name yet.
bool NamesFrame(const Trace& trace, SpanRow annotation, const ModuleSpans& modules,
                ModuleCall around) {
  const SpanRow frame = modules.span[around];
  if (trace.spans.category[frame] != Category::kPython) return false;
  if (modules.path_span[around] != kNoRow) return false;
  const auto inner = ParseLightning(trace.NameOfSpan(annotation));
  const auto outer = ParseFrame(trace.NameOfSpan(frame));
  return inner && outer && inner->class_name == outer->class_name;
}

// By StringId: 1 for the names of frames, 2 for those of annotations that are modules.
Column<uint8_t> ModuleNames(const Trace& trace) {
  Column<uint8_t> names(trace.strings.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view text = trace.Text(StringId{static_cast<uint32_t>(i)});
    names[i] = text.starts_with(kFramePrefix) ? 1 : text.starts_with(kLightningPrefix) ? 2 : 0;
  }
  return names;
}

}  // namespace

std::optional<ModuleName> ParseModuleName(Category category, std::string_view name) {
  if (category == Category::kPython) return ParseFrame(name);
  if (category == Category::kAnnotation) return ParseLightning(name);
  return std::nullopt;
}

const HostThread* ModuleSpans::ThreadOf(TrackId track) const {
  const auto at =
      std::lower_bound(threads.begin(), threads.end(), track,
                       [](const HostThread& thread, TrackId t) { return thread.track < t; });
  return at != threads.end() && at->track == track ? &*at : nullptr;
}

ModuleSpans FindModuleSpans(const Trace& trace) {
  ModuleSpans modules;
  const Column<uint8_t> names = ModuleNames(trace);
  if (std::all_of(names.begin(), names.end(), [](uint8_t kind) { return kind == 0; })) {
    return modules;
  }
  Column<SpanRow> candidates;
  const std::vector<HostThread> threads = GatherByTrack(trace, candidates, [&](size_t row) {
    const Category category = trace.spans.category[row];
    if (category != Category::kPython && category != Category::kAnnotation) return false;
    const uint8_t kind = names[static_cast<uint32_t>(trace.spans.name[row])];
    return kind == (category == Category::kPython ? 1 : 2);
  });

  // Nested with all candidates first; annotations that only name their frame then leave.
  Column<ModuleCall> call_of;
  OpenIntervals open;
  for (const HostThread& thread : threads) {
    SortForNesting(trace, std::span(candidates.data() + thread.first, thread.last - thread.first));
    open.Clear();
    const auto first = static_cast<ModuleCall>(modules.size());
    for (uint32_t i = thread.first; i < thread.last; ++i) {
      const SpanRow row = candidates[i];
      const uint32_t parent =
          open.Add(i, trace.spans.start_ns[row], trace.spans.end_ns(row)).parent;
      const bool lightning = trace.spans.category[row] == Category::kAnnotation;
      const ModuleCall around = parent == OpenIntervals::kNone ? kNoRow : call_of[parent];
      if (lightning && around != kNoRow && NamesFrame(trace, row, modules, around)) {
        modules.path_span[around] = row;
        call_of.push_back(around);
        continue;
      }
      call_of.push_back(static_cast<ModuleCall>(modules.size()));
      modules.span.push_back(row);
      modules.parent.push_back(around);
      modules.path_span.push_back(lightning ? row : kNoRow);
    }
    modules.threads.push_back({thread.track, first, static_cast<uint32_t>(modules.size())});
  }
  return modules;
}

ModuleCall ModuleCursor::Before(int64_t start_ns, int64_t duration_ns) {
  const SpanTable& spans = trace_.spans;
  while (next_ < last_) {
    const SpanRow row = modules_.span[next_];
    if (spans.start_ns[row] > start_ns) break;
    if (spans.start_ns[row] == start_ns && spans.duration_ns[row] < duration_ns) break;
    open_ = next_++;
  }
  while (open_ != kNoRow && spans.end_ns(modules_.span[open_]) <= start_ns) {
    open_ = modules_.parent[open_];
  }
  return open_;
}

Column<ModuleCall> InnermostModules(const Trace& trace, const HostTree& tree,
                                    const ModuleSpans& modules) {
  Column<ModuleCall> innermost;
  ModuleCall* const out = innermost.extend(tree.size());
  std::fill_n(out, tree.size(), kNoRow);
  for (const HostThread& thread : tree.threads) {
    const HostThread* const calls = modules.ThreadOf(thread.track);
    if (calls == nullptr) continue;
    ModuleCursor cursor(trace, modules, calls);
    ModuleCall own = calls->first;  // annotations come in the same order here and there
    CancelCheck cancel;
    for (NodeId node = thread.first; node < thread.last; ++node) {
      cancel.Tick();
      const SpanRow row = tree.span[node];
      out[node] = cursor.Before(trace.spans.start_ns[row], trace.spans.duration_ns[row]);
      while (own < calls->last &&
             trace.spans.category[modules.span[own]] != Category::kAnnotation) {
        ++own;
      }
      if (own < calls->last && modules.span[own] == row) out[node] = own++;
    }
  }
  return innermost;
}

}  // namespace telltale
