// SPDX-License-Identifier: Apache-2.0
#include "cli/run_defaults.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "cli/commands.h"
#include "io/byte_source.h"
#include "views/suggest.h"

namespace telltale {

namespace {

std::string_view Trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// The value at the beginning of `text`, which loses it; false: there is none.
bool TakeValue(std::string_view& text, std::string& value) {
  text = Trim(text);
  if (text.starts_with('"') || text.starts_with('\'')) {
    const size_t close = text.find(text[0], 1);
    if (close == std::string_view::npos) return false;
    value = text.substr(1, close - 1);
    if (text[0] == '"' && value.find('\\') != std::string::npos) return false;
    text.remove_prefix(close + 1);
  } else {
    const size_t end = std::min(text.find_first_of(" \t#,]"), text.size());
    value = text.substr(0, end);
    text.remove_prefix(end);
  }
  text = Trim(text);
  return true;
}

}  // namespace

std::string RunDefaultsTemplate() {
  const CommandSpec command = RunCommandSpec();
  std::string out =
      "# Flags of `telltale run` for this project; one that is given on the command line beats its "
      "line here.\n\n[run]\n";
  for (const ParamSpec& option : command.options) {
    if (option.name == "dry-run") continue;
    std::string name(option.name);
    std::ranges::replace(name, '-', '_');
    const std::string_view example = option.type == ParamType::kFlag      ? "true"
                                     : option.type == ParamType::kInteger ? "1"
                                                                          : "\"\"";
    out +=
        fmt::format("# {} = {}  # {}{}\n", name, example, option.help,
                    option.default_text.empty() ? std::string()
                                                : fmt::format(" (usual: {})", option.default_text));
  }
  return out;
}

Result<std::vector<std::pair<std::string, std::string>>> ParseRunDefaults(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> out;
  bool is_run = false;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (line.starts_with('[')) {
      is_run = line.starts_with("[run]");  // other tables are not ours
      continue;
    }
    if (!is_run) continue;
    const size_t equals = line.find('=');
    const std::string name(Trim(line.substr(0, equals)));
    const auto wrong = [&] {
      return Fail(ErrorCode::kUsage, fmt::format("line {}: expected NAME = VALUE", number));
    };
    if (equals == std::string_view::npos || name.empty()) return wrong();
    std::string_view rest = Trim(line.substr(equals + 1));
    std::string value;
    if (rest.starts_with('[')) {
      rest = Trim(rest.substr(1));
      while (!rest.starts_with(']')) {
        if (rest.empty() || !TakeValue(rest, value)) return wrong();
        out.emplace_back(name, value);
        if (rest.starts_with(',')) rest = Trim(rest.substr(1));
      }
      rest = Trim(rest.substr(1));
    } else {
      if (rest.empty() || !TakeValue(rest, value)) return wrong();
      out.emplace_back(name, value);
    }
    if (!rest.empty() && !rest.starts_with('#')) return wrong();
  }
  return out;
}

Result<Arguments> WithRunDefaults(const CommandSpec& command, const Arguments& arguments) {
  std::error_code problem;
  const std::string path(kRunDefaultsFile);
  if (!std::filesystem::exists(path, problem)) return arguments;
  constexpr size_t kMost = size_t{1} << 20;
  const Result<std::string> text = ReadSmallFile(path, {}, kMost);
  if (!text) return tl::unexpected(text.error());
  const auto values = ParseRunDefaults(*text);
  if (!values) return Fail(ErrorCode::kUsage, fmt::format("{}: {}", path, values.error().message));
  Arguments out = arguments;
  for (const auto& [name, value] : *values) {
    const ParamSpec* const option = FindParam(command.options, name);
    if (option == nullptr) {
      std::vector<std::string_view> names;
      for (const ParamSpec& each : command.options) names.push_back(each.name);
      return Fail(ErrorCode::kUsage, fmt::format("{}: 'telltale run' has no flag {}{}", path,
                                                 QuotedWord(name), DidYouMean(name, names)));
    }
    if (arguments.Has(option->name)) continue;
    std::string_view given = value;
    if (option->type == ParamType::kFlag) {
      if (value != "true" && value != "false") {
        return Fail(ErrorCode::kUsage,
                    fmt::format("{}: {} takes true or false", path, QuotedWord(name)));
      }
      if (value == "false") continue;
      given = "";
    }
    if (Result<void> added = out.Add(*option, given); !added) {
      return Fail(ErrorCode::kUsage, fmt::format("{}: {}", path, added.error().message));
    }
  }
  return out;
}

}  // namespace telltale
