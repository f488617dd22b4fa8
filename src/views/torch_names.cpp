// SPDX-License-Identifier: Apache-2.0
#include "views/torch_names.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "views/render/display.h"
#include "views/suggest.h"

namespace telltale {

namespace {

// Torch's rule: cuda, xpu and privateuse1 in a name mean the device.
std::string TorchName(std::string name) {
  for (const std::string_view vendor : {"cuda", "xpu", "privateuse1", "hpu", "mtia"}) {
    const size_t at = name.find(vendor);
    if (at != std::string::npos) name.replace(at, vendor.size(), "device");
  }
  return name;
}

}  // namespace

Result<std::string> SortFieldOf(std::string_view view, std::span<const std::string_view> fields,
                                std::span<const SortAlias> aliases, std::string_view text) {
  if (fields.empty()) return Fail(ErrorCode::kUsage, fmt::format("does not apply to {}", view));
  std::string name(text);
  std::replace(name.begin(), name.end(), '-', '_');
  if (std::find(fields.begin(), fields.end(), name) != fields.end()) return name;
  const std::string torch_name = TorchName(name);
  for (const SortAlias& alias : aliases) {
    if (alias.name == torch_name) return std::string(alias.field);
  }
  std::vector<std::string_view> known(fields.begin(), fields.end());
  for (const SortAlias& alias : aliases) known.push_back(alias.name);
  return Fail(
      ErrorCode::kUsage,
      fmt::format("'{}' is no field of {}{}\nvalid: {}{}", Printable(text, true), view,
                  DidYouMean(aliases.empty() ? name : torch_name, known), fmt::join(fields, ", "),
                  aliases.empty() ? "" : ", and torch's names such as self_cpu_time_total"));
}

}  // namespace telltale
