// SPDX-License-Identifier: Apache-2.0
// Puts the fragments of a file's blocks behind each other.
#pragma once

#include "formats/tfevents/event_parser.h"

namespace telltale::tfevents {

// `fragment` comes behind all that `series` has.
void Join(Fragment fragment, SeriesSet& series);

}  // namespace telltale::tfevents
