// SPDX-License-Identifier: Apache-2.0
// Command lines: a table of options per command drives parsing, checks of the values, the help text
// and "did you mean". An option is a parameter (views/params.h), of a view or the command's own.
// Our own rather than CLI11 because that costs 9 s of compile time in the file that uses it, cannot
// suggest the nearest name, and cannot begin a help text with an example.
//
// Spelling: --name value and --name=value are the same; a lone -- ends the options; a lone - is a
// path (standard input). Where a command has groups of settings, words before its first positional
// may be GROUP=VALUE and GROUP.KEY=VALUE, as configuration tools have them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "views/params.h"

namespace telltale {

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
  bool rest_is_command = false;  // the first positional ends the options
  std::vector<ParamSpec> options;
  std::vector<HelpSection> sections;
  std::vector<std::pair<char, std::string_view>> letters;  // -q, and the option it stands for
  // Options whose value, if it has no '=', is a file that holds the value.
  std::vector<std::string_view> or_file;
  std::vector<std::string_view> setting_groups;
};

class Arguments : public ParamValues {
 public:
  [[nodiscard]] const std::vector<std::string>& positionals() const { return positionals_; }
  // GROUP or GROUP.KEY and its value, in the order given; not checked further.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& settings() const {
    return settings_;
  }

 private:
  friend Result<Arguments> ParseArguments(const CommandSpec& command,
                                          std::span<const std::string> words);
  std::vector<std::string> positionals_;
  std::vector<std::pair<std::string, std::string>> settings_;
};

// `words` follow the command's name. Every command also takes --help, which makes all else
// optional. Errors are kUsage.
[[nodiscard]] Result<Arguments> ParseArguments(const CommandSpec& command,
                                               std::span<const std::string> words);

// Example first, then usage, options with their defaults, sections.
[[nodiscard]] std::string HelpText(const CommandSpec& command, size_t width);

}  // namespace telltale
