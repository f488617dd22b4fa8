// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/custom_layout.h"

#include <algorithm>
#include <utility>

namespace telltale {

namespace {

using tfevents::CustomCategory;
using tfevents::CustomChart;
using tfevents::CustomMargin;

void WriteChart(const CustomChart& chart, JsonWriter& json) {
  json.BeginObject();
  json.Field("title", chart.title);
  if (chart.kind == CustomChart::Kind::kLines) {
    json.Key("multiline");
    json.BeginObject();
    json.Key("tag");
    json.BeginArray();
    for (const std::string& tag : chart.tags) json.String(tag);
    json.EndArray();
    json.EndObject();
  }
  if (chart.kind == CustomChart::Kind::kMargin) {
    json.Key("margin");
    json.BeginObject();
    json.Key("series");
    json.BeginArray();
    for (const CustomMargin& margin : chart.margins) {
      json.BeginObject();
      json.Field("value", margin.value);
      json.Field("lower", margin.lower);
      json.Field("upper", margin.upper);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndObject();
}

}  // namespace

void JoinLayout(tfevents::CustomLayout&& other, tfevents::CustomLayout& layout) {
  for (CustomCategory& category : other.categories) {
    const auto known = std::ranges::find(layout.categories, category.title, &CustomCategory::title);
    if (known == layout.categories.end()) {
      layout.categories.push_back(std::move(category));
      continue;
    }
    for (CustomChart& chart : category.charts) {
      if (std::ranges::find(known->charts, chart) == known->charts.end()) {
        known->charts.push_back(std::move(chart));
      }
    }
  }
}

void WriteLayout(const tfevents::CustomLayout& layout, JsonWriter& json) {
  json.Field("version", layout.version);
  json.Key("category");
  json.BeginArray();
  for (const CustomCategory& category : layout.categories) {
    json.BeginObject();
    json.Field("title", category.title);
    json.Key("chart");
    json.BeginArray();
    for (const CustomChart& chart : category.charts) WriteChart(chart, json);
    json.EndArray();
    json.Field("closed", category.closed);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace telltale
