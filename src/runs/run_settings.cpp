// SPDX-License-Identifier: Apache-2.0
#include "runs/run_settings.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <system_error>

#include "base/digits.h"
#include "base/utf8.h"
#include "base/yaml.h"

namespace telltale {

namespace {

constexpr size_t kMostSettings = 10'000;  // of one run: more is no configuration

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

ConfigValue Scalar(const JsonValue& value) {
  using Kind = JsonValue::Kind;
  switch (value.kind()) {
    case Kind::kBool:
      return value.AsBool();
    case Kind::kInt:
      return value.AsInt();
    case Kind::kDouble:
      return value.AsDouble();
    case Kind::kString:
      return value.AsString();
    case Kind::kArray:
    case Kind::kObject:
      return ToJsonText(value);
    case Kind::kNull:
      break;
  }
  return std::monostate();
}

// NOLINTNEXTLINE(misc-no-recursion): the depth of a JsonValue is bounded
void Flatten(const JsonValue& value, const std::string& prefix, Config& out) {
  for (const auto& [key, member] : value.members()) {
    if (out.size() >= kMostSettings) return;
    std::string name = prefix;
    if (!name.empty()) name += '.';
    name += key;
    if (member.IsObject() && !member.members().empty()) {
      Flatten(member, name, out);
    } else {
      out.emplace_back(std::move(name), Scalar(member));
    }
  }
}

void SortByName(Config& config) {
  // Of equal names the last one counts.
  std::ranges::stable_sort(config, {}, [](const auto& item) { return item.first; });
  Config kept;
  for (auto& item : config) {
    if (!kept.empty() && kept.back().first == item.first) {
      kept.back() = std::move(item);
    } else {
      kept.push_back(std::move(item));
    }
  }
  config = std::move(kept);
}

// Takes `count` digits from the front.
bool TakeNumber(std::string_view& text, size_t count, int& value) {
  if (text.size() < count) return false;
  value = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!IsDigit(text[i])) return false;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(count);
  return true;
}

bool TakeChar(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// OmegaConf's "${other.value}", which Hydra's files keep as it was written. Others of its words
// ("${now:…}", "${.relative}", parts of a text) stay as they are.
void ResolveReferences(Config& config) {
  constexpr int kMostSteps = 8;   // a circle ends
  const Config written = config;  // sorted by name
  for (auto& [name, value] : config) {
    ConfigValue at = value;
    for (int step = 0; step < kMostSteps; ++step) {
      const std::string* const text = std::get_if<std::string>(&at);
      if (text == nullptr || !text->starts_with("${") || !text->ends_with('}')) {
        value = std::move(at);
        break;
      }
      const std::string wanted = text->substr(2, text->size() - 3);
      const auto other = std::ranges::lower_bound(written, wanted, {}, &Config::value_type::first);
      if (other == written.end() || other->first != wanted) break;
      at = other->second;
    }
  }
}

}  // namespace

Config FlattenConfig(const JsonValue& value) {
  Config out;
  Flatten(value, {}, out);
  SortByName(out);
  return out;
}

ConfigValue ConfigFromText(std::string_view text) {
  if (text == "None") return std::monostate();
  // A list or mapping of Python's stays as it is written.
  return Scalar(YamlScalar(text));
}

Config ReadArgsText(std::string_view text) {
  Config out;
  while (!text.empty() && out.size() < kMostSettings) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = Trim(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) continue;
    const std::string_view key = Trim(line.substr(0, colon));
    const std::string_view value = Trim(line.substr(colon + 1));
    // "Arguments:" and "Container:" head the list.
    if (value.empty() && (key == "Arguments" || key == "Container")) continue;
    if (key.find(' ') != std::string_view::npos) continue;
    out.emplace_back(RepairUtf8(key), ConfigFromText(value));
  }
  SortByName(out);
  return out;
}

Config ReadSettings(std::string_view path, std::string_view text, Diagnostics& diagnostics) {
  if (path.ends_with(".txt")) return ReadArgsText(text);
  const YamlDocument document = ParseYaml(text);
  if (document.bad_lines > 0) {
    diagnostics.Add(DiagnosticKind::kMalformedRecord, document.first_bad_offset,
                    document.bad_lines);
  }
  Config config = FlattenConfig(document.value);
  ResolveReferences(config);
  return config;
}

void MergeConfig(Config& config, Config more) {
  for (auto& item : more) config.push_back(std::move(item));
  SortByName(config);
}

std::optional<int64_t> ParseTime(std::string_view text) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  if (!TakeNumber(text, 4, year) || !TakeChar(text, "-") || !TakeNumber(text, 2, month) ||
      !TakeChar(text, "-") || !TakeNumber(text, 2, day) || !TakeChar(text, "Tt ") ||
      !TakeNumber(text, 2, hour) || !TakeChar(text, ":") || !TakeNumber(text, 2, minute) ||
      !TakeChar(text, ":") || !TakeNumber(text, 2, second)) {
    return std::nullopt;
  }
  int64_t fraction_ns = 0;
  if (TakeChar(text, ".")) {
    int64_t place = 100'000'000;
    while (!text.empty() && IsDigit(text[0])) {
      fraction_ns += place * (text[0] - '0');
      place /= 10;
      text.remove_prefix(1);
    }
  }
  int64_t offset_minutes = 0;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    const int sign = text[0] == '-' ? -1 : 1;
    text.remove_prefix(1);
    int hours = 0, minutes = 0;
    if (!TakeNumber(text, 2, hours)) return std::nullopt;
    (void)TakeChar(text, ":");
    if (!text.empty() && !TakeNumber(text, 2, minutes)) return std::nullopt;
    offset_minutes = int64_t{sign} * (hours * 60 + minutes);
  } else {
    (void)TakeChar(text, "Zz");
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  // Years whose nanoseconds fit.
  if (!text.empty() || !date.ok() || year < 1700 || year > 2250 || hour > 24 || minute > 59 ||
      second > 60) {
    return std::nullopt;
  }
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t seconds = ((days * 24 + hour) * 60 + minute - offset_minutes) * 60 + second;
  return seconds * 1'000'000'000 + fraction_ns;
}

}  // namespace telltale
