// SPDX-License-Identifier: Apache-2.0
#include "query/plan.h"

#include <charconv>

namespace telltale {

// "12=4>|3+5-": conditions, then the order.
std::string Encode(const Plan& plan) {
  std::string out;
  for (const Condition& condition : plan.conditions) {
    out += std::to_string(condition.column);
    out += static_cast<char>(condition.comparison);
  }
  out += '|';
  for (const OrderTerm& term : plan.order) {
    out += std::to_string(term.column);
    out += term.descending ? '-' : '+';
  }
  return out;
}

Plan DecodePlan(std::string_view text) {
  Plan plan;
  bool in_order = false;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    if (*at == '|') {
      in_order = true;
      ++at;
      continue;
    }
    int column = 0;
    at = std::from_chars(at, end, column).ptr;
    if (at == end) break;
    if (in_order) {
      plan.order.push_back({column, *at == '-'});
    } else {
      plan.conditions.push_back({column, Comparison{*at}});
    }
    ++at;
  }
  return plan;
}

}  // namespace telltale
