// SPDX-License-Identifier: Apache-2.0
// How a cause is called: in a field, in a sentence, and with what is known of it. The one place.
// `labels`: of the traces, "rank 1".
#pragma once

#include <span>
#include <string>

#include "analysis/causes/causes.h"

namespace telltale::health {

// "hipFree", "artificial_delay on rank 1", "launch overhead": one concrete thing.
[[nodiscard]] std::string WhatOf(const Cause& cause, std::span<const std::string> labels);

// As the object of "without": "hipFree", "waiting for the DataLoader", "save (train.py:81)".
[[nodiscard]] std::string PhraseOf(const Cause& cause, std::span<const std::string> labels);

// "1,360 calls, in empty_cache, from save (train.py:81)": how often a step and where; may be empty.
[[nodiscard]] std::string DetailOf(const Cause& cause, const CausesReport& report);

}  // namespace telltale::health
