// SPDX-License-Identifier: Apache-2.0
#include "views/sections.h"

namespace telltale {

std::span<const SectionSpec> Sections() {
  static const std::vector<SectionSpec> sections = {
#define SECTION(name) name##Section(),
#include "views/sections.inc"
#undef SECTION
  };
  return sections;
}

const SectionSpec* SectionNamed(std::string_view name) {
  for (const SectionSpec& section : Sections()) {
    if (section.name == name) return &section;
  }
  return nullptr;
}

}  // namespace telltale
