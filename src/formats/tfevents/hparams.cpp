// SPDX-License-Identifier: Apache-2.0
// HParamsPluginData: { 1: version, 2: Experiment, 3: SessionStartInfo, 4: SessionEndInfo }.
#include <algorithm>
#include <cmath>

#include "base/protobuf.h"
#include "base/utf8.h"
#include "formats/tfevents/decode.h"

namespace telltale::tfevents {

namespace {

using protobuf::Field;
using protobuf::MessageReader;
using protobuf::WireType;

// google.protobuf.Value: 1 null, 2 number, 3 text, 4 bool. Lists and objects are left out.
ConfigValue ReadValue(std::string_view bytes) {
  ConfigValue value;
  for (MessageReader reader(bytes); reader.Next();) {
    const Field& field = reader.field();
    if (field.number == 2 && field.type == WireType::kFixed64) {
      value.emplace<double>(field.Double());
    } else if (field.number == 3 && field.IsBytes()) {
      value.emplace<std::string>(RepairUtf8(field.bytes));
    } else if (field.number == 4 && field.IsNumber()) {
      value.emplace<bool>(field.value != 0);
    }
  }
  return value;
}

std::string Text(const Field& field) { return RepairUtf8(field.bytes); }

HparamInfo ReadHparam(std::string_view bytes) {
  HparamInfo info;
  for (MessageReader reader(bytes); reader.Next();) {
    const Field& field = reader.field();
    if (field.number == 4 && field.IsNumber()) {
      info.type = field.value == 1   ? "string"
                  : field.value == 2 ? "bool"
                  : field.value == 3 ? "float64"
                                     : "";
    }
    if (!field.IsBytes()) continue;
    if (field.number == 1) info.name = Text(field);
    if (field.number == 2) info.display_name = Text(field);
    if (field.number == 3) info.description = Text(field);
    if (field.number == 5) {
      for (MessageReader list(field.bytes); list.Next();) {
        if (list.field().number == 1 && list.field().IsBytes()) {
          info.domain.push_back(ReadValue(list.field().bytes));
        }
      }
    }
    if (field.number == 6) {
      std::pair<double, double> interval{0, 0};
      for (MessageReader ends(field.bytes); ends.Next();) {
        if (ends.field().type != WireType::kFixed64) continue;
        if (ends.field().number == 1) interval.first = ends.field().Double();
        if (ends.field().number == 2) interval.second = ends.field().Double();
      }
      info.interval = interval;
    }
  }
  return info;
}

MetricInfo ReadMetric(std::string_view bytes) {
  MetricInfo info;
  for (MessageReader reader(bytes); reader.Next();) {
    const Field& field = reader.field();
    if (field.number == 5 && field.IsNumber()) info.dataset = static_cast<int>(field.value & 3);
    if (!field.IsBytes()) continue;
    if (field.number == 1) {
      for (MessageReader name(field.bytes); name.Next();) {
        if (!name.field().IsBytes()) continue;
        if (name.field().number == 1) info.group = Text(name.field());
        if (name.field().number == 2) info.tag = Text(name.field());
      }
    }
    if (field.number == 3) info.display_name = Text(field);
    if (field.number == 4) info.description = Text(field);
  }
  return info;
}

HparamsExperiment ReadExperiment(std::string_view bytes) {
  HparamsExperiment experiment;
  for (MessageReader reader(bytes); reader.Next();) {
    const Field& field = reader.field();
    if (field.number == 3 && field.type == WireType::kFixed64) {
      experiment.time_created = field.Double();
    }
    if (!field.IsBytes()) continue;
    if (field.number == 1) experiment.description = Text(field);
    if (field.number == 2) experiment.user = Text(field);
    if (field.number == 4) experiment.hparams.push_back(ReadHparam(field.bytes));
    if (field.number == 5) experiment.metrics.push_back(ReadMetric(field.bytes));
    if (field.number == 6) experiment.name = Text(field);
  }
  return experiment;
}

HparamsSessionStart ReadStart(std::string_view bytes) {
  HparamsSessionStart start;
  for (MessageReader reader(bytes); reader.Next();) {
    const Field& field = reader.field();
    if (field.number == 5 && field.type == WireType::kFixed64) start.start_time = field.Double();
    if (!field.IsBytes()) continue;
    if (field.number == 2) start.model_uri = Text(field);
    if (field.number == 3) start.monitor_url = Text(field);
    if (field.number == 4) start.group_name = Text(field);
    if (field.number != 1) continue;
    std::pair<std::string, ConfigValue> entry;
    for (MessageReader pair(field.bytes); pair.Next();) {
      if (!pair.field().IsBytes()) continue;
      if (pair.field().number == 1) entry.first = Text(pair.field());
      if (pair.field().number == 2) entry.second = ReadValue(pair.field().bytes);
    }
    start.hparams.push_back(std::move(entry));
  }
  std::ranges::stable_sort(start.hparams, {}, [](const auto& entry) { return entry.first; });
  return start;
}

HparamsSessionEnd ReadEnd(std::string_view bytes) {
  HparamsSessionEnd end;
  for (MessageReader reader(bytes); reader.Next();) {
    const Field& field = reader.field();
    if (field.number == 1 && field.IsNumber()) end.status = static_cast<int>(field.value & 3);
    if (field.number == 2 && field.type == WireType::kFixed64) end.end_time = field.Double();
  }
  return end;
}

}  // namespace

Result<HparamsData> DecodeHparams(std::string_view plugin_content) {
  HparamsData data;
  MessageReader reader(plugin_content);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (!field.IsBytes()) continue;
    if (field.number == 2) data = ReadExperiment(field.bytes);
    if (field.number == 3) data = ReadStart(field.bytes);
    if (field.number == 4) data = ReadEnd(field.bytes);
  }
  if (reader.bad()) {
    return Fail(ErrorCode::kUnreadable, "the hyper-parameters cannot be shown: damaged");
  }
  return data;
}

}  // namespace telltale::tfevents
