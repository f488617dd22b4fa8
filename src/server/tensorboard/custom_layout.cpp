// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/custom_layout.h"

#include <algorithm>
#include <utility>

#include "base/protobuf.h"
#include "base/utf8.h"

namespace telltale {

namespace {

using protobuf::MessageReader;

CustomMargin ReadMargin(std::string_view bytes) {
  CustomMargin margin;
  for (MessageReader reader(bytes); reader.Next();) {
    if (reader.field().number == 1) margin.value = RepairUtf8(reader.field().bytes);
    if (reader.field().number == 2) margin.lower = RepairUtf8(reader.field().bytes);
    if (reader.field().number == 3) margin.upper = RepairUtf8(reader.field().bytes);
  }
  return margin;
}

CustomChart ReadChart(std::string_view bytes) {
  CustomChart chart;
  for (MessageReader reader(bytes); reader.Next();) {
    const std::string_view part = reader.field().bytes;
    if (reader.field().number == 1) chart.title = RepairUtf8(part);
    if (reader.field().number == 2) {
      chart.kind = CustomChart::Kind::kLines;
      for (MessageReader lines(part); lines.Next();) {
        if (lines.field().number == 1) chart.tags.push_back(RepairUtf8(lines.field().bytes));
      }
    }
    if (reader.field().number == 3) {
      chart.kind = CustomChart::Kind::kMargin;
      for (MessageReader series(part); series.Next();) {
        if (series.field().number == 1) chart.margins.push_back(ReadMargin(series.field().bytes));
      }
    }
  }
  return chart;
}

CustomCategory ReadCategory(std::string_view bytes) {
  CustomCategory category;
  for (MessageReader reader(bytes); reader.Next();) {
    if (reader.field().number == 1) category.title = RepairUtf8(reader.field().bytes);
    if (reader.field().number == 2) category.charts.push_back(ReadChart(reader.field().bytes));
    if (reader.field().number == 3) category.closed = reader.field().value != 0;
  }
  return category;
}

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

CustomLayout CustomLayout::Read(std::string_view bytes) {
  CustomLayout layout;
  for (MessageReader reader(bytes); reader.Next();) {
    if (reader.field().number == 1) layout.version = reader.field().Signed();
    if (reader.field().number == 2) {
      layout.categories.push_back(ReadCategory(reader.field().bytes));
    }
  }
  return layout;
}

void CustomLayout::Add(CustomLayout&& other) {
  for (CustomCategory& category : other.categories) {
    const auto known = std::ranges::find(categories, category.title, &CustomCategory::title);
    if (known == categories.end()) {
      categories.push_back(std::move(category));
      continue;
    }
    for (CustomChart& chart : category.charts) {
      if (std::ranges::find(known->charts, chart) == known->charts.end()) {
        known->charts.push_back(std::move(chart));
      }
    }
  }
}

void CustomLayout::WriteFields(JsonWriter& json) const {
  json.Field("version", version);
  json.Key("category");
  json.BeginArray();
  for (const CustomCategory& category : categories) {
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
