// SPDX-License-Identifier: Apache-2.0
#include "analysis/timeline/search_query.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace telltale {

namespace {

constexpr SearchKey kKeys[] = {
    {SearchField::kName, SearchKind::kText, "name", "a part of the name", ""},
    {SearchField::kShape, SearchKind::kDimensions, "shape",
     "input shapes of an operator, or of the one that launched a device event", "inputdims"},
    {SearchField::kType, SearchKind::kText, "type", "input types, likewise", "inputtype"},
    {SearchField::kValue, SearchKind::kText, "value", "values of inputs, likewise",
     "concreteinputs"},
    {SearchField::kCategory, SearchKind::kText, "category", "as in the legend, or in the file",
     "cat"},
    {SearchField::kThread, SearchKind::kText, "thread", "its thread's or stream's number or name",
     "tid"},
    {SearchField::kDuration, SearchKind::kTime, "duration", "a time: 5us, 1.5ms", "dur"},
    {SearchField::kDevice, SearchKind::kNumber, "device", "of device events", ""},
    {SearchField::kStream, SearchKind::kNumber, "stream", "of device events", ""},
    {SearchField::kBytes, SearchKind::kSize, "bytes", "of copies and sets: 4096, 1MiB", ""},
    {SearchField::kCorrelation, SearchKind::kNumber, "correlation",
     "of a launching call and what it launched", ""},
    {SearchField::kExternalId, SearchKind::kNumber, "external_id", "of an operator and its work",
     "externalid"},
    {SearchField::kSequence, SearchKind::kNumber, "sequence",
     "joins a forward operator with its backward one", "sequencenumber"},
    {SearchField::kGrid, SearchKind::kDimensions, "grid", "of kernels", ""},
    {SearchField::kBlock, SearchKind::kDimensions, "block", "of kernels", ""},
    {SearchField::kRegisters, SearchKind::kNumber, "registers", "of kernels, per thread",
     "registersperthread"},
    {SearchField::kSharedMemory, SearchKind::kSize, "shared_memory", "of kernels", "sharedmemory"},
    {SearchField::kOccupancy, SearchKind::kNumber, "occupancy", "of kernels, in percent",
     "estachievedoccupancy"},
    {SearchField::kGraph, SearchKind::kNumber, "graph", "the CUDA graph that holds it", "graphid"},
    {SearchField::kCollective, SearchKind::kText, "collective", "its name, as in allreduce",
     "collectivename"},
    {SearchField::kDtype, SearchKind::kText, "dtype", "of a collective", ""},
    {SearchField::kGroup, SearchKind::kText, "group", "the process group's name or description",
     "processgroupname,processgroupdescription"},
    {SearchField::kGroupSize, SearchKind::kNumber, "group_size", "ranks in the process group",
     "groupsize"},
    {SearchField::kElements, SearchKind::kNumber, "elements", "that a collective takes in",
     "inmsgnelems"},
};

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }
bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsWordPart(char c) {
  const char lower = Lower(c);
  return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9');
}

std::string Lowered(std::string_view text) {
  std::string lower;
  for (const char c : text) lower += Lower(c);
  return lower;
}

bool IsOneOf(std::string_view names, std::string_view name) {
  while (!names.empty()) {
    const std::string_view one = names.substr(0, names.find(','));
    if (one == name) return true;
    names.remove_prefix(std::min(one.size() + 1, names.size()));
  }
  return false;
}

const SearchKey* KeyOf(std::string_view written) {
  std::string plain;  // "External id", external_id and externalid are the same
  for (const char c : written) {
    if (IsWordPart(c)) plain += Lower(c);
  }
  for (const SearchKey& key : kKeys) {
    if (Lowered(written) == key.key || (!plain.empty() && IsOneOf(key.names, plain))) return &key;
  }
  return nullptr;
}

// A part of what was typed, between spaces outside of quotes and brackets.
std::string_view NextWord(std::string_view& rest) {
  while (!rest.empty() && IsSpace(rest.front())) rest.remove_prefix(1);
  int depth = 0;
  bool quoted = false;
  size_t end = 0;
  for (; end < rest.size(); ++end) {
    const char c = rest[end];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '[') ++depth;
    if (c == ']') depth = std::max(0, depth - 1);
    if (depth == 0 && IsSpace(c)) break;
  }
  // A quote or bracket that is never closed is a letter like others.
  if (end == rest.size() && (quoted || depth > 0)) {
    end = 0;
    while (end < rest.size() && !IsSpace(rest[end])) ++end;
  }
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

std::string Unquoted(std::string_view text) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
  }
  return std::string(text);
}

struct Parts {
  std::string key;
  Comparison comparison = Comparison::kIs;
  std::string value;
};

// key, operator, value; none if it is not of that form. A double colon is part of a name.
std::optional<Parts> Split(std::string_view word) {
  size_t at = 0;
  if (!word.empty() && word.front() == '"') {
    at = word.find('"', 1);
    if (at == std::string_view::npos) return std::nullopt;
    ++at;
  } else {
    while (at < word.size() && (IsWordPart(word[at]) || word[at] == '_')) ++at;
  }
  if (at == 0 || at == word.size()) return std::nullopt;
  constexpr std::pair<std::string_view, Comparison> kOperators[] = {
      {"!=", Comparison::kIsNot}, {">=", Comparison::kAtLeast}, {"<=", Comparison::kAtMost},
      {">", Comparison::kAbove},  {"<", Comparison::kBelow},    {"=", Comparison::kIs},
      {":", Comparison::kIs},
  };
  const std::string_view rest = word.substr(at);
  if (rest.starts_with("::")) return std::nullopt;
  for (const auto& [text, comparison] : kOperators) {
    if (!rest.starts_with(text)) continue;
    std::string value = Unquoted(rest.substr(text.size()));
    if (value.empty()) return std::nullopt;  // still being typed
    return Parts{Unquoted(word.substr(0, at)), comparison, std::move(value)};
  }
  return std::nullopt;
}

// A number and its unit; none if it is no such number.
std::optional<double> NumberOf(std::string_view text, SearchKind kind) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !(number >= -1e18 && number <= 1e18)) return std::nullopt;
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (unit.empty()) return number;
  constexpr std::pair<std::string_view, double> kTimes[] = {
      {"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  constexpr std::pair<std::string_view, double> kSizes[] = {
      {"b", 1},      {"kb", 1e3},      {"mb", 1e6},        {"gb", 1e9},
      {"kib", 1024}, {"mib", 1048576}, {"gib", 1073741824}};
  std::span<const std::pair<std::string_view, double>> units;
  if (kind == SearchKind::kTime) units = kTimes;
  if (kind == SearchKind::kSize) units = kSizes;
  for (const auto& [name, factor] : units) {
    if (unit == name) return number * factor;
  }
  return std::nullopt;
}

Result<SearchCondition> ConditionOf(const SearchKey& key, const Parts& parts) {
  SearchCondition condition{&key, parts.comparison, Lowered(parts.value), 0};
  const bool compares =
      parts.comparison != Comparison::kIs && parts.comparison != Comparison::kIsNot;
  if (key.kind == SearchKind::kText || key.kind == SearchKind::kDimensions) {
    if (compares) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("{} is text: it can be asked with : or !=, not compared", key.key));
    }
    if (key.kind == SearchKind::kDimensions) std::erase_if(condition.value, IsSpace);
    return condition;
  }
  const std::optional<double> number = NumberOf(condition.value, key.kind);
  if (!number) {
    const std::string_view example = key.kind == SearchKind::kTime   ? "a time such as 1.5ms"
                                     : key.kind == SearchKind::kSize ? "a size such as 1MiB"
                                                                     : "a number";
    return Fail(ErrorCode::kUsage, fmt::format("{} takes {}", key.key, example));
  }
  condition.number = *number;
  return condition;
}

std::string KnownKeys() {
  std::string list;
  for (const SearchKey& key : kKeys) {
    if (!list.empty()) list += ", ";
    list += key.key;
  }
  return list;
}

}  // namespace

std::span<const SearchKey> SearchKeys() { return kKeys; }

Result<SearchQuery> ParseSearch(std::string_view typed) {
  SearchQuery query;
  // Words that follow each other are one text, with what was typed between them.
  constexpr size_t kNoText = std::string_view::npos;
  size_t text_end = kNoText;  // of the last word in `typed`, if it was text
  std::string_view rest = typed;
  for (std::string_view word = NextWord(rest); !word.empty(); word = NextWord(rest)) {
    constexpr std::string_view kPrefix = "arg:";
    const bool is_argument = word.starts_with(kPrefix);
    std::optional<Parts> parts = Split(is_argument ? word.substr(kPrefix.size()) : word);
    const SearchKey* const key = parts ? KeyOf(parts->key) : nullptr;
    if (key != nullptr) {
      Result<SearchCondition> condition = ConditionOf(*key, *parts);
      if (!condition) return tl::unexpected(condition.error());
      query.conditions.push_back(std::move(*condition));
      text_end = kNoText;
      continue;
    }
    if (parts && is_argument) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("the argument {} is not kept in columns and cannot be searched; "
                              "these can: {}",
                              parts->key, KnownKeys()));
    }
    if (parts) query.not_kept.push_back(std::move(parts->key));
    const size_t begin = typed.size() - rest.size() - word.size();
    if (text_end != kNoText) {
      query.texts.back() += typed.substr(text_end, begin - text_end);
    } else {
      query.texts.emplace_back();
    }
    query.texts.back() += Lowered(word);
    text_end = begin + word.size();
  }
  // Around nothing but text white space counts, too: " op" is no beginning of a name.
  if (query.conditions.empty() && !typed.empty()) query.texts = {Lowered(typed)};
  return query;
}

}  // namespace telltale
