// SPDX-License-Identifier: Apache-2.0
#include "formats/memory_dump.h"

namespace telltale {

namespace {

std::string Number(int64_t value) { return value == kNoInt ? "-" : std::to_string(value); }
std::string Number(uint64_t value) { return value == kNoUint ? "-" : std::to_string(value); }

}  // namespace

std::string DumpMemory(const MemoryProfile& profile) {
  // Not the decoded bytes: how far beyond damage a text was taken in depends on the pieces.
  std::string out = std::to_string(profile.source.events) + " events\n";
  for (const MemoryDevice& device : profile.devices)
    out += "device " + device.type + " " + Number(device.id) + "\n";
  const MemoryActionTable& actions = profile.actions;
  for (size_t i = 0; i < actions.size(); ++i) {
    out += "action " + std::to_string(static_cast<int>(actions.action[i])) + " time " +
           Number(actions.time_ns[i]) + " device " + std::to_string(actions.device[i]) + " bytes " +
           Number(actions.bytes[i]) + " address " + Number(actions.address[i]) + " category " +
           std::to_string(actions.category[i]) + " frame ";
    out += profile.Text(actions.frame[i]);
    out += "\n";
  }
  for (const SnapshotSegment& segment : profile.segments) {
    out += "segment " + std::to_string(segment.device) + " " + Number(segment.address) + " " +
           Number(segment.total_bytes) + " " + Number(segment.allocated_bytes) + " " +
           Number(segment.active_bytes) + "\n";
  }
  for (const SnapshotBlock& block : profile.blocks) {
    out += "block " + std::to_string(block.segment) + " " + Number(block.address) + " " +
           Number(block.bytes) + " " + Number(block.requested_bytes) + " " +
           std::to_string(static_cast<int>(block.state)) + " ";
    out += profile.Text(block.frame);
    out += "\n";
  }
  for (const Diagnostic& diagnostic : profile.diagnostics.entries()) {
    out += "diagnostic " + std::string(InfoOf(diagnostic.kind).name) + " " +
           std::to_string(diagnostic.count) + " " +
           (diagnostic.first_offset ? std::to_string(*diagnostic.first_offset) : "-") + "\n";
  }
  return out;
}

std::string CheckMemory(const MemoryProfile& profile) {
  const MemoryActionTable& actions = profile.actions;
  const size_t size = actions.size();
  if (actions.device.size() != size || actions.action.size() != size ||
      actions.bytes.size() != size || actions.address.size() != size ||
      actions.category.size() != size || actions.frame.size() != size) {
    return "the columns differ in length";
  }
  for (size_t i = 0; i < size; ++i) {
    if (actions.device[i] >= profile.devices.size())
      return "an event of a device that is not there";
    const bool timeline = actions.action[i] == MemoryAction::kChange;
    if (timeline != (actions.category[i] < profile.categories.size()))
      return "a category without a timeline, or the other way round";
    if (!timeline && actions.bytes[i] < 0) return "a negative size";
  }
  for (const SnapshotSegment& segment : profile.segments) {
    if (segment.device >= profile.devices.size()) return "a segment of a device that is not there";
    if (segment.total_bytes < 0) return "a segment of negative size";
  }
  for (const SnapshotBlock& block : profile.blocks) {
    if (block.segment >= profile.segments.size()) return "a block of a segment that is not there";
    if (block.bytes < 0) return "a block of negative size";
  }
  return "";
}

Result<MemoryProfile> ReadMemory(const Format& format, std::string_view text, size_t chunk) {
  const std::unique_ptr<ByteSource> source = OpenMemory(text, chunk);
  Result<Artifact> artifact = format.read(*source, {});
  if (!artifact) return tl::unexpected(std::move(artifact.error()));
  return std::move(*artifact->As<MemoryProfile>());
}

}  // namespace telltale
