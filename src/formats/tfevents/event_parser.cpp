// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/event_parser.h"

#include <cmath>
#include <optional>

#include "base/protobuf.h"
#include "base/utf8.h"
#include "formats/tfevents/fields.h"
#include "formats/tfevents/records.h"
#include "formats/tfevents/tensor.h"

namespace telltale::tfevents {

namespace {

using protobuf::Field;
using protobuf::MessageReader;
using protobuf::WireType;

// What a value of an old file is, by the field that holds it; empty: none of these.
std::string_view OldPlugin(uint32_t field) {
  switch (field) {
    case value_field::kImage:
      return plugin::kImages;
    case value_field::kHisto:
      return plugin::kHistograms;
    case value_field::kAudio:
      return plugin::kAudio;
    default:
      return {};
  }
}

// SummaryMetadata.plugin_data.plugin_name.
std::string_view PluginNameOf(std::string_view metadata) {
  std::string_view name;
  MessageReader reader(metadata);
  while (reader.Next()) {
    if (reader.field().number != metadata_field::kPluginData || !reader.field().IsBytes()) continue;
    MessageReader data(reader.field().bytes);
    while (data.Next()) {
      if (data.field().number == 1 && data.field().IsBytes()) name = data.field().bytes;
    }
  }
  return name;
}

bool IsOpen(std::string_view plugin) { return plugin.starts_with('\x01'); }

}  // namespace

void EventParser::Parse(std::string_view records, uint64_t offset) {
  Event event;
  for (size_t at = 0; at < records.size();) {
    uint64_t length = 0;
    std::memcpy(&length, records.data() + at, 8);
    const char* const payload = records.data() + at + kHeaderBytes;
    event.offset = offset + at;
    record_ = event.offset;
    event.base = records.data() - offset;
    ++fragment_.records;
    if (PayloadIsSound(payload, length)) {
      ParseEvent({payload, length}, event);
    } else {
      series_.diagnostics.Add(DiagnosticKind::kBadChecksum, event.offset);
    }
    at += length + kFrameBytes;
  }
}

void EventParser::Malformed(const Event& event) {
  series_.diagnostics.Add(DiagnosticKind::kMalformedRecord, event.offset);
}

void EventParser::ParseEvent(std::string_view payload, Event& event) {
  event.wall_time = 0;
  event.step = 0;
  summaries_.clear();
  std::optional<Field> other;  // of the oneof: the last one counts
  MessageReader reader(payload);
  while (reader.Next()) {
    const Field& field = reader.field();
    switch (field.number) {
      case event_field::kWallTime:
        if (field.type == WireType::kFixed64) event.wall_time = field.Double();
        break;
      case event_field::kStep:
        if (field.type == WireType::kVarint) event.step = field.Signed();
        break;
      case event_field::kSummary:
        if (field.IsBytes()) summaries_.push_back(field.bytes);
        break;
      case event_field::kFileVersion:
      case event_field::kGraphDef:
      case event_field::kSessionLog:
      case event_field::kTaggedRunMetadata:
      case event_field::kMetaGraphDef:
        if (field.IsBytes()) other = field;
        break;
      case event_field::kSourceMetadata:
        if (field.IsBytes() && series_.writer.empty()) {
          MessageReader metadata(field.bytes);
          while (metadata.Next()) {
            if (metadata.field().number == 1) series_.writer = RepairUtf8(metadata.field().bytes);
          }
        }
        break;
      default:
        break;
    }
  }
  if (reader.bad()) return Malformed(event);
  if (payload.empty()) return;
  if (std::isnan(event.wall_time)) {
    series_.diagnostics.Add(DiagnosticKind::kNoWallTime, event.offset);
  }
  series_.SeeWallTime(event.wall_time);

  for (const std::string_view summary : summaries_) {
    MessageReader values(summary);
    while (values.Next()) {
      if (values.field().number == 1 && values.field().IsBytes()) {
        ParseValue(values.field().bytes, event);
      }
    }
    if (values.bad()) Malformed(event);
  }
  if (!other) return;
  switch (other->number) {
    case event_field::kFileVersion:
      if (fragment_.records == 1) fragment_.begins_with_version = other->bytes == kVersion;
      break;
    case event_field::kGraphDef:
      AddStored(TagOf(kGraphTag, plugin::kGraphs), other->bytes, event);
      break;
    case event_field::kMetaGraphDef:
      AddStored(TagOf(kMetaGraphTag, plugin::kMetaGraphs), other->bytes, event);
      break;
    case event_field::kTaggedRunMetadata:
      ParseTaggedRunMetadata(other->bytes, event);
      break;
    default: {
      MessageReader log(other->bytes);
      uint64_t status = 0;
      while (log.Next()) {
        if (log.field().number == 1 && log.field().IsNumber()) status = log.field().value;
      }
      if (log.bad()) return Malformed(event);
      if (status == kSessionStart) {
        series_.AddRestart({event.step, event.wall_time, event.offset});
      }
    }
  }
}

void EventParser::ParseTaggedRunMetadata(std::string_view bytes, const Event& event) {
  std::string_view tag;
  std::string_view metadata;
  MessageReader reader(bytes);
  while (reader.Next()) {
    if (!reader.field().IsBytes()) continue;
    if (reader.field().number == 1) tag = reader.field().bytes;
    if (reader.field().number == 2) metadata = reader.field().bytes;
  }
  if (reader.bad()) return Malformed(event);
  if (metadata.data() == nullptr) metadata = bytes.substr(bytes.size());
  AddStored(TagOf(tag, plugin::kRunMetadata), metadata, event);
}

void EventParser::ParseValue(std::string_view value, const Event& event) {
  std::string_view tag;
  std::string_view node_name;
  std::string_view tensor;
  std::string_view metadata;
  float simple_value = 0;
  uint32_t kind = 0;  // of the oneof: the last one counts
  MessageReader reader(value);
  while (reader.Next()) {
    const Field& field = reader.field();
    switch (field.number) {
      case value_field::kTag:
        if (field.IsBytes()) tag = field.bytes;
        break;
      case value_field::kSimpleValue:
        if (field.type != WireType::kFixed32) break;
        simple_value = std::bit_cast<float>(static_cast<uint32_t>(field.value));
        kind = field.number;
        break;
      case value_field::kNodeName:
        if (field.IsBytes()) node_name = field.bytes;
        break;
      case value_field::kTensor:
        if (!field.IsBytes()) break;
        tensor = field.bytes;
        kind = field.number;
        break;
      case value_field::kMetadata:
        if (field.IsBytes()) metadata = field.bytes;
        break;
      case value_field::kOldHistogram:
      case value_field::kImage:
      case value_field::kHisto:
      case value_field::kAudio:
        if (field.IsBytes()) kind = field.number;
        break;
      default:
        break;
    }
  }
  if (reader.bad()) return Malformed(event);
  if (tag.empty()) tag = node_name;

  if (kind == value_field::kSimpleValue) {
    const uint32_t at = TagOf(tag, plugin::kScalars);
    SeriesTag& series = series_.tags[at];
    if (series.scalars.empty()) ParseOldMetadata(metadata, series);
    series.scalars.Append(event.step, event.wall_time, double{simple_value});
    return;
  }
  if (kind == value_field::kTensor) return ParseTensor(tag, tensor, metadata, value, event);
  std::string_view name = OldPlugin(kind);
  if (name.empty()) name = PluginNameOf(metadata);
  if (name.empty() || IsOpen(name)) {
    // A tag without a value (a video whose encoder was missing), or with one of a kind that
    // TensorBoard itself gave up.
    name = {};
    series_.diagnostics.Add(DiagnosticKind::kOtherValues, event.offset);
  }
  const uint32_t at = TagOf(tag, name);
  if (series_.tags[at].values.empty()) {
    if (OldPlugin(kind).empty()) {
      ParseMetadata(metadata, series_.tags[at]);
    } else {
      ParseOldMetadata(metadata, series_.tags[at]);
    }
  }
  AddStored(at, value, event);
}

void EventParser::ParseTensor(std::string_view tag, std::string_view tensor,
                              std::string_view metadata, std::string_view value,
                              const Event& event) {
  std::string_view name = metadata.empty() ? std::string_view() : PluginNameOf(metadata);
  if (IsOpen(name)) name = {};
  // Who named its plugin first decides; within this block that may be known already.
  const SeriesTag* known = FindRepaired(tag);
  while (known != nullptr && (known->plugin.empty() || IsOpen(known->plugin))) {
    known = known->next_of_tag == HashIndex::kNone ? nullptr : &series_.tags[known->next_of_tag];
  }
  if (name.empty() && known != nullptr) name = known->plugin;
  if (name == plugin::kScalars) {
    if (const std::optional<double> number = SingleNumber(tensor)) {
      SeriesTag& series = series_.tags[TagOf(tag, name)];
      if (!metadata.empty() && series.scalars.empty()) ParseMetadata(metadata, series);
      series.scalars.Append(event.step, event.wall_time, *number);
    } else {
      series_.diagnostics.Add(DiagnosticKind::kNotAScalar, event.offset);
      AddStored(TagOf(tag, plugin::kTensors), value, event);
    }
    return;
  }
  if (name.empty()) {
    const std::optional<double> number = SingleNumber(tensor);
    const uint32_t at = TagOf(tag, number ? kOpenNumber : kOpenValue);
    if (number) series_.tags[at].scalars.Append(event.step, event.wall_time, *number);
    return AddStored(at, value, event);
  }
  const uint32_t at = TagOf(tag, name);
  if (!metadata.empty() && series_.tags[at].values.empty()) {
    ParseMetadata(metadata, series_.tags[at]);
  }
  AddStored(at, value, event);
}

void EventParser::ParseOldMetadata(std::string_view bytes, SeriesTag& tag) {
  ParseMetadata(bytes, tag);
  if (tag.display_name.empty()) tag.display_name = tag.tag;
}

void EventParser::ParseMetadata(std::string_view bytes, SeriesTag& tag) {
  MessageReader reader(bytes);
  while (reader.Next()) {
    const Field& field = reader.field();
    switch (field.number) {
      case metadata_field::kPluginData: {
        MessageReader data(field.bytes);
        while (data.Next()) {
          if (data.field().number == 2 && data.field().IsBytes()) {
            tag.plugin_content = data.field().bytes;
          }
        }
        break;
      }
      case metadata_field::kDisplayName:
        if (field.IsBytes()) tag.display_name = RepairUtf8(field.bytes);
        break;
      case metadata_field::kDescription:
        if (field.IsBytes()) tag.description = RepairUtf8(field.bytes);
        break;
      case metadata_field::kDataClass:
        if (field.IsNumber() && field.value <= 3)
          tag.data_class = static_cast<uint8_t>(field.value);
        break;
      default:
        break;
    }
  }
}

void EventParser::AddStored(uint32_t tag, std::string_view bytes, const Event& event) {
  series_.tags[tag].values.push_back({event.step, event.wall_time,
                                      static_cast<uint64_t>(bytes.data() - event.base),
                                      bytes.size()});
}

uint32_t EventParser::TagOf(std::string_view tag, std::string_view plugin) {
  const auto is = [&](uint32_t i) {
    return series_.tags[i].tag == tag && series_.tags[i].plugin == plugin;
  };
  uint32_t at = last_ < next_.size() ? next_[last_] : HashIndex::kNone;
  if (at == HashIndex::kNone || !is(at)) {
    const SeriesTag* const found = series_.Find(tag, plugin);
    at =
        found != nullptr ? static_cast<uint32_t>(found - series_.tags.data()) : NewTag(tag, plugin);
    next_.resize(series_.tags.size(), HashIndex::kNone);
    if (last_ < next_.size()) next_[last_] = at;
  }
  last_ = at;
  return at;
}

const SeriesTag* EventParser::FindRepaired(std::string_view tag) const {
  if (const SeriesTag* const found = series_.Find(tag)) return found;
  const std::optional<std::string> repaired = ReplaceInvalidUtf8(tag);
  return repaired ? series_.Find(*repaired) : nullptr;
}

uint32_t EventParser::NewTag(std::string_view tag, std::string_view plugin) {
  const std::optional<std::string> repaired = ReplaceInvalidUtf8(tag);
  if (repaired) series_.diagnostics.Add(DiagnosticKind::kInvalidUtf8, record_);
  const std::optional<std::string> repaired_plugin = ReplaceInvalidUtf8(plugin);
  return series_.FindOrAdd(repaired ? std::string_view(*repaired) : tag,
                           repaired_plugin ? std::string_view(*repaired_plugin) : plugin);
}

}  // namespace telltale::tfevents
