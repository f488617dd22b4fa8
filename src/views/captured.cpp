// SPDX-License-Identifier: Apache-2.0
#include "views/captured.h"

#include <algorithm>
#include <array>

#include "analysis/functions/trace_functions.h"
#include "analysis/modules/spans.h"

namespace telltale {

namespace {

enum Part : size_t {
  kOperators,
  kDeviceEvents,
  kSteps,
  kShapes,
  kStacks,
  kPython,
  kModules,
  kMemory,
  kCommunication,
  kAnnotations,
  kPartCount,
};
constexpr std::array<std::string_view, kPartCount> kNames = {
    "operators", "device_events", "steps",  "shapes",        "stacks",
    "python",    "modules",       "memory", "communication", "annotations"};
using Parts = std::array<bool, kPartCount>;

void LookAt(const TraceContext& context, Parts& parts) {
  const Trace& trace = context.trace;
  const NameFacts& facts = context.facts;
  const SpanTable& spans = trace.spans;
  std::vector<bool> looked(trace.strings.size());  // whether a name is a module's
  for (size_t row = 0; row < spans.size(); ++row) {
    const Category category = spans.category[row];
    const StringId name = spans.name[row];
    const bool annotation = category == Category::kAnnotation;
    parts[kOperators] |= category == Category::kOperator;
    parts[kDeviceEvents] |= IsDevice(category);
    parts[kPython] |= category == Category::kPython;
    parts[kAnnotations] |= annotation && !facts.Is(name, NameFact::kStep);
    parts[kCommunication] |=
        (IsHost(category) && facts.Is(name, NameFact::kCommunicationRange)) ||
        (category == Category::kKernel && IsCommunication(trace, facts, static_cast<SpanRow>(row)));
    if ((annotation || category == Category::kPython) && !parts[kModules] &&
        !looked[static_cast<size_t>(name)]) {
      looked[static_cast<size_t>(name)] = true;
      parts[kModules] = ParseModuleName(category, trace.Text(name)).has_value();
    }
  }
  for (const OperatorDetail& detail : trace.operator_details) {
    parts[kShapes] |= detail.input_dims != kNoString;
    parts[kStacks] |= detail.call_stack != kNoString;
  }
  parts[kMemory] |= trace.memory.size() > 0;
  parts[kSteps] |= context.steps.source != StepSource::kWholeTrace;
}

}  // namespace

std::vector<std::string_view> CapturedIn(std::span<const TraceContext> traces) {
  Parts parts = {};
  for (const TraceContext& context : traces) LookAt(context, parts);
  std::vector<std::string_view> names;
  for (size_t part = 0; part < kPartCount; ++part) {
    if (parts[part]) names.push_back(kNames[part]);
  }
  return names;
}

bool AreOfFunctions(const Subject& subject) {
  return subject.Has<Trace>() && std::ranges::all_of(subject.Each<Trace>(), [](const Trace* trace) {
           return IsTraceOfFunctions(*trace);
         });
}

}  // namespace telltale
