// SPDX-License-Identifier: Apache-2.0
#include "views/runs/run_field.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "views/params.h"
#include "views/suggest.h"

namespace telltale {

namespace {

using Fact = RunField::Fact;
using Number = RunField::Number;

struct NamedFact {
  std::string_view name;
  Fact fact;
};
constexpr std::array<NamedFact, 20> kFacts = {{
    {"id", Fact::kId},
    {"name", Fact::kName},
    {"path", Fact::kPath},
    {"kind", Fact::kKind},
    {"experiment", Fact::kExperiment},
    {"group", Fact::kGroup},
    {"status", Fact::kStatus},
    {"start", Fact::kStart},
    {"end", Fact::kEnd},
    {"duration", Fact::kDuration},
    {"tags", Fact::kTags},
    {"note", Fact::kNote},
    {"color", Fact::kColor},
    {"pinned", Fact::kPinned},
    {"hidden", Fact::kHidden},
    {"deleted", Fact::kDeleted},
    {"points", Fact::kPoints},
    {"profiles", Fact::kProfiles},
    {"start_ns", Fact::kStart},
    {"duration_ns", Fact::kDuration},
}};

struct NamedNumber {
  std::string_view ending;
  Number number;
};
constexpr std::array<NamedNumber, 8> kNumbers = {{
    {".last", Number::kLast},
    {".min", Number::kMin},
    {".max", Number::kMax},
    {".points", Number::kPoints},
    {".first_step", Number::kFirstStep},
    {".last_step", Number::kLastStep},
    {".min_step", Number::kMinStep},
    {".max_step", Number::kMaxStep},
}};

bool Has(const std::vector<std::string>& sorted, std::string_view name) {
  return std::binary_search(sorted.begin(), sorted.end(), name, std::less<>());
}

FieldValue OptionalText(const std::optional<std::string>& text) {
  return text ? FieldValue(std::string_view(*text)) : FieldValue();
}

FieldValue FactOf(Fact fact, const ListedRun& run) {
  const RunInfo& info = run.info;
  const auto number = [](const std::optional<int64_t>& value) {
    return value ? FieldValue(*value) : FieldValue();
  };
  switch (fact) {
    case Fact::kId:
      return std::string_view(info.id);
    case Fact::kName:
      return std::string_view(info.name);
    case Fact::kPath:
      return std::string_view(info.path);
    case Fact::kKind:
      return NameOf(info.kind);
    case Fact::kExperiment:
      return OptionalText(info.experiment);
    case Fact::kGroup:
      return OptionalText(info.group);
    case Fact::kStatus:
      return info.status ? FieldValue(NameOf(*info.status)) : FieldValue();
    case Fact::kStart:
      return number(info.start_ns);
    case Fact::kEnd:
      return number(info.end_ns);
    case Fact::kDuration:
      return number(run.duration_ns);
    case Fact::kTags: {
      if (info.tags.empty()) return {};
      std::string all;
      for (const std::string& tag : info.tags) all += (all.empty() ? "" : ", ") + tag;
      return all;
    }
    case Fact::kNote:
      return OptionalText(info.note);
    case Fact::kColor:
      return info.color.empty() ? FieldValue() : FieldValue(std::string_view(info.color));
    case Fact::kPinned:
      return info.pinned;
    case Fact::kHidden:
      return info.hidden;
    case Fact::kDeleted:
      return info.deleted;
    case Fact::kPoints: {
      uint64_t points = 0;
      for (const MetricSummary& metric : run.metrics) points += metric.points;
      return points;
    }
    case Fact::kProfiles:
      return uint64_t{info.profiles.size()};
  }
  return {};
}

FieldValue NumberOf(const MetricSummary& metric, Number number) {
  const auto real = [](const std::optional<double>& value) {
    return value ? FieldValue(*value) : FieldValue();
  };
  switch (number) {
    case Number::kLast:
      return metric.last;
    case Number::kMin:
      return real(metric.min);
    case Number::kMax:
      return real(metric.max);
    case Number::kPoints:
      return metric.points;
    case Number::kFirstStep:
      return metric.first_step;
    case Number::kLastStep:
      return metric.last_step;
    case Number::kMinStep:
      return metric.min ? FieldValue(metric.min_step) : FieldValue();
    case Number::kMaxStep:
      return metric.max ? FieldValue(metric.max_step) : FieldValue();
  }
  return {};
}

}  // namespace

RunNames NamesOf(const RunList& list) {
  std::set<std::string, std::less<>> config, metrics;
  // Most runs have the names of the one before them, in the same places: those are known.
  const ListedRun* before = nullptr;
  for (const auto& run : list.runs) {
    for (size_t i = 0; i < run->info.config.size(); ++i) {
      const std::string& name = run->info.config[i].first;
      const bool is_known = before != nullptr && i < before->info.config.size() &&
                            before->info.config[i].first == name;
      if (!is_known) config.insert(name);
    }
    for (size_t i = 0; i < run->metrics.size(); ++i) {
      const std::string& tag = run->metrics[i].tag;
      const bool is_known =
          before != nullptr && i < before->metrics.size() && before->metrics[i].tag == tag;
      if (!is_known) metrics.insert(tag);
    }
    before = run.get();
  }
  return {{config.begin(), config.end()}, {metrics.begin(), metrics.end()}};
}

std::string ListOf(const std::vector<std::string_view>& names, size_t most) {
  std::string all;
  for (size_t i = 0; i < names.size() && i < most; ++i) {
    if (i > 0) all += ", ";
    all += names[i];
  }
  if (names.size() > most) all += fmt::format(" and {} more", names.size() - most);
  return all;
}

Result<RunField> RunField::Find(std::string_view name, const RunNames& names) {
  RunField field;
  field.name_ = name;
  constexpr std::string_view kConfig = "config.", kMetrics = "metrics.";
  const bool only_config =
      name.starts_with(kConfig) && !Has(names.config, name) && !Has(names.metrics, name);
  const bool only_metric =
      name.starts_with(kMetrics) && !Has(names.config, name) && !Has(names.metrics, name);
  std::string_view rest = name;
  if (only_config) rest.remove_prefix(kConfig.size());
  if (only_metric) rest.remove_prefix(kMetrics.size());
  if (!only_config && !only_metric) {
    for (const NamedFact& known : kFacts) {
      if (known.name != rest) continue;
      field.fact_ = known.fact;
      return field;
    }
  }
  if (!only_metric && Has(names.config, rest)) {
    field.kind_ = Kind::kConfig;
    field.of_ = rest;
    return field;
  }
  if (!only_config) {
    field.kind_ = Kind::kMetric;
    if (Has(names.metrics, rest)) {
      field.of_ = rest;
      return field;
    }
    for (const NamedNumber& known : kNumbers) {
      if (!rest.ends_with(known.ending)) continue;
      const std::string_view tag = rest.substr(0, rest.size() - known.ending.size());
      if (!Has(names.metrics, tag)) continue;
      field.of_ = tag;
      field.number_ = known.number;
      return field;
    }
  }
  std::vector<std::string_view> valid;
  if (!only_metric) valid.insert(valid.end(), names.config.begin(), names.config.end());
  if (!only_config) valid.insert(valid.end(), names.metrics.begin(), names.metrics.end());
  if (!only_config && !only_metric) {
    for (const NamedFact& known : kFacts) {
      if (!known.name.ends_with("_ns")) valid.push_back(known.name);
    }
  }
  return Fail(ErrorCode::kUsage,
              fmt::format("there is no {} in these runs{}; valid are {}", QuotedWord(name),
                          DidYouMean(rest, valid), ListOf(valid)));
}

FieldValue AsField(const ConfigValue& value) {
  return std::visit(
      [](const auto& held) -> FieldValue {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::string>) {
          return std::string_view(held);
        } else {
          return held;
        }
      },
      value);
}

FieldValue ConfigOf(const ListedRun& run, std::string_view name) {
  const auto& config = run.info.config;
  const auto at = std::ranges::lower_bound(
      config, name, {}, [](const auto& item) { return std::string_view(item.first); });
  return at != config.end() && at->first == name ? AsField(at->second) : FieldValue();
}

FieldValue RunField::Get(const ListedRun& run) const {
  switch (kind_) {
    case Kind::kFact:
      return FactOf(fact_, run);
    case Kind::kConfig:
      return ConfigOf(run, of_);
    case Kind::kMetric:
      if (const MetricSummary* const metric = run.Metric(of_)) return NumberOf(*metric, number_);
      break;
  }
  return {};
}

Result<std::vector<RunStatus>> ParseStatuses(std::string_view text) {
  std::vector<std::string_view> valid;
  for (size_t i = 0; i < kRunStatusCount; ++i) valid.push_back(NameOf(RunStatus(i)));
  std::vector<RunStatus> statuses;
  while (!text.empty()) {
    const size_t end = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    const std::optional<RunStatus> status = RunStatusNamed(word);
    if (!status) {
      return Fail(ErrorCode::kUsage,
                  fmt::format("{} is no status of a run{}; valid are {}", QuotedWord(word),
                              DidYouMean(word, valid), ListOf(valid)));
    }
    statuses.push_back(*status);
  }
  if (statuses.empty()) {
    return Fail(ErrorCode::kUsage, fmt::format("name a status; valid are {}", ListOf(valid)));
  }
  return statuses;
}

}  // namespace telltale
