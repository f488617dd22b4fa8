// SPDX-License-Identifier: Apache-2.0
#include "views/options.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "views/render/display.h"
#include "views/suggest.h"

namespace telltale {

namespace {

const OptionSpec& HelpOption() {
  static const OptionSpec help = {.name = "help", .help = "show this text", .letter = 'h'};
  return help;
}

std::string WithDashes(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '_', '-');
  return out;
}

std::string WithUnderscores(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

// The user's word as a message shows it: safe to print and short.
std::string Quoted(std::string_view word) {
  return "'" + ShortenMiddle(Printable(word, true), 60, true) + "'";
}

const OptionSpec* FindByName(const CommandSpec& command, std::string_view name) {
  const std::string dashed = WithDashes(name);
  if (dashed == HelpOption().name) return &HelpOption();
  for (const OptionSpec& option : command.options) {
    if (option.name == dashed) return &option;
    if (std::find(option.aliases.begin(), option.aliases.end(), dashed) != option.aliases.end()) {
      return &option;
    }
  }
  return nullptr;
}

const OptionSpec* FindByLetter(const CommandSpec& command, char letter) {
  if (letter == HelpOption().letter) return &HelpOption();
  for (const OptionSpec& option : command.options) {
    if (option.letter != '\0' && option.letter == letter) return &option;
  }
  return nullptr;
}

Error UnknownOption(const CommandSpec& command, std::string_view word, std::string_view name) {
  std::vector<std::string_view> names = {HelpOption().name};
  for (const OptionSpec& option : command.options) names.push_back(option.name);
  return {ErrorCode::kUsage,
          fmt::format("'telltale {}' has no option {}{}", command.name, Quoted(word),
                      DidYouMean(WithDashes(name), names, "--")),
          std::nullopt};
}

// The value as the command will see it, or what is wrong with it.
Result<std::string> CheckValue(const OptionSpec& option, std::string_view value) {
  switch (option.type) {
    case OptionType::kFlag:
    case OptionType::kText:
      break;
    case OptionType::kInteger: {
      const std::optional<int64_t> number = ParseInteger(value);
      if (!number) {
        return Fail(ErrorCode::kUsage,
                    fmt::format("--{} takes a whole number, not {}", option.name, Quoted(value)));
      }
      if (*number < option.least) {
        return Fail(ErrorCode::kUsage, fmt::format("--{} takes a number from {} up, not {}",
                                                   option.name, option.least, *number));
      }
      break;
    }
    case OptionType::kChoice: {
      for (const std::string_view choice : option.choices) {
        if (WithUnderscores(value) == WithUnderscores(choice)) return std::string(choice);
      }
      return Fail(ErrorCode::kUsage,
                  fmt::format("--{} {} is not known{}\nvalid: {}", option.name, Quoted(value),
                              DidYouMean(value, option.choices), fmt::join(option.choices, ", ")));
    }
  }
  return std::string(value);
}

// A word that looks like an option where a value belongs: the value was forgotten.
bool LooksLikeOption(std::string_view word) { return word.size() > 2 && word.starts_with("--"); }

std::string Heading(const OptionSpec& option) {
  std::string out = option.letter == '\0' ? "    " : fmt::format("-{}, ", option.letter);
  out += fmt::format("--{}", option.name);
  if (option.type == OptionType::kChoice) {
    out += fmt::format(" {}", option.value.empty() ? "NAME" : option.value);
  } else if (option.value_optional) {
    out += fmt::format("[={}]", option.value);
  } else if (option.type != OptionType::kFlag) {
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

std::string_view Arguments::Text(std::string_view option) const {
  const auto at = values_.find(option);
  return at == values_.end() ? std::string_view() : std::string_view(at->second);
}

std::span<const std::string> Arguments::All(std::string_view option) const {
  const auto at = repeated_.find(option);
  return at == repeated_.end() ? std::span<const std::string>() : at->second;
}

void Arguments::Replace(std::string_view option, std::string value) {
  if (const auto at = values_.find(option); at != values_.end()) at->second = std::move(value);
}

std::optional<int64_t> Arguments::Integer(std::string_view option) const {
  return ParseInteger(Text(option));
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

Result<Arguments> ParseArguments(const CommandSpec& command, std::span<const std::string> words) {
  Arguments arguments;
  bool options_ended = false;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    if (options_ended || word == "-" || !word.starts_with('-')) {
      arguments.positionals_.emplace_back(word);
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
    const OptionSpec* option = is_long            ? FindByName(command, name)
                               : name.size() == 1 ? FindByLetter(command, name[0])
                                                  : nullptr;
    if (option == nullptr)
      return tl::unexpected<Error>(UnknownOption(command, word.substr(0, equals), name));

    std::string_view value;
    if (option->type == OptionType::kFlag) {
      if (equals != std::string_view::npos) {
        return Fail(ErrorCode::kUsage, fmt::format("--{} takes no value", option->name));
      }
    } else if (equals != std::string_view::npos) {
      value = word.substr(equals + 1);
    } else if (option->value_optional) {
      value = "";
    } else if (i + 1 < words.size() && !LooksLikeOption(words[i + 1])) {
      value = words[++i];
    } else {
      return Fail(ErrorCode::kUsage,
                  fmt::format("--{} needs a value{}{}", option->name,
                              option->type == OptionType::kChoice ? "\nvalid: " : "",
                              fmt::join(option->choices, ", ")));
    }
    Result<std::string> checked = CheckValue(*option, value);
    if (!checked) return tl::unexpected<Error>(checked.error());
    if (option->repeats) arguments.repeated_[std::string(option->name)].push_back(*checked);
    arguments.values_.insert_or_assign(std::string(option->name), std::move(*checked));
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
  if (!command.positionals.empty()) out += fmt::format(" {}", command.positionals);
  out += " [options]\n";

  out += "\nOptions:\n";
  rows.clear();
  const auto add_option = [&](const OptionSpec& option) {
    std::string text(option.help);
    if (option.type == OptionType::kChoice && option.list_choices)
      text += fmt::format(": {}", fmt::join(option.choices, ", "));
    if (!option.default_text.empty()) text += fmt::format(" (default: {})", option.default_text);
    rows.emplace_back(Heading(option), std::move(text));
  };
  for (const OptionSpec& option : command.options) add_option(option);
  add_option(HelpOption());
  AddRows(out, rows, width);

  for (const HelpSection& section : command.sections) {
    out += fmt::format("\n{}:\n", section.title);
    rows.assign(section.rows.begin(), section.rows.end());
    AddRows(out, rows, width);
  }
  return out;
}

}  // namespace telltale
