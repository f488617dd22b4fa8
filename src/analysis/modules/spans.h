// SPDX-License-Identifier: Apache-2.0
// Which spans are calls of modules, how those calls nest, and which one is open when something else
// happens. A call is a Python frame `nn.Module: Class_n` (with_stack=True) or an annotation
// `[pl][module]package.Class: dotted.name` (Lightning's record_module_names); where both tell of
// the same call, it is the frame, and the annotation only gives it its dotted name. Not for times:
// see modules.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/core/host_tree.h"
#include "analysis/core/thread_rows.h"
#include "base/column.h"
#include "model/trace.h"

namespace telltale {

using ModuleCall = uint32_t;  // position in ModuleSpans; kNoRow: none

// What the name of a module's span says. Views into the name.
struct ModuleName {
  std::string_view label;       // "Linear_3", or "Linear" where no number follows
  std::string_view class_name;  // "Linear"
  std::string_view path;        // Lightning's dotted name, "net.1"; else empty
};

// nullopt: not the name of a module's span. `category` tells a frame from an annotation.
[[nodiscard]] std::optional<ModuleName> ParseModuleName(Category category, std::string_view name);

struct ModuleSpans {
  // Ordered by track, then start, then longer first, then file order.
  Column<SpanRow> span;
  Column<ModuleCall> parent;        // the innermost call on the thread that contains this one whole
  Column<SpanRow> path_span;        // the span with the dotted name: span itself, or the annotation
                                    // inside the frame; kNoRow: no dotted name
  std::vector<HostThread> threads;  // by track

  [[nodiscard]] size_t size() const { return span.size(); }
  // nullptr: no module is called on that thread.
  [[nodiscard]] const HostThread* ThreadOf(TrackId track) const;
};

[[nodiscard]] ModuleSpans FindModuleSpans(const Trace& trace);

// The innermost call that is open at a time: the last one that has started, or the nearest call
// around it that has not ended. Ask for one thread, in order of time.
class ModuleCursor {
 public:
  // `thread` may be nullptr: then nothing is ever open.
  ModuleCursor(const Trace& trace, const ModuleSpans& modules, const HostThread* thread)
      : trace_(trace),
        modules_(modules),
        next_(thread == nullptr ? 0 : thread->first),
        last_(thread == nullptr ? 0 : thread->last) {}

  [[nodiscard]] ModuleCall At(int64_t time_ns) { return Before(time_ns, -1); }
  // The same for an event with this start and duration: a call that starts with it but is shorter
  // lies inside the event, not around it. duration_ns < 0: any call that has started counts.
  [[nodiscard]] ModuleCall Before(int64_t start_ns, int64_t duration_ns);

 private:
  const Trace& trace_;
  const ModuleSpans& modules_;
  ModuleCall next_;
  ModuleCall last_;
  ModuleCall open_ = kNoRow;
};

// For each node of the tree the innermost call around its start, kNoRow if there is none. A node
// that is a call itself (Lightning's annotations) has that one.
[[nodiscard]] Column<ModuleCall> InnermostModules(const Trace& trace, const HostTree& tree,
                                                  const ModuleSpans& modules);

}  // namespace telltale
