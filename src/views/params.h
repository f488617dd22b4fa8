// SPDX-License-Identifier: Apache-2.0
// Parameters: what can be asked of a view, or of a route. Each is declared once, and one function
// checks the texts that are given for them, whoever gives them: a command line (cli/options.h) or a
// request (server/parameters.h). A parameter is never a file: its text is its value.
//
// Dashes and underscores in names are the same. Of a parameter given twice the last one counts,
// unless it repeats.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace telltale {

enum class ParamType : uint8_t { kFlag, kText, kInteger, kChoice };

struct ParamSpec {
  std::string_view name;
  ParamType type = ParamType::kFlag;
  std::string_view value =
      {};  // how help calls the value: N, REGEX; choices are listed by themselves
  std::string_view help = {};          // one sentence, no full stop
  std::string_view default_text = {};  // as help shows it; empty: nothing to show
  std::vector<std::string_view> choices = {};
  bool list_choices = true;   // in help; false where the sentence names them already
  int64_t least = INT64_MIN;  // integers: smallest valid value
  int64_t most = INT64_MAX;   // and the largest
  bool clamps = false;        // integers: a larger one counts as the largest
  bool rounds = false;        // integers: one with a fraction is rounded down
  std::vector<std::string_view> aliases = {};  // further names, not shown
  bool repeats = false;                        // may be given several times, see ParamValues::All
  bool value_optional = false;                 // the name alone says something
  // Over HTTP; a command has positionals for the one, and says itself what it does without.
  bool required = false;
  std::string_view usual = {};  // stands for it where none is given
};

// How messages name a parameter: --sort on a command line, sort over HTTP.
enum class Spelling : uint8_t { kOption, kParameter };

// What was given, checked.
class ParamValues {
 public:
  explicit ParamValues(Spelling spelling = Spelling::kOption) : spelling_(spelling) {}

  // Checks a text as the value of a parameter, and takes it. Errors are kUsage.
  [[nodiscard]] Result<void> Add(const ParamSpec& spec, std::string_view text);

  [[nodiscard]] bool Has(std::string_view name) const { return values_.contains(name); }
  // Empty where it was not given.
  [[nodiscard]] std::string_view Text(std::string_view name) const;
  [[nodiscard]] std::optional<int64_t> Integer(std::string_view name) const;
  // Of one that is required, or has a usual value.
  [[nodiscard]] int64_t Number(std::string_view name) const { return Integer(name).value_or(0); }
  // Every value of a parameter that repeats, in the order given.
  [[nodiscard]] std::span<const std::string> All(std::string_view name) const;

  // "--view" or "view"; with a value "--view steps" or "view=steps".
  [[nodiscard]] std::string Spelled(std::string_view name) const;
  [[nodiscard]] std::string Spelled(std::string_view name, std::string_view value) const;
  // "--steps takes …": what is wrong with a value, behind the name.
  [[nodiscard]] tl::unexpected<Error> Wrong(std::string_view name, std::string_view why) const;
  [[nodiscard]] Spelling spelling() const { return spelling_; }

  // The same text for the same values, whatever their order and spelling were.
  [[nodiscard]] std::string Key() const;

 private:
  Spelling spelling_;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// nullptr if there is none of that name.
[[nodiscard]] const ParamSpec* FindParam(std::span<const ParamSpec> specs, std::string_view name);

// A whole number, all of the text; nothing else.
[[nodiscard]] std::optional<int64_t> ParseInteger(std::string_view text);

// The user's word as a message shows it: in quotes, safe to print and short.
[[nodiscard]] std::string QuotedWord(std::string_view word);

}  // namespace telltale
