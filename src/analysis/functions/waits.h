// SPDX-License-Identifier: Apache-2.0
// Functions that do nothing but wait for another thread or process, as CPython's own are called: a
// monitor thread that sleeps all the time says nothing about the program.
#pragma once

#include <string_view>

namespace telltale {

[[nodiscard]] bool IsWait(std::string_view file, std::string_view name);

}  // namespace telltale
