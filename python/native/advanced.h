// SPDX-License-Identifier: Apache-2.0
// What the recorder's spans are to `--profile advanced`: actions, in whose name calls are made.
#pragma once

#include <cstdint>

#include "python_api.h"

namespace telltale::python {

// Whether calls are recorded. Changes under Python's lock alone.
extern bool advanced_is_on;

// A span of this thread begins, or its innermost one ends. `name` is the recorder's number of it.
void BeginAction(uint32_t name);
void EndAction();

}  // namespace telltale::python
