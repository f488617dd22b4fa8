// SPDX-License-Identifier: Apache-2.0
#include "health/recommendation.h"

namespace telltale {

std::string_view NameOf(AdviceSeverity severity) {
  switch (severity) {
    case AdviceSeverity::kHigh:
      return "high";
    case AdviceSeverity::kMedium:
      return "medium";
    case AdviceSeverity::kLow:
      return "low";
  }
  return "low";
}

}  // namespace telltale
