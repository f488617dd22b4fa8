// SPDX-License-Identifier: Apache-2.0
#include "formats/pprof/writer.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "base/protobuf.h"
#include "formats/pprof/layout.h"

namespace telltale {

namespace pprof {

namespace {

using protobuf::MessageWriter;

std::string_view UnitName(ValueUnit unit) {
  switch (unit) {
    case ValueUnit::kNanoseconds:
      return "nanoseconds";
    case ValueUnit::kBytes:
      return "bytes";
    case ValueUnit::kSamples:
    case ValueUnit::kCount:
      return "count";
  }
  return "count";
}

std::string_view TypeName(ValueUnit unit) {
  switch (unit) {
    case ValueUnit::kNanoseconds:
      return "time";
    case ValueUnit::kBytes:
      return "space";
    case ValueUnit::kSamples:
      return "samples";
    case ValueUnit::kCount:
      return "count";
  }
  return "count";
}

class Writer {
 public:
  explicit Writer(const FunctionProfile& profile) : profile_(profile) {
    Text("");  // the first text is the empty one
    counts_calls_ =
        std::ranges::any_of(profile.tree.calls, [](uint64_t calls) { return calls != kNoUint; });
  }

  std::string Write() {
    if (counts_calls_) Type(kCallsType, "count");
    Type(TypeName(profile_.unit), UnitName(profile_.unit));
    for (CallNodeId node = 0; node < profile_.tree.size(); ++node) Sample(node);
    for (FunctionId function = 0; function < profile_.functions.size(); ++function) {
      Location(function);
    }
    for (const std::string_view text : texts_) out_.Bytes(kString, text);
    if (profile_.start_ns != kNoInt) out_.Int(kTimeNanos, profile_.start_ns);
    if (counts_calls_) out_.Uint(kDefaultSampleType, Text(TypeName(profile_.unit)));
    return out_.Take();
  }

 private:
  uint64_t Text(std::string_view text) {
    const auto [at, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return at->second;
  }

  void Type(std::string_view type, std::string_view unit) {
    const auto mark = out_.Begin(kSampleType);
    out_.Uint(kTypeName, Text(type));
    out_.Uint(kTypeUnit, Text(unit));
    out_.End(mark);
  }

  // Paths that neither took anything nor were called are part of longer ones.
  void Sample(CallNodeId node) {
    const CallTree& tree = profile_.tree;
    const uint64_t calls = tree.calls[node] == kNoUint ? 0 : tree.calls[node];
    if (tree.self[node] == 0 && calls == 0) return;
    const auto mark = out_.Begin(kSample);
    const auto locations = out_.Begin(kSampleLocations);
    for (CallNodeId at = node; at != kNoCallNode; at = tree.parent[at]) {
      out_.Packed(uint64_t{tree.function[at]} + 1);  // innermost first; 0 is no location
    }
    out_.End(locations);
    const auto values = out_.Begin(kSampleValues);
    if (counts_calls_) out_.Packed(calls);
    out_.Packed(static_cast<uint64_t>(tree.self[node]));
    out_.End(values);
    out_.End(mark);
  }

  // A function is a location of its own: which line of it was run is not known.
  void Location(FunctionId number) {
    const Function& function = profile_.functions[number];
    const uint64_t id = uint64_t{number} + 1;
    const auto location = out_.Begin(kLocation);
    out_.Uint(kLocationId, id);
    if (function.module != kNoString) out_.Uint(kLocationMapping, Mapping(function.module));
    const auto line = out_.Begin(kLocationLine);
    out_.Uint(kLineFunction, id);
    if (function.line != kNoInt) out_.Int(kLineNumber, function.line);
    out_.End(line);
    out_.End(location);
    const auto mark = out_.Begin(kFunction);
    out_.Uint(kFunctionId, id);
    out_.Uint(kFunctionName, Text(profile_.Text(function.name)));
    if (function.file != kNoString) out_.Uint(kFunctionFile, Text(profile_.Text(function.file)));
    if (function.line != kNoInt) out_.Int(kFunctionStartLine, function.line);
    out_.End(mark);
    for (; written_mappings_ < mappings_.size(); ++written_mappings_) {
      const auto mapping = out_.Begin(kMapping);
      out_.Uint(kMappingId, written_mappings_ + 1);
      out_.Uint(kMappingFile, Text(profile_.Text(mappings_[written_mappings_])));
      out_.End(mapping);
    }
  }

  uint64_t Mapping(StringId module) {
    const auto [at, is_new] = mapping_ids_.try_emplace(module, mapping_ids_.size() + 1);
    if (is_new) mappings_.push_back(module);
    return at->second;
  }

  const FunctionProfile& profile_;
  MessageWriter out_;
  bool counts_calls_ = false;
  std::unordered_map<std::string_view, uint64_t> numbers_;
  std::vector<std::string_view> texts_;
  std::unordered_map<StringId, uint64_t> mapping_ids_;
  std::vector<StringId> mappings_;
  size_t written_mappings_ = 0;
};

}  // namespace

}  // namespace pprof

Result<std::string> WritePprof(const FunctionProfile& profile) {
  if (profile.shape != FunctionShape::kTree) {
    return Fail(ErrorCode::kUsage,
                "a pprof profile holds call paths, but this one knows callers and callees only; "
                "convert it to a .prof instead");
  }
  return pprof::Writer(profile).Write();
}

}  // namespace telltale
