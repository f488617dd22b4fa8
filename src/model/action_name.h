// SPDX-License-Identifier: Apache-2.0
// What a range is called where actions of a training are summed up: torch names its own ranges for
// its profiler, people read them as what they are. Other names are their own.
#pragma once

#include <string>
#include <string_view>

namespace telltale {

[[nodiscard]] inline std::string ActionOf(std::string_view range) {
  constexpr std::string_view kData = "enumerate(DataLoader)#";
  constexpr std::string_view kStep = "Optimizer.step#";
  constexpr std::string_view kZero = "Optimizer.zero_grad#";
  if (range.starts_with(kData)) return "wait for data";
  const auto of_optimizer = [&](std::string_view prefix, std::string_view words) {
    std::string_view name = range.substr(prefix.size());
    name = name.substr(0, name.rfind('.'));
    return std::string(words) + ' ' + std::string(name);
  };
  if (range.starts_with(kStep)) return of_optimizer(kStep, "optimizer step");
  if (range.starts_with(kZero)) return of_optimizer(kZero, "zero_grad");
  return std::string(range);
}

}  // namespace telltale
