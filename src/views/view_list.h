// SPDX-License-Identifier: Apache-2.0
// The functions that describe the views: DescribeDevices() and so on, for each line of
// view_list.inc.
#pragma once

#include "views/view.h"

namespace telltale {

#define VIEW(name) [[nodiscard]] ViewSpec Describe##name();
#include "views/view_list.inc"
#undef VIEW

}  // namespace telltale
