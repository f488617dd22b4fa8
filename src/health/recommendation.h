// SPDX-License-Identifier: Apache-2.0
// What a rule found: advice with its numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace telltale {

enum class AdviceSeverity : uint8_t { kHigh, kMedium, kLow };
[[nodiscard]] std::string_view NameOf(AdviceSeverity severity);

// A std::string of its own type: libstdc++ 12 takes a variant with a plain one for one that always
// holds a value, also when memory runs out while it is copied, and then destroys what is not there.
class EvidenceText : public std::string {
 public:
  using std::string::string;
  EvidenceText(std::string text) : std::string(std::move(text)) {}  // NOLINT(*-explicit-*)
};
using EvidenceValue = std::variant<int64_t, double, EvidenceText>;

struct Recommendation {
  std::string rule;   // dataloader_wait …
  std::string title;  // the same in words: "DataLoader wait"
  AdviceSeverity severity = AdviceSeverity::kMedium;
  std::string what;                  // the concrete thing: a call, an operator, a function, a rank
  std::optional<int64_t> saving_ns;  // of an average step; none: a hint
  std::string text;       // what is wrong, with the numbers, and what to do, in plain words
  std::string remedy;     // the "what to do" alone
  std::string threshold;  // when the rule speaks: "dataloader > 5 % of the step"
  std::vector<std::string_view> views;  // those that show it
  std::vector<std::pair<std::string, EvidenceValue>> evidence;
  // The event that the evidence has as an example: its row, and its file where several are joined.
  std::optional<uint32_t> example_row;
  uint32_t example_file = 0;
};

}  // namespace telltale
