// SPDX-License-Identifier: Apache-2.0
#include "analysis/series/importance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace telltale {

namespace {

constexpr size_t kFewestRuns = 3;

double MeanOf(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

}  // namespace

std::vector<double> Ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double rank = static_cast<double>(begin + end + 1) / 2;
    for (; begin < end; ++begin) ranks[order[begin]] = rank;
  }
  return ranks;
}

std::optional<Importance> NumberImportance(std::span<const double> parameter,
                                           std::span<const double> metric) {
  std::vector<double> x;
  std::vector<double> y;
  for (size_t i = 0; i < std::min(parameter.size(), metric.size()); ++i) {
    if (std::isnan(parameter[i]) || std::isnan(metric[i])) continue;
    x.push_back(parameter[i]);
    y.push_back(metric[i]);
  }
  if (x.size() < kFewestRuns) return std::nullopt;
  x = Ranks(x);
  y = Ranks(y);
  const double mean = MeanOf(x);  // of both
  double xx = 0;
  double yy = 0;
  double xy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
    xy += (x[i] - mean) * (y[i] - mean);
  }
  if (xx == 0 || yy == 0) return std::nullopt;
  return Importance{xy / std::sqrt(xx * yy), x.size()};
}

std::optional<Importance> NameImportance(std::span<const std::string_view> parameter,
                                         std::span<const double> metric) {
  std::vector<std::string_view> names;
  std::vector<double> y;
  for (size_t i = 0; i < std::min(parameter.size(), metric.size()); ++i) {
    if (std::isnan(metric[i])) continue;
    names.push_back(parameter[i]);
    y.push_back(metric[i]);
  }
  if (y.size() < kFewestRuns) return std::nullopt;
  y = Ranks(y);
  const double mean = MeanOf(y);
  std::map<std::string_view, std::vector<double>> groups;
  double total = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    groups[names[i]].push_back(y[i]);
    total += (y[i] - mean) * (y[i] - mean);
  }
  // With a group for every run any parameter would explain everything.
  if (total == 0 || groups.size() < 2 || groups.size() == y.size()) return std::nullopt;
  double between = 0;
  for (const auto& [name, ranks] : groups) {
    const double offset = MeanOf(ranks) - mean;
    between += static_cast<double>(ranks.size()) * offset * offset;
  }
  return Importance{std::sqrt(between / total), y.size()};
}

}  // namespace telltale
