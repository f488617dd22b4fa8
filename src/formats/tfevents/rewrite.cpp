// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/rewrite.h"

#include <cstring>

#include "base/protobuf.h"
#include "formats/tfevents/fields.h"
#include "formats/tfevents/record_cutter.h"
#include "formats/tfevents/records.h"
#include "formats/tfevents/writer.h"

namespace telltale::tfevents {

namespace {

using protobuf::Field;
using protobuf::MessageReader;
using protobuf::MessageWriter;

constexpr size_t kBlockBytes = size_t{1} << 20;

bool IsSound(std::string_view message) {
  MessageReader reader(message);
  while (reader.Next()) {
  }
  return !reader.bad();
}

std::string_view PluginOf(std::string_view metadata) {
  std::string_view name;
  for (MessageReader reader(metadata); reader.Next();) {
    if (reader.field().number != metadata_field::kPluginData || !reader.field().IsBytes()) continue;
    for (MessageReader data(reader.field().bytes); data.Next();) {
      if (data.field().number == 1 && data.field().IsBytes()) name = data.field().bytes;
    }
  }
  return name;
}

}  // namespace

bool Rewriter::Trim(std::string_view payload) {
  int64_t step = 0;
  bool is_start = false;
  bool has_summary = false;
  for (MessageReader reader(payload); reader.Next();) {
    const Field& field = reader.field();
    if (field.number == event_field::kStep && field.IsNumber()) step = field.Signed();
    is_start |= field.number == event_field::kSessionLog;
    has_summary |= field.number == event_field::kSummary && field.IsBytes();
  }
  if (is_start && !IsWanted(step)) return false;
  event_ = payload;
  if (!has_summary) return true;

  // Rebuilt value by value.
  MessageWriter summary;
  for (MessageReader reader(payload); reader.Next();) {
    if (reader.field().number != event_field::kSummary || !reader.field().IsBytes()) continue;
    for (MessageReader values(reader.field().bytes); values.Next();) {
      if (values.field().number != 1 || !values.field().IsBytes()) continue;
      const std::string_view value = values.field().bytes;
      std::string_view tag;
      std::optional<std::string_view> metadata;
      bool has_tensor = false;
      MessageReader parts(value);
      while (parts.Next()) {
        const Field& part = parts.field();
        if (!part.IsBytes()) continue;
        if (part.number == value_field::kTag) tag = part.bytes;
        if (part.number == value_field::kMetadata) metadata = part.bytes;
        has_tensor |= part.number == value_field::kTensor;
      }
      if (parts.bad()) {
        ++report_.damaged;
        continue;
      }
      auto known = tags_.find(tag);
      if (metadata && known == tags_.end()) {
        known = tags_.emplace(std::string(tag), Known{std::string(*metadata), false}).first;
      }
      const bool is_of_run = metadata && PluginOf(*metadata) == plugin::kHparams;
      if (!IsWanted(step) && !is_of_run) continue;
      MessageWriter whole;
      whole.Append(value);
      if (known != tags_.end()) {
        if (!metadata && has_tensor && !known->second.written) {
          whole.Bytes(value_field::kMetadata, known->second.metadata);
        }
        known->second.written |= metadata.has_value() || has_tensor;
      }
      summary.Bytes(1, whole.bytes());
    }
  }
  if (summary.size() == 0) return false;
  MessageWriter event;
  for (MessageReader reader(payload); reader.Next();) {
    const Field& field = reader.field();
    if (field.number == event_field::kWallTime && field.IsNumber()) {
      event.Fixed64(event_field::kWallTime, field.value);
    }
    if (field.number == event_field::kStep && field.IsNumber()) {
      event.Int(event_field::kStep, field.Signed());
    }
  }
  event.Bytes(event_field::kSummary, summary.bytes());
  event_ = event.bytes();
  return true;
}

void Rewriter::AddRecord(std::string_view payload, std::string_view record) {
  ++report_.events_in;
  if (!IsSound(payload)) {
    ++report_.damaged;
    return;
  }
  double wall_time = 0;
  bool is_version = false;
  for (MessageReader reader(payload); reader.Next();) {
    if (reader.field().number == event_field::kWallTime && reader.field().IsNumber()) {
      wall_time = reader.field().Double();
    }
    is_version |= reader.field().number == event_field::kFileVersion;
  }
  if (is_version) {
    if (has_version_) return;
    has_version_ = true;
    sink_.Write(record);
    ++report_.events_out;
    return;
  }
  if (!Trim(payload)) return;
  if (!has_version_) {
    has_version_ = true;
    EventWriter(sink_).Version(wall_time);
    ++report_.events_out;
  }
  record_.clear();
  AppendRecord(event_, record_);
  sink_.Write(record_);
  ++report_.events_out;
}

Result<void> Rewriter::Add(ByteSource& source) {
  RecordCutter cutter(source, 0, kBlockBytes);
  RecordBlock block;
  while (sink_.wanted()) {
    const Result<bool> more = cutter.Next(block);
    if (!more) return tl::unexpected(more.error());
    if (!*more) break;
    for (size_t at = 0; at < block.size;) {
      uint64_t length = 0;
      std::memcpy(&length, block.bytes.data() + at, 8);
      const char* const payload = block.bytes.data() + at + kHeaderBytes;
      if (PayloadIsSound(payload, length)) {
        AddRecord({payload, length}, {block.bytes.data() + at, length + kFrameBytes});
      } else {
        ++report_.events_in;
        ++report_.damaged;
      }
      at += length + kFrameBytes;
    }
  }
  for (const Gap& gap : cutter.gaps()) report_.lost_bytes += gap.bytes;
  report_.lost_bytes += cutter.rest_bytes();
  return {};
}

}  // namespace telltale::tfevents
