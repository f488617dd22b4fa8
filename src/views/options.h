// SPDX-License-Identifier: Apache-2.0
// Command lines: a table of options per command drives parsing, checks of the values, the help text
// and "did you mean". Our own rather than CLI11 because that costs 9 s of compile time in the file
// that uses it, cannot suggest the nearest name, and cannot begin a help text with an example.
//
// Spelling: --name value and --name=value are the same, so are dashes and underscores in names; a
// lone -- ends the options; a lone - is a path (standard input). Of an option given twice the last
// one counts, unless it repeats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace telltale {

enum class OptionType : uint8_t { kFlag, kText, kInteger, kChoice };

struct OptionSpec {
  std::string_view name;  // without the leading dashes
  OptionType type = OptionType::kFlag;
  std::string_view value =
      {};  // how help calls the value: N, REGEX; choices are listed by themselves
  std::string_view help = {};          // one sentence, no full stop
  std::string_view default_text = {};  // as help shows it; empty: nothing to show
  std::vector<std::string_view> choices = {};
  bool list_choices = true;   // in help; false where the sentence names them already
  int64_t least = INT64_MIN;  // integers: smallest valid value
  char letter = '\0';         // -q
  std::vector<std::string_view> aliases = {};  // further spellings, not shown
  bool repeats = false;                        // may be given several times, see Arguments::All
  bool value_optional = false;  // --name alone is valid; a value only as --name=VALUE
  bool or_file = false;  // on a command line, a value without '=' is a file that holds the value
};

struct HelpSection {
  std::string_view title;
  // A term and what it means; a row with an empty term is a paragraph.
  std::vector<std::pair<std::string_view, std::string_view>> rows;
};

struct CommandSpec {
  std::string_view name;
  std::string_view summary;  // for the list of commands
  // A command line and what it does; the first one opens the help text.
  std::vector<std::pair<std::string_view, std::string_view>> examples;
  std::string_view positionals;  // "PATH..."; empty: the command takes none
  bool needs_positional = true;
  std::vector<OptionSpec> options;
  std::vector<HelpSection> sections;
};

class Arguments {
 public:
  [[nodiscard]] bool Has(std::string_view option) const { return values_.contains(option); }
  // Empty where the option was not given.
  [[nodiscard]] std::string_view Text(std::string_view option) const;
  [[nodiscard]] std::optional<int64_t> Integer(std::string_view option) const;
  // Every value of an option that repeats, in the order given.
  [[nodiscard]] std::span<const std::string> All(std::string_view option) const;
  [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }
  // Puts another value in the place of one that was given.
  void Replace(std::string_view option, std::string value);

 private:
  friend Result<Arguments> ParseArguments(const CommandSpec& command,
                                          std::span<const std::string> words);
  std::map<std::string, std::string, std::less<>> values_;
  std::map<std::string, std::vector<std::string>, std::less<>> repeated_;
  std::vector<std::string> positionals_;
};

// `words` follow the command's name. Every command also takes --help, which makes all else
// optional. Errors are kUsage.
[[nodiscard]] Result<Arguments> ParseArguments(const CommandSpec& command,
                                               std::span<const std::string> words);

// A whole number, all of the text; nothing else.
[[nodiscard]] std::optional<int64_t> ParseInteger(std::string_view text);

// Example first, then usage, options with their defaults, sections.
[[nodiscard]] std::string HelpText(const CommandSpec& command, size_t width);

}  // namespace telltale
