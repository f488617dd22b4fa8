// SPDX-License-Identifier: Apache-2.0
#include "views/params.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "views/render/display.h"
#include "views/suggest.h"

namespace telltale {

namespace {

std::string WithUnderscores(std::string_view name) {
  std::string out(name);
  std::ranges::replace(out, '-', '_');
  return out;
}

// A number with a fraction, as a page's arithmetic leaves it.
std::optional<int64_t> RoundedDown(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  constexpr double kLimit = 9.2e18;
  if (error != std::errc() || end != text.data() + text.size() || !(std::abs(number) < kLimit)) {
    return std::nullopt;
  }
  return static_cast<int64_t>(std::floor(number));
}

}  // namespace

Result<void> ParamValues::Add(const ParamSpec& spec, std::string_view text) {
  std::string value(text);
  if (spec.type == ParamType::kInteger) {
    std::optional<int64_t> number = ParseInteger(text);
    if (!number && spec.rounds) number = RoundedDown(text);
    if (!number) {
      return Wrong(spec.name, fmt::format("takes a whole number, not {}", QuotedWord(text)));
    }
    if (spec.clamps) number = std::min(*number, spec.most);
    if (*number < spec.least || *number > spec.most) {
      return Wrong(spec.name, fmt::format("takes a number from {} {}, not {}", spec.least,
                                          spec.most == INT64_MAX || spec.clamps
                                              ? "up"
                                              : fmt::format("to {}", spec.most),
                                          *number));
    }
    value = std::to_string(*number);
  }
  if (spec.type == ParamType::kChoice) {
    const auto found = std::ranges::find(spec.choices, WithUnderscores(text), WithUnderscores);
    if (found == spec.choices.end()) {
      return Wrong(spec.name,
                   fmt::format("{} is not known{}\nvalid: {}", QuotedWord(text),
                               DidYouMean(text, spec.choices), fmt::join(spec.choices, ", ")));
    }
    value = *found;
  }
  std::vector<std::string>& values = values_[std::string(spec.name)];
  if (!spec.repeats) values.clear();
  values.push_back(std::move(value));
  return {};
}

std::string_view ParamValues::Text(std::string_view name) const {
  const std::span<const std::string> values = All(name);
  return values.empty() ? std::string_view() : std::string_view(values.back());
}

std::optional<int64_t> ParamValues::Integer(std::string_view name) const {
  return ParseInteger(Text(name));
}

std::span<const std::string> ParamValues::All(std::string_view name) const {
  const auto at = values_.find(name);
  return at == values_.end() ? std::span<const std::string>() : at->second;
}

std::string ParamValues::Spelled(std::string_view name) const {
  return fmt::format("{}{}", spelling_ == Spelling::kOption ? "--" : "", name);
}

std::string ParamValues::Spelled(std::string_view name, std::string_view value) const {
  return fmt::format("{}{}{}", Spelled(name), spelling_ == Spelling::kOption ? ' ' : '=', value);
}

tl::unexpected<Error> ParamValues::Wrong(std::string_view name, std::string_view why) const {
  return Fail(ErrorCode::kUsage, fmt::format("{} {}", Spelled(name), why));
}

std::string ParamValues::Key() const {
  std::string key;
  // A zero byte stands in no text that is taken.
  for (const auto& [name, values] : values_) {
    for (const std::string& value : values) {
      key += name;
      key += '\0';
      key += value;
      key += '\0';
    }
  }
  return key;
}

const ParamSpec* FindParam(std::span<const ParamSpec> specs, std::string_view name) {
  const std::string wanted = WithUnderscores(name);
  const auto is_wanted = [&](std::string_view each) { return WithUnderscores(each) == wanted; };
  const auto found = std::ranges::find_if(specs, [&](const ParamSpec& spec) {
    return is_wanted(spec.name) || std::ranges::any_of(spec.aliases, is_wanted);
  });
  return found == specs.end() ? nullptr : &*found;
}

std::optional<int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string QuotedWord(std::string_view word) {
  return "'" + ShortenMiddle(Printable(word, true), 60, true) + "'";
}

}  // namespace telltale
