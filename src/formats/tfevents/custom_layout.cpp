// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/custom_layout.h"

#include "base/protobuf.h"
#include "base/utf8.h"

namespace telltale::tfevents {

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

}  // namespace

CustomLayout ReadCustomLayout(std::string_view bytes) {
  CustomLayout layout;
  for (MessageReader reader(bytes); reader.Next();) {
    if (reader.field().number == 1) layout.version = reader.field().Signed();
    if (reader.field().number == 2) {
      layout.categories.push_back(ReadCategory(reader.field().bytes));
    }
  }
  return layout;
}

}  // namespace telltale::tfevents
