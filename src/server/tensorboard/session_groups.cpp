// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/session_groups.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/pattern.h"
#include "base/utf8.h"
#include "server/tensorboard/python_text.h"

namespace telltale {

namespace {

// What a filter or an order looks at; monostate: the group has no such value.
using Cell = HparamValue;

constexpr std::array<std::string_view, 4> kStatuses = {"STATUS_UNKNOWN", "STATUS_SUCCESS",
                                                       "STATUS_FAILURE", "STATUS_RUNNING"};

tl::unexpected<Error> Wrong(std::string message) {
  return Fail(ErrorCode::kUsage, std::move(message));
}

HparamType TypeOf(const HparamValue& value) {
  if (std::holds_alternative<double>(value)) return HparamType::kNumber;
  if (std::holds_alternative<std::string>(value)) return HparamType::kText;
  return std::holds_alternative<bool>(value) ? HparamType::kBool : HparamType::kUnset;
}

// As JSON, a text without its quotes.
std::string ShownText(const HparamValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* number = std::get_if<double>(&value)) return PythonFloat(*number);
  return std::get<bool>(value) ? "true" : "false";
}

bool IsShown(const HparamValue& value) {
  const auto* number = std::get_if<double>(&value);
  return number == nullptr || std::isfinite(*number);
}

// What values of a name have in common, where no experiment said it.
std::optional<HparamInfo> InfoOf(const std::string& name, const std::vector<HparamValue>& values) {
  HparamInfo info;
  info.name = name;
  for (const HparamValue& value : values) {
    const HparamType type = TypeOf(value);
    if (type == HparamType::kUnset) continue;
    info.type = info.type == HparamType::kUnset || info.type == type ? type : HparamType::kText;
    if (info.type == HparamType::kText) break;
  }
  if (info.type == HparamType::kUnset) return std::nullopt;
  if (info.type == HparamType::kText) {
    std::set<std::string> distinct;
    for (const HparamValue& value : values) {
      if (TypeOf(value) != HparamType::kUnset && IsShown(value)) distinct.insert(ShownText(value));
    }
    info.discrete.emplace(distinct.begin(), distinct.end());
    info.differs = distinct.size() > 1;
  } else if (info.type == HparamType::kBool) {
    std::set<bool> distinct;
    for (const HparamValue& value : values) {
      distinct.insert(std::holds_alternative<bool>(value) && std::get<bool>(value));
    }
    info.discrete.emplace(distinct.begin(), distinct.end());
    info.differs = distinct.size() > 1;
  } else {
    std::set<double> distinct;
    for (const HparamValue& value : values) {
      const auto* number = std::get_if<double>(&value);
      if (number != nullptr && !std::isnan(*number)) distinct.insert(*number);
    }
    if (distinct.empty()) return info;
    info.interval = {*distinct.begin(), *distinct.rbegin()};
    info.differs = distinct.size() > 1;
  }
  return info;
}

// The longest session whose folder this run is, or lies in.
std::optional<std::string_view> SessionOf(const std::set<std::string, std::less<>>& sessions,
                                          std::string_view run) {
  while (true) {
    if (sessions.contains(run)) return run;
    if (run.empty()) return std::nullopt;
    const size_t slash = run.rfind('/');
    run = slash == std::string_view::npos ? std::string_view() : run.substr(0, slash);
  }
}

std::string RunOfMetric(std::string_view session, std::string_view group) {
  return group.empty() ? std::string(session) : fmt::format("{}/{}", session, group);
}

void AddExperiment(HparamExperiment&& more, HparamExperiment& all) {
  for (HparamInfo& info : more.hparams) {
    if (std::ranges::find(all.hparams, info.name, &HparamInfo::name) == all.hparams.end()) {
      all.hparams.push_back(std::move(info));
    }
  }
  for (HparamMetric& metric : more.metrics) {
    if (std::ranges::find(all.metrics, metric.name, &HparamMetric::name) == all.metrics.end()) {
      all.metrics.push_back(std::move(metric));
    }
  }
  if (all.name.empty()) all.name = std::move(more.name);
  if (all.description.empty()) all.description = std::move(more.description);
  if (all.user.empty()) all.user = std::move(more.user);
  if (all.time_created_secs == 0) all.time_created_secs = more.time_created_secs;
}

using LastValues = std::map<std::string, std::map<std::string, ScalarPoint>>;

void InferExperiment(const std::vector<HparamSession>& sessions, const LastValues& last,
                     HparamExperiment& experiment) {
  std::vector<std::pair<std::string, std::vector<HparamValue>>> values;
  std::set<std::string, std::less<>> names;
  for (const HparamSession& session : sessions) {
    names.insert(session.name);
    for (const auto& [name, value] : session.start.hparams) {
      auto known = std::ranges::find(values, name, &decltype(values)::value_type::first);
      if (known == values.end()) known = values.insert(values.end(), {name, {}});
      known->second.push_back(value);
    }
  }
  for (const auto& [name, all] : values) {
    if (std::optional<HparamInfo> info = InfoOf(name, all)) {
      experiment.hparams.push_back(std::move(*info));
    }
  }
  if (experiment.hparams.empty()) return;
  std::set<HparamMetricName> metrics;
  for (const auto& [run, tags] : last) {
    const std::optional<std::string_view> session = SessionOf(names, run);
    if (!session) continue;
    std::string_view group = std::string_view(run).substr(session->size());
    if (group.starts_with('/')) group.remove_prefix(1);
    for (const auto& [tag, point] : tags) metrics.insert({tag, std::string(group)});
  }
  for (const HparamMetricName& name : metrics) experiment.metrics.push_back({name, "", "", 0});
}

// A column of a request: what it looks at in a group.
struct LookedAt {
  std::string hparam;
  std::optional<HparamMetricName> metric;

  [[nodiscard]] Cell Of(const HparamSessionGroup& group) const {
    if (!metric) {
      const auto found =
          std::ranges::find(group.hparams, hparam, &std::pair<std::string, HparamValue>::first);
      return found == group.hparams.end() ? Cell() : found->second;
    }
    const auto found = std::ranges::find(group.metrics, *metric, &HparamMetricValue::name);
    return found == group.metrics.end() ? Cell() : Cell(found->value);
  }
};

HparamMetricName MetricNameOf(const JsonValue& json) {
  return {json["tag"].AsString(), json["group"].AsString()};
}

HparamValue ValueOf(const JsonValue& json) {
  if (json.IsNumber()) return json.AsDouble();
  if (json.IsString()) return json.AsString();
  if (json.kind() == JsonValue::Kind::kBool) return json.AsBool();
  return std::monostate();
}

Result<bool> Passes(const Cell& cell, const JsonValue& column, std::optional<Pattern>& pattern) {
  const bool with_missing =
      !Member(column, "excludeMissingValues", "exclude_missing_values").AsBool();
  if (std::holds_alternative<std::monostate>(cell)) return with_missing;
  if (pattern) {
    const auto* text = std::get_if<std::string>(&cell);
    if (text == nullptr) return Wrong("Cannot use a regexp filter for a value that is no text");
    const bool matches = pattern->Matches(*text);
    if (pattern->gave_up()) return Wrong("the pattern takes too long");
    return matches;
  }
  if (const JsonValue& interval = Member(column, "filterInterval", "filter_interval");
      interval.IsObject()) {
    const auto* number = std::get_if<double>(&cell);
    if (number == nullptr)
      return Wrong("Cannot use an interval filter for a value that is no number");
    return Member(interval, "minValue", "min_value").AsDouble() <= *number &&
           *number <= Member(interval, "maxValue", "max_value").AsDouble();
  }
  if (const JsonValue& discrete = Member(column, "filterDiscrete", "filter_discrete");
      discrete.IsArray()) {
    return std::ranges::any_of(discrete.elements(),
                               [&](const JsonValue& one) { return ValueOf(one) == cell; });
  }
  return true;
}

Result<void> Filter(const JsonValue& json, const LookedAt& column,
                    std::vector<HparamSessionGroup>& groups) {
  std::optional<Pattern> pattern;
  if (const JsonValue& text = Member(json, "filterRegexp", "filter_regexp"); text.IsString()) {
    Result<Pattern> compiled = Pattern::Compile(text.AsString());
    if (!compiled) return tl::unexpected(compiled.error());
    pattern = std::move(*compiled);
  }
  std::vector<HparamSessionGroup> kept;
  for (HparamSessionGroup& group : groups) {
    const Result<bool> passes = Passes(column.Of(group), json, pattern);
    if (!passes) return tl::unexpected(passes.error());
    if (*passes) kept.push_back(std::move(group));
  }
  groups = std::move(kept);
  return {};
}

// 0: none, 1: up, 2: down.
Result<int> OrderOf(const JsonValue& json) {
  const JsonValue& order = json["order"];
  constexpr std::array<std::string_view, 3> kOrders = {"ORDER_UNSPECIFIED", "ORDER_ASC",
                                                       "ORDER_DESC"};
  if (order.IsNull()) return 0;
  if (order.IsNumber() && order.AsInt() >= 0 && order.AsInt() <= 2) {
    return static_cast<int>(order.AsInt());
  }
  const auto found = std::ranges::find(kOrders, order.AsString());
  if (found == kOrders.end()) return Wrong("Unknown col_param.order given");
  return static_cast<int>(found - kOrders.begin());
}

void Sort(const JsonValue& json, const LookedAt& column, int order,
          std::vector<HparamSessionGroup>& groups) {
  const bool missing_first = Member(json, "missingValuesFirst", "missing_values_first").AsBool();
  std::ranges::stable_sort(groups,
                           [&](const HparamSessionGroup& left, const HparamSessionGroup& right) {
                             const Cell a = column.Of(left);
                             const Cell b = column.Of(right);
                             const bool a_missing = a.index() == 0;
                             const bool b_missing = b.index() == 0;
                             if (a_missing || b_missing)
                               return a_missing != b_missing && a_missing == missing_first;
                             return order == 1 ? a < b : b < a;
                           });
}

double MeanOf(double total, size_t count) { return total / static_cast<double>(count); }

void AverageMetrics(HparamSessionGroup& group) {
  struct Sum {
    double value = 0, wall_time = 0;
    int64_t step = 0;
    size_t count = 0;
  };
  std::vector<std::pair<HparamMetricName, Sum>> sums;
  for (const HparamSession& session : group.sessions) {
    for (const HparamMetricValue& metric : session.metrics) {
      auto known = std::ranges::find(sums, metric.name, &decltype(sums)::value_type::first);
      if (known == sums.end()) known = sums.insert(sums.end(), {metric.name, {}});
      known->second.value += metric.value;
      known->second.wall_time += metric.wall_time;
      known->second.step += metric.step;
      ++known->second.count;
    }
  }
  for (const auto& [name, sum] : sums) {
    group.metrics.push_back({name, MeanOf(sum.value, sum.count),
                             sum.step / static_cast<int64_t>(sum.count),
                             MeanOf(sum.wall_time, sum.count)});
  }
}

// The metrics of the session whose value of one metric is the median, smallest or largest.
void ChooseMetrics(HparamSessionGroup& group, int how, const HparamMetricName& by) {
  std::vector<std::pair<double, size_t>> measured;
  for (size_t i = 0; i < group.sessions.size(); ++i) {
    const auto& metrics = group.sessions[i].metrics;
    const auto found = std::ranges::find(metrics, by, &HparamMetricValue::name);
    if (found != metrics.end()) measured.emplace_back(found->value, i);
  }
  if (measured.empty()) return;
  std::ranges::stable_sort(measured, {}, &std::pair<double, size_t>::first);
  const size_t at = how == 2 ? (measured.size() - 1) / 2 : how == 3 ? 0 : measured.size() - 1;
  group.metrics = group.sessions[measured[at].second].metrics;
}

Result<int> AggregationOf(const JsonValue& request) {
  const JsonValue& how = Member(request, "aggregationType", "aggregation_type");
  constexpr std::array<std::string_view, 5> kNames = {"AGGREGATION_UNSET", "AGGREGATION_AVG",
                                                      "AGGREGATION_MEDIAN", "AGGREGATION_MIN",
                                                      "AGGREGATION_MAX"};
  if (how.IsNull()) return 0;
  if (how.IsNumber() && how.AsInt() >= 0 && how.AsInt() <= 4) return static_cast<int>(how.AsInt());
  const auto found = std::ranges::find(kNames, how.AsString());
  if (found == kNames.end()) return Wrong("Unknown aggregation_type in request");
  return static_cast<int>(found - kNames.begin());
}

std::set<int64_t> AllowedStatuses(const JsonValue& request) {
  std::set<int64_t> allowed;
  for (const JsonValue& status :
       Member(request, "allowedStatuses", "allowed_statuses").elements()) {
    const auto named = std::ranges::find(kStatuses, status.AsString());
    allowed.insert(status.IsNumber() ? status.AsInt() : named - kStatuses.begin());
  }
  return allowed;
}

}  // namespace

const JsonValue& Member(const JsonValue& object, std::string_view camel, std::string_view snake) {
  const JsonValue& value = object[camel];
  return value.IsNull() ? object[snake] : value;
}

HparamRuns ReadHparamRuns(const Board& board, bool purge) {
  HparamRuns runs;
  bool has_experiment = false;
  LastValues last;
  board.ForEachRun([&](const BoardRun& run) {
    const std::string name = RepairUtf8(run.name());
    for (const BoardSeries& series : run.Series("scalars")) {
      if (const std::optional<ScalarPoint> point = series.LastPoint(purge)) {
        last[name][RepairUtf8(series.tag())] = *point;
      }
    }
    const auto content = [&](std::string_view tag) -> std::optional<std::string_view> {
      const std::optional<BoardSeries> series = run.Find(tag, "hparams");
      return series ? std::optional<std::string_view>(series->first().plugin_content)
                    : std::nullopt;
    };
    if (const auto bytes = content(tfevents::kHparamsExperimentTag)) {
      if (std::optional<HparamExperiment> experiment = tfevents::ReadHparamExperiment(*bytes)) {
        AddExperiment(std::move(*experiment), runs.experiment);
        has_experiment = true;
      }
    }
    const auto start = content(tfevents::kHparamsStartTag);
    if (!start) return;
    HparamSession session;
    session.name = name;
    session.start = tfevents::ReadHparamStart(*start).value_or(HparamSessionStart());
    if (const auto end = content(tfevents::kHparamsEndTag)) {
      session.end = tfevents::ReadHparamEnd(*end).value_or(HparamSessionEnd());
    }
    runs.sessions.push_back(std::move(session));
  });
  if (!has_experiment) InferExperiment(runs.sessions, last, runs.experiment);
  // Those that differ first, as TensorBoard lists them.
  std::ranges::sort(runs.experiment.hparams, [](const HparamInfo& left, const HparamInfo& right) {
    return std::pair(!left.differs, std::string_view(left.name)) <
           std::pair(!right.differs, std::string_view(right.name));
  });
  for (HparamSession& session : runs.sessions) {
    for (const HparamMetric& metric : runs.experiment.metrics) {
      const auto of_run = last.find(RunOfMetric(session.name, metric.name.group));
      if (of_run == last.end()) continue;
      const auto point = of_run->second.find(metric.name.tag);
      if (point == of_run->second.end()) continue;
      session.metrics.push_back(
          {metric.name, point->second.value, point->second.step, point->second.wall_time});
    }
  }
  return runs;
}

Result<std::vector<HparamSessionGroup>> SessionGroups(const HparamRuns& runs,
                                                      const JsonValue& request) {
  const Result<int> aggregation = AggregationOf(request);
  if (!aggregation) return tl::unexpected(aggregation.error());
  const JsonValue& with_metrics = Member(request, "includeMetrics", "include_metrics");
  const bool metrics = with_metrics.IsNull() || with_metrics.AsBool();
  const std::set<int64_t> allowed = AllowedStatuses(request);
  std::map<std::string, HparamSessionGroup> by_name;
  for (const HparamSession& session : runs.sessions) {
    if (!allowed.contains(session.end.status)) continue;
    const std::string& name =
        session.start.group_name.empty() ? session.name : session.start.group_name;
    const auto [group, is_new] = by_name.try_emplace(name);
    if (is_new) {
      group->second.name = name;
      group->second.monitor_url = session.start.monitor_url;
      for (const auto& value : session.start.hparams) {
        if (IsShown(value.second)) group->second.hparams.push_back(value);
      }
    }
    group->second.sessions.push_back(session);
    if (!metrics) group->second.sessions.back().metrics.clear();
  }
  std::vector<HparamSessionGroup> groups;
  const HparamMetricName by =
      MetricNameOf(Member(request, "aggregationMetric", "aggregation_metric"));
  for (auto& [name, group] : by_name) {
    std::ranges::sort(group.sessions, {}, &HparamSession::name);
    *aggregation <= 1 ? AverageMetrics(group) : ChooseMetrics(group, *aggregation, by);
    groups.push_back(std::move(group));
  }
  const std::vector<JsonValue>& columns = Member(request, "colParams", "col_params").elements();
  std::vector<LookedAt> looked_at;
  for (const JsonValue& json : columns) {
    LookedAt column;
    if (json["metric"].IsObject()) {
      column.metric = MetricNameOf(json["metric"]);
    } else if (json["hparam"].IsString()) {
      column.hparam = json["hparam"].AsString();
    } else {
      return Wrong("Got ColParam with both \"metric\" and \"hparam\" fields unset");
    }
    if (const Result<void> done = Filter(json, column, groups); !done) {
      return tl::unexpected(done.error());
    }
    looked_at.push_back(std::move(column));
  }
  // The first column is the most important: sorted by last.
  for (size_t i = columns.size(); i-- > 0;) {
    const Result<int> order = OrderOf(columns[i]);
    if (!order) return tl::unexpected(order.error());
    if (*order != 0) Sort(columns[i], looked_at[i], *order, groups);
  }
  const auto says_include = [](const JsonValue& json) {
    return !Member(json, "includeInResult", "include_in_result").IsNull();
  };
  if (std::ranges::any_of(columns, says_include)) {
    std::set<std::string> included;
    for (const JsonValue& json : columns) {
      if (says_include(json) && !Member(json, "includeInResult", "include_in_result").AsBool()) {
        continue;
      }
      if (json["hparam"].IsString()) included.insert(json["hparam"].AsString());
    }
    for (HparamSessionGroup& group : groups) {
      std::erase_if(group.hparams,
                    [&](const auto& value) { return !included.contains(value.first); });
    }
  }
  return groups;
}

}  // namespace telltale
