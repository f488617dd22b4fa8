// SPDX-License-Identifier: Apache-2.0
#include "monitor/readings.h"

#include <cmath>

namespace telltale {

namespace {

// Names of devices come from the system; in a tag they are one part, and plain.
void AppendFilled(std::string_view pattern, std::string_view part, std::string& out) {
  const size_t open = pattern.find('<');
  if (open == std::string_view::npos) {
    out += pattern;
    return;
  }
  out += pattern.substr(0, open);
  for (const char c : part) {
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                          (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
    out += is_plain ? c : '_';
  }
  out += pattern.substr(pattern.find('>') + 1);
}

}  // namespace

uint32_t Readings::Add(Metric metric, std::string_view part) {
  const MetricSpec& spec = SpecOf(metric);
  std::string tag = "monitor/";
  AppendFilled(spec.device, part, tag);
  const size_t slash = tag.size();
  tag += '/';
  AppendFilled(spec.name, part, tag);
  for (uint32_t i = 0; i < series_.size(); ++i) {
    if (series_[i].tag == tag) return i;
  }
  MonitorSeries& added = series_.emplace_back();
  added.tag = std::move(tag);
  constexpr size_t kPrefix = std::string_view("monitor/").size();
  added.device = std::string_view(added.tag).substr(kPrefix, slash - kPrefix);
  added.name = std::string_view(added.tag).substr(slash + 1);
  added.spec = &spec;
  values_.reserve(series_.size());
  return static_cast<uint32_t>(series_.size() - 1);
}

void Readings::Put(uint32_t series, double value) {
  if (!std::isfinite(value)) return;
  values_.push_back({series_[series].tag, value, series});
}

}  // namespace telltale
