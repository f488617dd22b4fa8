// SPDX-License-Identifier: Apache-2.0
// Event files made in tests, and what was read of them as text.
#pragma once

#include <bit>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/protobuf.h"
#include "formats/tfevents/fields.h"
#include "formats/tfevents/reader.h"
#include "formats/tfevents/writer.h"
#include "io/byte_source.h"

namespace telltale::tfevents {

struct EventFile {
  std::string bytes;
  std::vector<size_t> offsets;  // of its records

  void Record(std::string_view payload) {
    offsets.push_back(bytes.size());
    AppendRecord(payload, bytes);
  }
  void Version(std::string_view version = kVersion) {
    protobuf::MessageWriter event;
    event.Double(event_field::kWallTime, 100);
    event.Bytes(event_field::kFileVersion, version);
    Record(event.bytes());
  }
  // An event with these encoded values.
  void Summary(int64_t step, double wall_time, const std::vector<std::string>& values) {
    protobuf::MessageWriter event;
    event.Double(event_field::kWallTime, wall_time);
    if (step != 0) event.Int(event_field::kStep, step);
    const size_t summary = event.Begin(event_field::kSummary);
    for (const std::string& value : values) event.Bytes(1, value);
    event.End(summary);
    Record(event.bytes());
  }
  void Scalar(std::string_view tag, int64_t step, float value, double wall_time = 100) {
    Summary(step, wall_time, {ScalarValue(tag, value)});
  }
  void Start(int64_t step) {
    protobuf::MessageWriter event;
    event.Double(event_field::kWallTime, 100);
    event.Int(event_field::kStep, step);
    event.Bytes(event_field::kSessionLog, "\x08\x01");
    Record(event.bytes());
  }

  [[nodiscard]] static std::string ScalarValue(std::string_view tag, float value) {
    protobuf::MessageWriter out;
    out.Bytes(value_field::kTag, tag);
    out.Float(value_field::kSimpleValue, value);
    return std::string(out.bytes());
  }
  // `tensor`: encoded; without a plugin: no metadata.
  [[nodiscard]] static std::string TensorValue(std::string_view tag, std::string_view tensor,
                                               std::string_view plugin = {}) {
    protobuf::MessageWriter out;
    out.Bytes(value_field::kTag, tag);
    out.Bytes(value_field::kTensor, tensor);
    if (!plugin.empty()) {
      const size_t metadata = out.Begin(value_field::kMetadata);
      const size_t data = out.Begin(metadata_field::kPluginData);
      out.Bytes(1, plugin);
      out.End(data);
      out.Bytes(metadata_field::kDisplayName, "shown");
      out.End(metadata);
    }
    return std::string(out.bytes());
  }
  [[nodiscard]] static std::string DoubleTensor(double value) {
    protobuf::MessageWriter out;
    out.Uint(tensor_field::kDtype, static_cast<uint64_t>(DataType::kDouble));
    out.Bytes(tensor_field::kShape, "");
    out.Double(tensor_field::kDouble, value);
    return std::string(out.bytes());
  }
};

[[nodiscard]] inline Result<SeriesSet> ReadEvents(std::string_view bytes, size_t chunk = SIZE_MAX,
                                                  size_t block_bytes = 0, unsigned threads = 1) {
  ReadOptions options;
  options.threads = threads;
  options.block_bytes = block_bytes;
  const auto source = OpenMemory(bytes, chunk);
  Result<Artifact> artifact = TfeventsFormat().read(*source, options);
  if (!artifact) return tl::unexpected(artifact.error());
  return std::move(*artifact->As<SeriesSet>());
}

// All that was read, every bit of it.
[[nodiscard]] inline std::string Dump(const SeriesSet& set) {
  std::ostringstream text;
  text << "records " << set.source.events << '\n';
  const auto bits = [](double number) { return std::bit_cast<uint64_t>(number); };
  for (const SeriesTag& tag : set.tags) {
    text << tag.tag << '|' << tag.plugin << '|' << tag.display_name << '\n';
    tag.scalars.ForEach([&](size_t, const ScalarPoint& point) {
      text << "  " << point.step << ' ' << bits(point.wall_time) << ' ' << bits(point.value)
           << '\n';
    });
    for (const StoredValue& value : tag.values) {
      text << "  " << value.step << ' ' << bits(value.wall_time) << " @" << value.offset << '+'
           << value.bytes << '\n';
    }
    for (const RestartMark& mark : tag.restarts) {
      text << "  restart before " << mark.first_index << " at step " << mark.step << '\n';
    }
  }
  for (const Restart& restart : set.restarts) {
    text << "restart " << restart.step << " @" << restart.offset << '\n';
  }
  for (const Diagnostic& entry : set.diagnostics.entries()) {
    text << InfoOf(entry.kind).name << ' ' << entry.count << ' ' << entry.first_offset.value_or(0)
         << ' ' << entry.detail << '\n';
  }
  return text.str();
}

}  // namespace telltale::tfevents
