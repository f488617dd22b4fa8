// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/writer.h"

#include <bit>
#include <cmath>

#include "formats/tfevents/fields.h"
#include "formats/tfevents/records.h"

namespace telltale::tfevents {

namespace {

void AppendNumber(uint64_t number, size_t bytes, std::string& out) {
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(number >> (8 * i));
}

void WriteMetadata(const SeriesTag& series, protobuf::MessageWriter& out) {
  const size_t metadata = out.Begin(value_field::kMetadata);
  const size_t data = out.Begin(metadata_field::kPluginData);
  out.Bytes(1, series.plugin);
  if (!series.plugin_content.empty()) out.Bytes(2, series.plugin_content);
  out.End(data);
  if (!series.display_name.empty()) out.Bytes(metadata_field::kDisplayName, series.display_name);
  if (!series.description.empty()) out.Bytes(metadata_field::kDescription, series.description);
  if (series.data_class != 0) out.Uint(metadata_field::kDataClass, series.data_class);
  out.End(metadata);
}

bool FitsFloat(double value) {
  return std::isnan(value) || double{static_cast<float>(value)} == value;
}

}  // namespace

void AppendRecord(std::string_view payload, std::string& out) {
  const size_t begin = out.size();
  AppendNumber(payload.size(), 8, out);
  AppendNumber(MaskedCrc({out.data() + begin, 8}), 4, out);
  out.append(payload);
  AppendNumber(MaskedCrc(payload), 4, out);
}

void EventWriter::Begin(int64_t step, double wall_time) {
  Version(wall_time);
  event_.Clear();
  event_.Double(event_field::kWallTime, wall_time);
  if (step != 0) event_.Int(event_field::kStep, step);
}

void EventWriter::Write() {
  record_.clear();
  AppendRecord(event_.bytes(), record_);
  sink_.Write(record_);
  ++events_;
}

void EventWriter::Version(double wall_time) {
  if (has_version_) return;
  has_version_ = true;
  event_.Clear();
  event_.Double(event_field::kWallTime, wall_time);
  event_.Bytes(event_field::kFileVersion, kVersion);
  const size_t source = event_.Begin(event_field::kSourceMetadata);
  event_.Bytes(1, "telltale");
  event_.End(source);
  Write();
}

void EventWriter::Scalar(const SeriesTag& series, const ScalarPoint& point, bool is_first) {
  Begin(point.step, point.wall_time);
  const size_t summary = event_.Begin(event_field::kSummary);
  const size_t value = event_.Begin(1);
  event_.Bytes(value_field::kTag, series.tag);
  const bool fits = FitsFloat(point.value);
  if (fits) {
    event_.Float(value_field::kSimpleValue, static_cast<float>(point.value));
  } else {
    const size_t tensor = event_.Begin(value_field::kTensor);
    event_.Uint(tensor_field::kDtype, static_cast<uint64_t>(DataType::kDouble));
    event_.End(event_.Begin(tensor_field::kShape));
    event_.Double(tensor_field::kDouble, point.value);
    event_.End(tensor);
  }
  const bool says_something = !series.display_name.empty() || !series.description.empty();
  if (!fits || (is_first && says_something)) WriteMetadata(series, event_);
  event_.End(value);
  event_.End(summary);
  Write();
}

void EventWriter::Text(std::string_view tag, std::string_view text, int64_t step,
                       double wall_time) {
  Begin(step, wall_time);
  const size_t summary = event_.Begin(event_field::kSummary);
  const size_t value = event_.Begin(1);
  event_.Bytes(value_field::kTag, tag);
  const size_t tensor = event_.Begin(value_field::kTensor);
  event_.Uint(tensor_field::kDtype, static_cast<uint64_t>(DataType::kString));
  const size_t shape = event_.Begin(tensor_field::kShape);
  const size_t dimension = event_.Begin(2);
  event_.Uint(1, 1);
  event_.End(dimension);
  event_.End(shape);
  event_.Bytes(tensor_field::kString, text);
  event_.End(tensor);
  const size_t metadata = event_.Begin(value_field::kMetadata);
  const size_t plugin = event_.Begin(metadata_field::kPluginData);
  event_.Bytes(1, "text");
  event_.End(plugin);
  event_.End(metadata);
  event_.End(value);
  event_.End(summary);
  Write();
}

void EventWriter::Value(std::string_view value, int64_t step, double wall_time) {
  Begin(step, wall_time);
  const size_t summary = event_.Begin(event_field::kSummary);
  event_.Bytes(1, value);
  event_.End(summary);
  Write();
}

void EventWriter::Field(uint32_t field, std::string_view bytes, int64_t step, double wall_time) {
  Begin(step, wall_time);
  event_.Bytes(field, bytes);
  Write();
}

void EventWriter::SessionStart(int64_t step, double wall_time) {
  Begin(step, wall_time);
  const size_t log = event_.Begin(event_field::kSessionLog);
  event_.Uint(1, kSessionStart);
  event_.End(log);
  Write();
}

}  // namespace telltale::tfevents
