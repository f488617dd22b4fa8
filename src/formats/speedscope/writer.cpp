// SPDX-License-Identifier: Apache-2.0
#include "formats/speedscope/writer.h"

#include <algorithm>
#include <span>
#include <vector>

#include "base/json_writer.h"
#include "formats/buffered_input.h"

namespace telltale {

namespace {

std::string_view UnitName(ValueUnit unit) {
  switch (unit) {
    case ValueUnit::kNanoseconds:
      return "nanoseconds";
    case ValueUnit::kBytes:
      return "bytes";
    case ValueUnit::kSamples:
    case ValueUnit::kCount:
      return "none";
  }
  return "none";
}

void WriteFrames(const FunctionProfile& profile, JsonWriter& json) {
  json.Key("shared");
  json.BeginObject();
  json.Key("frames");
  json.BeginArray();
  for (const Function& function : profile.functions) {
    json.BeginObject();
    json.Field("name", profile.Text(function.name));
    const StringId place = function.file != kNoString ? function.file : function.module;
    if (place != kNoString) json.Field("file", profile.Text(place));
    if (function.line != kNoInt) json.Field("line", function.line);
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
}

// Opens and closes frames so that one node after the other is on top.
class EventWriter {
 public:
  EventWriter(const CallTree& tree, JsonWriter& json) : tree_(tree), json_(json) {
    for (size_t node = 0; node < tree.size(); ++node) {
      const CallNodeId parent = tree.parent[node];
      depth_.push_back(parent == kNoCallNode ? 1 : depth_[parent] + 1);
    }
  }

  void Go(CallNodeId to, int64_t at) {
    opened_.clear();
    while (Depth(to) > Depth(top_)) Push(to);
    while (Depth(top_) > Depth(to)) Close(at);
    while (to != top_) {
      Close(at);
      Push(to);
    }
    for (size_t i = opened_.size(); i-- > 0;) Event("O", at, tree_.function[opened_[i]]);
    top_ = opened_.empty() ? top_ : opened_.front();
  }

 private:
  [[nodiscard]] uint32_t Depth(CallNodeId node) const {
    return node == kNoCallNode ? 0 : depth_[node];
  }
  void Push(CallNodeId& node) {
    opened_.push_back(node);
    node = tree_.parent[node];
  }
  void Close(int64_t at) {
    Event("C", at, tree_.function[top_]);
    top_ = tree_.parent[top_];
  }
  void Event(const char* type, int64_t at, FunctionId frame) {
    json_.BeginObject();
    json_.Field("type", type);
    json_.Field("frame", frame);
    json_.Field("at", at);
    json_.EndObject();
  }

  const CallTree& tree_;
  JsonWriter& json_;
  Column<uint32_t> depth_;
  std::vector<CallNodeId> opened_;  // innermost first
  CallNodeId top_ = kNoCallNode;
};

int64_t EndOf(const TopOfStack& top) { return AddSaturated(top.start, top.length); }

void WriteEvented(const FunctionProfile& profile, JsonWriter& json) {
  EventWriter events(profile.tree, json);
  std::vector<TopOfStack> timeline = profile.timeline;
  std::ranges::stable_sort(timeline, {}, &TopOfStack::thread);
  for (size_t first = 0; first < timeline.size();) {
    size_t last = first;
    while (last < timeline.size() && timeline[last].thread == timeline[first].thread) ++last;
    const std::span<const TopOfStack> stretches(timeline.data() + first, last - first);
    const uint32_t thread = stretches.front().thread;
    json.BeginObject();
    json.Field("type", "evented");
    json.Field("name", thread < profile.threads.size() ? profile.threads[thread]
                                                       : "thread " + std::to_string(thread));
    json.Field("unit", UnitName(profile.unit));
    json.Field("startValue", 0);
    json.Field("endValue", EndOf(stretches.back()));
    json.Key("events");
    json.BeginArray();
    int64_t end = 0;
    for (const TopOfStack& top : stretches) {
      if (top.start > end) events.Go(kNoCallNode, end);
      events.Go(top.node, top.start);
      end = EndOf(top);
    }
    events.Go(kNoCallNode, end);
    json.EndArray();
    json.EndObject();
    first = last;
  }
}

void WriteSampled(const FunctionProfile& profile, JsonWriter& json) {
  const CallTree& tree = profile.tree;
  int64_t total = 0;
  for (const int64_t self : tree.self) total = AddSaturated(total, std::max<int64_t>(self, 0));
  json.BeginObject();
  json.Field("type", "sampled");
  json.Field("name", profile.source.path.empty() ? "profile" : profile.source.path);
  json.Field("unit", UnitName(profile.unit));
  json.Field("startValue", 0);
  json.Field("endValue", total);
  json.Key("samples");
  json.BeginArray();
  std::vector<FunctionId> path;
  for (CallNodeId node = 0; node < tree.size(); ++node) {
    if (tree.self[node] <= 0) continue;
    path.clear();
    for (CallNodeId up = node; up != kNoCallNode; up = tree.parent[up]) {
      path.push_back(tree.function[up]);
    }
    json.BeginArray();
    for (size_t i = path.size(); i-- > 0;) json.Int(path[i]);
    json.EndArray();
  }
  json.EndArray();
  json.Key("weights");
  json.BeginArray();
  for (const int64_t self : tree.self) {
    if (self > 0) json.Int(self);
  }
  json.EndArray();
  json.EndObject();
}

}  // namespace

Result<std::string> WriteSpeedscope(const FunctionProfile& profile) {
  if (profile.shape != FunctionShape::kTree) {
    return Fail(
        ErrorCode::kUsage,
        "the profile holds totals of functions and of caller and callee, but no call paths; "
        "a speedscope file cannot be made of it");
  }
  JsonWriter json(false);
  json.BeginObject();
  json.Field("$schema", "https://www.speedscope.app/file-format-schema.json");
  json.Field("exporter", "telltale");
  json.Field("name", profile.source.path.empty() ? "profile" : profile.source.path);
  json.Field("activeProfileIndex", 0);
  WriteFrames(profile, json);
  json.Key("profiles");
  json.BeginArray();
  if (profile.timeline.empty()) {
    WriteSampled(profile, json);
  } else {
    WriteEvented(profile, json);
  }
  json.EndArray();
  json.EndObject();
  return json.Take();
}

}  // namespace telltale
