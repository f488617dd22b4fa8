// SPDX-License-Identifier: Apache-2.0
// The list of sections, in the order of the JSON document and of the help text.
#include "views/sections.h"

namespace telltale {

std::span<const SectionSpec> Sections() {
  // clang-format off: one line each
  static const std::vector<SectionSpec> sections = {
      DevicesSection(),
      StepsSection(),
      OperatorsSection(),
      KernelsSection(),
      CopiesSection(),
      RecommendationsSection(),
      AnnotationsSection(),
      MemorySection(),
      ModulesSection(),
      FunctionsSection(),
      DistributedSection(),
      IdleSection(),
      LaunchesSection(),
      CriticalPathSection(),
      RooflineSection(),
      DiagnosticsSection(),
      EventsSection(),
  };
  // clang-format on
  return sections;
}

const SectionSpec* SectionNamed(std::string_view name) {
  for (const SectionSpec& section : Sections()) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

}  // namespace telltale
