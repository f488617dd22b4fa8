// SPDX-License-Identifier: Apache-2.0
#include "formats/function_dump.h"

#include <memory>

#include "formats/collapsed/writer.h"

namespace telltale {

namespace {

std::string Number(int64_t value) { return value == kNoInt ? "-" : std::to_string(value); }
std::string Number(uint64_t value) { return value == kNoUint ? "-" : std::to_string(value); }

}  // namespace

std::string DumpFunctions(const FunctionProfile& profile) {
  std::string out = std::string(NameOf(profile.shape)) + " of " +
                    std::string(NameOf(profile.unit)) + ", " +
                    std::to_string(profile.source.events) + " events, " +
                    std::to_string(profile.source.decoded_bytes) + " bytes, start " +
                    Number(profile.start_ns) + "\n";
  for (const std::string& thread : profile.threads) out += "thread " + thread + "\n";
  for (const Function& function : profile.functions) {
    out += "function ";
    out += profile.Text(function.name);
    out += function.file == kNoString ? "" : " file ";
    out += profile.Text(function.file);
    out += " line " + Number(function.line);
    out += function.module == kNoString ? "" : " module ";
    out += profile.Text(function.module);
    out += "\n";
  }
  for (size_t node = 0; node < profile.tree.size(); ++node) {
    const CallNodeId parent = profile.tree.parent[node];
    out += "node " + (parent == kNoCallNode ? "-" : std::to_string(parent)) + " " +
           std::to_string(profile.tree.function[node]) + " " +
           std::to_string(profile.tree.self[node]) + " " + Number(profile.tree.calls[node]) + "\n";
  }
  for (const TopOfStack& top : profile.timeline) {
    out += "top " + std::to_string(top.node) + " " + std::to_string(top.thread) + " " +
           std::to_string(top.start) + " " + std::to_string(top.length) + "\n";
  }
  for (const TimeSlot& slot : profile.slots) {
    out += "slot " + std::to_string(slot.start) + " " + std::to_string(slot.end) + " " +
           std::to_string(slot.first) + "\n";
  }
  for (const uint32_t line : profile.lines) out += "at line " + std::to_string(line) + "\n";
  for (const FunctionTotals& totals : profile.totals) {
    out += "totals " + Number(totals.calls) + " " + Number(totals.primitive_calls) + " " +
           std::to_string(totals.self_s) + " " + std::to_string(totals.total_s) + "\n";
  }
  for (const Diagnostic& diagnostic : profile.diagnostics.entries()) {
    out += "diagnostic " + std::string(InfoOf(diagnostic.kind).name) + " " +
           std::to_string(diagnostic.count) + " " +
           (diagnostic.first_offset ? std::to_string(*diagnostic.first_offset) : "-") + "\n";
  }
  return out;
}

std::string CheckFunctions(const FunctionProfile& profile) {
  const CallTree& tree = profile.tree;
  const size_t size = tree.size();
  if (tree.function.size() != size || tree.self.size() != size || tree.calls.size() != size) {
    return "the columns of the tree differ in length";
  }
  for (size_t node = 0; node < size; ++node) {
    if (tree.parent[node] != kNoCallNode && tree.parent[node] >= node) {
      return "a node stands before its parent";
    }
    if (tree.function[node] >= profile.functions.size()) return "a node has no function";
    if (tree.self[node] < 0) return "a path has a negative value of its own";
  }
  for (const TopOfStack& top : profile.timeline) {
    if (top.node >= size) return "a stretch of the timeline has no node";
    if (top.thread >= profile.threads.size()) return "a stretch of the timeline has no thread";
    if (top.length <= 0 || top.start < 0) return "a stretch of the timeline has no length";
  }
  if (!profile.lines.empty() && profile.lines.size() != profile.timeline.size()) {
    return "a stretch of the timeline has no line";
  }
  if (!profile.thread_starts.empty() && profile.thread_starts.size() != profile.threads.size()) {
    return "a thread has no start";
  }
  for (size_t i = 0; i < profile.slots.size(); ++i) {
    const TimeSlot& slot = profile.slots[i];
    if (slot.end < slot.start || slot.first > profile.timeline.size()) return "a slot is nowhere";
    if (slot.first < (i == 0 ? 0 : profile.slots[i - 1].first)) return "slots are out of order";
  }
  if (profile.shape == FunctionShape::kTree) {
    if (!profile.totals.empty() || !profile.pairs.empty()) return "a tree has totals";
  } else {
    if (size != 0) return "a profile of pairs has a tree";
    if (profile.totals.size() != profile.functions.size()) return "a function has no totals";
  }
  return {};
}

Result<FunctionProfile> ReadFunctions(const Format& format, std::string_view text, size_t chunk,
                                      const ReadOptions& options) {
  const std::unique_ptr<ByteSource> source = OpenMemory(text, chunk);
  Result<Artifact> artifact = format.read(*source, options);
  if (!artifact) return tl::unexpected(std::move(artifact.error()));
  return std::move(*artifact->As<FunctionProfile>());
}

std::string PathsOf(const FunctionProfile& profile) {
  const Result<std::string> text = WriteCollapsed(profile);
  return text ? *text : text.error().message;
}

}  // namespace telltale
