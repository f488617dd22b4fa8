// SPDX-License-Identifier: Apache-2.0
// What every analysis of a trace starts from, found once: the nesting of host events, what the
// names mean, which call launched which device event, and the steps. An analysis is a pure function
// of this.
#pragma once

#include "analysis/core/device_links.h"
#include "analysis/core/host_tree.h"
#include "analysis/core/name_facts.h"
#include "analysis/core/options.h"
#include "analysis/core/steps.h"
#include "base/diagnostics.h"
#include "model/trace.h"

namespace telltale {

struct TraceContext {
  const Trace& trace;  // outlives the context
  AnalysisOptions options;
  Diagnostics diagnostics;  // found here, beyond the reader's
  HostTree tree;
  NameFacts facts;
  DeviceLinks links;
  Steps steps;
  Selection selection;

  // Of what grows with the trace.
  [[nodiscard]] size_t memory_bytes() const {
    return tree.memory_bytes() + facts.bits.memory_bytes() + links.memory_bytes();
  }
};

[[nodiscard]] TraceContext PrepareTrace(const Trace& trace, const AnalysisOptions& options);

}  // namespace telltale
