// SPDX-License-Identifier: Apache-2.0
// Every section there is, one line each: the files in sections/ define them.
#pragma once

#include "views/section.h"

namespace telltale {

[[nodiscard]] SectionSpec DevicesSection();
[[nodiscard]] SectionSpec StepsSection();
[[nodiscard]] SectionSpec OperatorsSection();
[[nodiscard]] SectionSpec KernelsSection();
[[nodiscard]] SectionSpec CopiesSection();
[[nodiscard]] SectionSpec RecommendationsSection();
[[nodiscard]] SectionSpec AnnotationsSection();
[[nodiscard]] SectionSpec MemorySection();
[[nodiscard]] SectionSpec ModulesSection();
[[nodiscard]] SectionSpec FunctionsSection();
[[nodiscard]] SectionSpec DistributedSection();
[[nodiscard]] SectionSpec IdleSection();
[[nodiscard]] SectionSpec LaunchesSection();
[[nodiscard]] SectionSpec CriticalPathSection();
[[nodiscard]] SectionSpec RooflineSection();
[[nodiscard]] SectionSpec DiagnosticsSection();
[[nodiscard]] SectionSpec EventsSection();

}  // namespace telltale
