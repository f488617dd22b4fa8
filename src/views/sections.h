// SPDX-License-Identifier: Apache-2.0
// The functions that describe the views: DevicesSection() and so on, for each line of sections.inc.
#pragma once

#include "views/section.h"

namespace telltale {

#define SECTION(name) [[nodiscard]] SectionSpec name##Section();
#include "views/sections.inc"
#undef SECTION

}  // namespace telltale
