// SPDX-License-Identifier: Apache-2.0
#include "cli/options.h"

#include <algorithm>

#include <fmt/format.h>

#include "views/render/display.h"
#include "views/suggest.h"

namespace telltale {

namespace {

const ParamSpec& HelpOption() {
  static const ParamSpec help = {.name = "help", .help = "show this text"};
  return help;
}
constexpr char kHelpLetter = 'h';

const ParamSpec* FindByName(const CommandSpec& command, std::string_view name) {
  return name == HelpOption().name ? &HelpOption() : FindParam(command.options, name);
}

const ParamSpec* FindByLetter(const CommandSpec& command, char letter) {
  if (letter == kHelpLetter) return &HelpOption();
  for (const auto& [each, name] : command.letters) {
    if (each == letter) return FindParam(command.options, name);
  }
  return nullptr;
}

Error UnknownOption(const CommandSpec& command, std::string_view word, std::string_view name) {
  std::vector<std::string_view> names = {HelpOption().name};
  for (const ParamSpec& option : command.options) names.push_back(option.name);
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  return {ErrorCode::kUsage,
          fmt::format("'telltale {}' has no option {}{}", command.name, QuotedWord(word),
                      DidYouMean(dashed, names, "--")),
          std::nullopt};
}

bool HoldsFile(const CommandSpec& command, const ParamSpec& option) {
  return std::ranges::find(command.or_file, option.name) != command.or_file.end();
}

// A word that looks like an option where a value belongs: the value was forgotten.
bool LooksLikeOption(std::string_view word) { return word.size() > 2 && word.starts_with("--"); }

// Whether it is GROUP=VALUE or GROUP.KEY=VALUE.
bool IsSetting(const CommandSpec& command, std::string_view word) {
  const std::string_view name = word.substr(0, word.find('='));
  const std::string_view group = name.substr(0, name.find('.'));
  return name.size() < word.size() &&
         std::ranges::find(command.setting_groups, group) != command.setting_groups.end();
}

std::string Heading(const ParamSpec& option, char letter) {
  std::string out = letter == '\0' ? "    " : fmt::format("-{}, ", letter);
  out += fmt::format("--{}", option.name);
  if (option.type == ParamType::kChoice) {
    out += fmt::format(" {}", option.value.empty() ? "NAME" : option.value);
  } else if (option.value_optional) {
    out += fmt::format("[={}]", option.value);
  } else if (option.type != ParamType::kFlag) {
    out += fmt::format(" {}", option.value);
  }
  return out;
}

void AddRows(std::string& out, const std::vector<std::pair<std::string, std::string>>& rows,
             size_t width) {
  size_t term_width = 0;
  for (const auto& [term, text] : rows) term_width = std::max(term_width, DisplayWidth(term));
  for (const auto& [term, text] : rows) {
    const size_t indent = term.empty() ? 2 : 2 + term_width + 2;
    const std::vector<std::string> lines = Wrap(text, width > indent + 20 ? width - indent : 20);
    out += term.empty() ? "  " : "  " + PadRight(term, term_width + 2);
    for (size_t i = 0; i < lines.size(); ++i) {
      if (i > 0) out.append(indent, ' ');
      out += lines[i];
      out += '\n';
    }
  }
}

}  // namespace

Result<Arguments> ParseArguments(const CommandSpec& command, std::span<const std::string> words) {
  Arguments arguments;
  bool options_ended = false;
  const bool has_end = std::ranges::find(words, "--") != words.end();
  for (size_t i = 0; i < words.size(); ++i) {
    if (!options_ended && arguments.positionals_.empty() && IsSetting(command, words[i])) {
      const std::string_view setting = words[i];
      const size_t equals = setting.find('=');
      arguments.settings_.emplace_back(setting.substr(0, equals), setting.substr(equals + 1));
      continue;
    }
    // Without a -- nobody knows whether such a word is the program's.
    const bool is_dotted = !options_ended && has_end && !command.option_prefix.empty() &&
                           words[i].starts_with(command.option_prefix) &&
                           words[i].find('=') != std::string::npos;
    const std::string dotted =
        is_dotted ? "--" + words[i].substr(command.option_prefix.size()) : std::string();
    const std::string_view word = is_dotted ? std::string_view(dotted) : words[i];
    if (options_ended || word == "-" || !word.starts_with('-')) {
      arguments.positionals_.emplace_back(word);
      options_ended = options_ended || command.rest_is_command;
      continue;
    }
    if (word == "--") {
      options_ended = true;
      continue;
    }

    const bool is_long = word.starts_with("--");
    const size_t equals = is_long ? word.find('=') : std::string_view::npos;
    const std::string_view name =
        is_long
            ? word.substr(2, equals == std::string_view::npos ? std::string_view::npos : equals - 2)
            : word.substr(1);
    const ParamSpec* option = is_long            ? FindByName(command, name)
                              : name.size() == 1 ? FindByLetter(command, name[0])
                                                 : nullptr;
    if (option == nullptr)
      return tl::unexpected<Error>(UnknownOption(command, word.substr(0, equals), name));

    // Of a value that may be left out: no program is called by a number.
    const bool takes_next =
        i + 1 < words.size() && (option->value_optional ? has_end && command.rest_is_command &&
                                                              ParseInteger(words[i + 1]).has_value()
                                                        : !LooksLikeOption(words[i + 1]));
    std::string_view value;
    if (option->type == ParamType::kFlag) {
      if (equals != std::string_view::npos) {
        return Fail(ErrorCode::kUsage, fmt::format("--{} takes no value", option->name));
      }
    } else if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (takes_next) {
      value = words[++i];
    } else if (!option->value_optional) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--{} needs a value{}{}", option->name,
                              option->type == ParamType::kChoice ? "\nvalid: " : "",
                              fmt::join(option->choices, ", ")));
    }
    if (const Result<void> added = arguments.Add(*option, value); !added) {
      return tl::unexpected(added.error());
    }
  }

  if (arguments.Has("help")) return arguments;
  if (command.needs_positional && arguments.positionals_.empty()) {
    return Fail(ErrorCode::kUsage,
                fmt::format("'telltale {}' needs {}; for example: {}", command.name,
                            command.positionals, command.examples.front().first));
  }
  return arguments;
}

std::string HelpText(const CommandSpec& command, size_t width) {
  width = std::clamp<size_t>(width, 60, 100);
  std::string out = command.examples.size() > 1 ? "Examples:\n" : "Example:\n";
  std::vector<std::pair<std::string, std::string>> rows;
  for (const auto& [line, meaning] : command.examples) {
    out += fmt::format("  {}\n", line);
    for (const std::string& text : Wrap(meaning, width - 6)) out += fmt::format("      {}\n", text);
  }
  out += "\nUsage:\n  telltale";
  if (!command.name.empty()) out += fmt::format(" {}", command.name);
  if (command.rest_is_command) {
    out += fmt::format(" [options] -- {}\n", command.positionals);
  } else {
    if (!command.positionals.empty()) out += fmt::format(" {}", command.positionals);
    out += " [options]\n";
  }

  out += "\nOptions:\n";
  rows.clear();
  const auto add_option = [&](const ParamSpec& option, char letter) {
    std::string text(option.help);
    if (HoldsFile(command, option)) text += ", or a file with them";
    if (option.type == ParamType::kChoice && option.list_choices)
      text += fmt::format(": {}", fmt::join(option.choices, ", "));
    if (!option.default_text.empty()) text += fmt::format(" (default: {})", option.default_text);
    rows.emplace_back(Heading(option, letter), std::move(text));
  };
  for (const ParamSpec& option : command.options) {
    const auto letter =
        std::ranges::find(command.letters, option.name, &std::pair<char, std::string_view>::second);
    add_option(option, letter == command.letters.end() ? '\0' : letter->first);
  }
  add_option(HelpOption(), kHelpLetter);
  AddRows(out, rows, width);

  for (const HelpSection& section : command.sections) {
    out += fmt::format("\n{}:\n", section.title);
    rows.assign(section.rows.begin(), section.rows.end());
    AddRows(out, rows, width);
  }
  return out;
}

}  // namespace telltale
