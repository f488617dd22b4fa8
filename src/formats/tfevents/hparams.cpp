// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/hparams.h"

#include <unordered_map>

#include "base/protobuf.h"
#include "base/utf8.h"

namespace telltale::tfevents {

namespace {

using protobuf::MessageReader;

// The message of that number within HParamsPluginData.
std::optional<std::string_view> PartOf(std::string_view content, uint32_t number) {
  std::optional<std::string_view> part;
  MessageReader reader(content);
  while (reader.Next()) {
    if (reader.field().number == number && reader.field().IsBytes()) part = reader.field().bytes;
  }
  return reader.bad() ? std::nullopt : part;
}

std::string Text(const protobuf::Field& field) {
  return field.IsBytes() ? RepairUtf8(field.bytes) : std::string();
}

double Number(const protobuf::Field& field) { return field.IsNumber() ? field.Double() : 0; }

HparamValue ReadValue(std::string_view bytes) {
  HparamValue value;
  for (MessageReader reader(bytes); reader.Next();) {
    const protobuf::Field& field = reader.field();
    if (field.number == 1) value = std::monostate();
    if (field.number == 2) value = Number(field);
    if (field.number == 3) value = Text(field);
    if (field.number == 4) value = field.value != 0;
  }
  return value;
}

std::vector<HparamValue> ReadList(std::string_view bytes) {
  std::vector<HparamValue> values;
  for (MessageReader reader(bytes); reader.Next();) {
    if (reader.field().number == 1) values.push_back(ReadValue(reader.field().bytes));
  }
  return values;
}

HparamInfo ReadInfo(std::string_view bytes) {
  HparamInfo info;
  for (MessageReader reader(bytes); reader.Next();) {
    const protobuf::Field& field = reader.field();
    switch (field.number) {
      case 1:
        info.name = Text(field);
        break;
      case 2:
        info.display_name = Text(field);
        break;
      case 3:
        info.description = Text(field);
        break;
      case 4:
        info.type = field.value <= 3 ? HparamType(field.value) : HparamType::kUnset;
        break;
      case 5:
        info.discrete = ReadList(field.bytes);
        break;
      case 6: {
        std::pair<double, double> interval;
        for (MessageReader inside(field.bytes); inside.Next();) {
          if (inside.field().number == 1) interval.first = Number(inside.field());
          if (inside.field().number == 2) interval.second = Number(inside.field());
        }
        info.interval = interval;
        break;
      }
      case 7:
        info.differs = field.value != 0;
        break;
      default:
        break;
    }
  }
  return info;
}

HparamMetric ReadMetric(std::string_view bytes) {
  HparamMetric metric;
  for (MessageReader reader(bytes); reader.Next();) {
    const protobuf::Field& field = reader.field();
    if (field.number == 1) {
      for (MessageReader name(field.bytes); name.Next();) {
        if (name.field().number == 1) metric.name.group = Text(name.field());
        if (name.field().number == 2) metric.name.tag = Text(name.field());
      }
    }
    if (field.number == 3) metric.display_name = Text(field);
    if (field.number == 4) metric.description = Text(field);
    if (field.number == 5) metric.dataset_type = field.Signed();
  }
  return metric;
}

}  // namespace

std::optional<HparamExperiment> ReadHparamExperiment(std::string_view content) {
  const std::optional<std::string_view> part = PartOf(content, 2);
  if (!part) return std::nullopt;
  HparamExperiment experiment;
  MessageReader reader(*part);
  while (reader.Next()) {
    const protobuf::Field& field = reader.field();
    if (field.number == 1) experiment.description = Text(field);
    if (field.number == 2) experiment.user = Text(field);
    if (field.number == 3) experiment.time_created_secs = Number(field);
    if (field.number == 4) experiment.hparams.push_back(ReadInfo(field.bytes));
    if (field.number == 5) experiment.metrics.push_back(ReadMetric(field.bytes));
    if (field.number == 6) experiment.name = Text(field);
  }
  return reader.bad() ? std::nullopt : std::optional(std::move(experiment));
}

std::optional<HparamSessionStart> ReadHparamStart(std::string_view content) {
  const std::optional<std::string_view> part = PartOf(content, 3);
  if (!part) return std::nullopt;
  HparamSessionStart start;
  std::unordered_map<std::string, size_t> places;  // of names
  MessageReader reader(*part);
  while (reader.Next()) {
    const protobuf::Field& field = reader.field();
    if (field.number == 1) {
      std::string name;
      HparamValue value;
      for (MessageReader entry(field.bytes); entry.Next();) {
        if (entry.field().number == 1) name = Text(entry.field());
        if (entry.field().number == 2) value = ReadValue(entry.field().bytes);
      }
      // Of the same name twice, the last one counts.
      const auto [place, is_new] = places.try_emplace(name, start.hparams.size());
      if (is_new) start.hparams.emplace_back().first = std::move(name);
      start.hparams[place->second].second = std::move(value);
    }
    if (field.number == 2) start.model_uri = Text(field);
    if (field.number == 3) start.monitor_url = Text(field);
    if (field.number == 4) start.group_name = Text(field);
    if (field.number == 5) start.start_time_secs = Number(field);
  }
  return reader.bad() ? std::nullopt : std::optional(std::move(start));
}

std::optional<HparamSessionEnd> ReadHparamEnd(std::string_view content) {
  const std::optional<std::string_view> part = PartOf(content, 4);
  if (!part) return std::nullopt;
  HparamSessionEnd end;
  for (MessageReader reader(*part); reader.Next();) {
    if (reader.field().number == 1) end.status = reader.field().Signed();
    if (reader.field().number == 2) end.end_time_secs = Number(reader.field());
  }
  return end;
}

}  // namespace telltale::tfevents
