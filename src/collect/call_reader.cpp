// SPDX-License-Identifier: Apache-2.0
#include "collect/call_reader.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/utf8.h"
#include "formats/buffered_input.h"

namespace telltale {

namespace {

using record::CallExtent;
using record::CallFunction;
using record::CallHeader;
using record::CallKind;
using record::CallNode;
using record::kCallExtentBytes;

template <typename T>
T At(std::string_view bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

bool IsKind(uint32_t kind) {
  return kind >= static_cast<uint32_t>(CallKind::kThread) &&
         kind <= static_cast<uint32_t>(CallKind::kAction);
}

class Reader {
 public:
  Reader(std::string_view bytes, int64_t end_ns) : bytes_(bytes), end_ns_(end_ns) {}

  Result<RecordedCalls> Read() {
    if (bytes_.size() < kCallExtentBytes ||
        bytes_.substr(0, sizeof record::kCallMagic) !=
            std::string_view(record::kCallMagic, sizeof record::kCallMagic)) {
      return Fail(ErrorCode::kUnreadable, "expected the calls of a process (TLCALL01)");
    }
    header_ = At<CallHeader>(bytes_, 0);
    if (header_.version != record::kCallLayoutVersion || header_.extent_bytes != kCallExtentBytes) {
      return Fail(ErrorCode::kUnreadable,
                  fmt::format("the calls of the process have layout {}, which is not known here",
                              header_.version));
    }
    if (!(header_.ticks_per_second > 1e3 && header_.ticks_per_second < 1e12)) {
      header_.ticks_per_second = 1e9;
    }
    FindEnd();
    out_.start_ns = header_.first_wall_ns;
    out_.uncounted = header_.uncounted;
    const size_t extents = std::min<size_t>(
        {header_.extent_count, record::kMostCallExtents, bytes_.size() / kCallExtentBytes});
    for (size_t i = 1; i < extents; ++i) {
      if (header_.kinds[i] == static_cast<uint8_t>(CallExtent::kFunctions)) TakeFunctions(i);
    }
    for (size_t i = 1; i < extents; ++i) {
      if (header_.kinds[i] == static_cast<uint8_t>(CallExtent::kNodes)) TakeNodes(i);
    }
    Subtract();
    return std::move(out_);
  }

 private:
  // When calls end that have not: with the process, if it did not close the file.
  void FindEnd() {
    end_ticks_ = header_.last_ticks;
    if (header_.state == static_cast<uint32_t>(record::CallState::kClosed)) return;
    const double ns = static_cast<double>(end_ns_) - static_cast<double>(header_.first_wall_ns);
    const double ticks = ns / 1e9 * header_.ticks_per_second;
    constexpr double kMostTicks = 1e18;
    if (ticks <= 0 || ticks > kMostTicks) return;
    end_ticks_ = std::max(end_ticks_, header_.first_ticks + static_cast<uint64_t>(ticks));
  }

  void TakeFunctions(size_t extent) {
    const std::string_view all = bytes_.substr(extent * kCallExtentBytes, kCallExtentBytes);
    size_t at = 0;
    while (out_.functions.size() < header_.function_count &&
           at + sizeof(CallFunction) <= all.size()) {
      const auto head = At<CallFunction>(all, at);
      if (head.bytes == 0) return;
      const uint64_t texts = uint64_t{head.file_bytes} + head.name_bytes;
      if (head.bytes % 8 != 0 || head.bytes > all.size() - at || !IsKind(head.kind) ||
          sizeof head + texts > head.bytes) {
        ++out_.damaged;
        return;
      }
      const size_t text = at + sizeof head;
      out_.functions.push_back(
          {static_cast<CallKind>(head.kind), head.line, all.substr(text, head.file_bytes),
           all.substr(text + head.file_bytes, head.name_bytes), head.uncounted});
      at += head.bytes;
    }
  }

  void TakeNodes(size_t extent) {
    const size_t begin = extent * kCallExtentBytes;
    for (size_t i = 0; i < record::kNodesInExtent && out_.paths.size() < header_.node_count; ++i) {
      const auto node = At<CallNode>(bytes_, begin + i * sizeof(CallNode));
      RecordedPath path;
      path.function = node.function;
      path.calls = node.calls;
      path.parent = node.parent == 0 ? kNoCallNode : node.parent - 1;
      uint64_t ticks = node.ticks;
      if (node.entered != 0 && node.entered < end_ticks_) ticks += end_ticks_ - node.entered;
      path.total_ns = Nanoseconds(ticks);
      const bool has_parent = path.parent != kNoCallNode;
      const bool is_good = path.function < out_.functions.size() &&
                           (!has_parent || path.parent < out_.paths.size()) &&
                           has_parent == (out_.functions[path.function].kind != CallKind::kThread);
      if (!is_good) {
        ++out_.damaged;
        // Keeps its number, and belongs to nothing.
        path = {};
        path.function = UINT32_MAX;
      }
      out_.paths.push_back(path);
    }
  }

  [[nodiscard]] int64_t Nanoseconds(uint64_t ticks) const {
    const double ns = static_cast<double>(ticks) * 1e9 / header_.ticks_per_second;
    constexpr double kMost = 9e18;
    return ns < kMost ? static_cast<int64_t>(ns) : 0;
  }

  // What a path took itself. Threads have no time of their own.
  void Subtract() {
    for (RecordedPath& path : out_.paths) path.self_ns = path.total_ns;
    for (const RecordedPath& path : out_.paths) {
      if (path.parent == kNoCallNode) continue;
      RecordedPath& parent = out_.paths[path.parent];
      parent.self_ns = std::max<int64_t>(0, parent.self_ns - path.total_ns);
    }
    for (RecordedPath& path : out_.paths) {
      if (path.parent == kNoCallNode) path.self_ns = 0;
    }
  }

  std::string_view bytes_;
  int64_t end_ns_;
  CallHeader header_ = {};
  uint64_t end_ticks_ = 0;
  RecordedCalls out_;
};

// Puts paths of a recording into a profile. Actions are no functions: what is called in them is
// called by whoever is in them.
class ProfileMaker {
 public:
  explicit ProfileMaker(const RecordedCalls& calls)
      : calls_(calls), builder_(profile_), ids_(calls.functions.size(), kNoFunction) {
    profile_.unit = ValueUnit::kNanoseconds;
    profile_.start_ns = calls.start_ns;
    profile_.source.format = "calls";
  }

  // Under `parent`, a node of the profile. The node that its own children belong under.
  CallNodeId Add(uint32_t path, CallNodeId parent) {
    const RecordedPath& from = calls_.paths[path];
    const CallKind kind = calls_.functions[from.function].kind;
    if (kind == CallKind::kFunction || kind == CallKind::kNative) {
      parent = builder_.Child(parent, IdOf(from.function));
      profile_.tree.calls[parent] += from.calls;
    }
    if (parent != kNoCallNode) {
      int64_t& self = profile_.tree.self[parent];
      self = AddSaturated(self, from.self_ns);
    }
    return parent;
  }

  CallNodeId AddThread(std::string_view name) {
    return builder_.Child(
        kNoCallNode, builder_.FunctionOf({}, kNoInt, fmt::format("<thread {}>", RepairUtf8(name))));
  }

  // Calls whose paths are not known: of nobody.
  void AddUncounted() {
    for (uint32_t i = 0; i < calls_.functions.size(); ++i) {
      if (calls_.functions[i].uncounted == 0) continue;
      const CallNodeId node = builder_.Child(kNoCallNode, IdOf(i));
      profile_.tree.calls[node] += calls_.functions[i].uncounted;
    }
  }

  FunctionProfile Take() { return std::move(profile_); }

 private:
  FunctionId IdOf(uint32_t number) {
    FunctionId& id = ids_[number];
    if (id == kNoFunction) {
      const RecordedFunction& function = calls_.functions[number];
      const std::string file = RepairUtf8(function.file);
      const bool has_file = function.kind == CallKind::kFunction;
      id = builder_.FunctionOf(has_file ? std::string_view(file) : std::string_view(),
                               has_file ? function.line : kNoInt, RepairUtf8(function.name));
    }
    return id;
  }

  const RecordedCalls& calls_;
  FunctionProfile profile_;
  CallTreeBuilder builder_;
  std::vector<FunctionId> ids_;
};

bool IsGood(const RecordedPath& path) { return path.function != UINT32_MAX; }

}  // namespace

Result<RecordedCalls> ReadCalls(std::string_view bytes, int64_t end_ns) {
  return Reader(bytes, end_ns).Read();
}

FunctionProfile ProfileOf(const RecordedCalls& calls, bool names_threads) {
  ProfileMaker maker(calls);
  std::vector<CallNodeId> place(calls.paths.size(), kNoCallNode);
  bool is_first = true;
  for (uint32_t i = 0; i < calls.paths.size(); ++i) {
    const RecordedPath& path = calls.paths[i];
    if (!IsGood(path)) continue;
    if (path.parent != kNoCallNode) {
      place[i] = maker.Add(i, place[path.parent]);
    } else if (!is_first && names_threads) {
      place[i] = maker.AddThread(calls.functions[path.function].name);
    }
    is_first = false;
  }
  maker.AddUncounted();
  return maker.Take();
}

std::vector<ActionProfile> ActionProfilesOf(const RecordedCalls& calls, size_t most,
                                            double least_share) {
  // What the actions took, and where each begins.
  std::map<std::string_view, int64_t> total_of;
  const auto function_of = [&](uint32_t path) -> const RecordedFunction& {
    return calls.functions[calls.paths[path].function];
  };
  const auto is_action = [&](uint32_t path) { return function_of(path).kind == CallKind::kAction; };
  // Whether the action of that name is open around a path. Nobody nests deeper than that; a
  // hostile file would have us walk for ever.
  constexpr int kDeepest = 10'000;
  const auto is_inside = [&](uint32_t path, std::string_view name) {
    int depth = 0;
    for (uint32_t at = calls.paths[path].parent; at != kNoCallNode && ++depth < kDeepest;
         at = calls.paths[at].parent) {
      if (IsGood(calls.paths[at]) && is_action(at) && function_of(at).name == name) return true;
    }
    return false;
  };
  std::vector<bool> begins(calls.paths.size());
  for (uint32_t i = 0; i < calls.paths.size(); ++i) {
    const RecordedPath& path = calls.paths[i];
    if (!IsGood(path)) continue;
    if (!is_action(i) || is_inside(i, function_of(i).name)) continue;
    begins[i] = true;
    int64_t& total_ns = total_of[function_of(i).name];
    total_ns = AddSaturated(total_ns, path.total_ns);
  }
  std::vector<std::pair<std::string_view, int64_t>> chosen(total_of.begin(), total_of.end());
  std::ranges::stable_sort(chosen, std::ranges::greater(),
                           [](const auto& item) { return item.second; });
  if (chosen.size() > most) chosen.resize(most);
  const int64_t most_ns = chosen.empty() ? 0 : chosen.front().second;
  std::erase_if(chosen, [&](const auto& item) {
    return static_cast<double>(item.second) < least_share * static_cast<double>(most_ns);
  });
  std::vector<ActionProfile> out;
  for (const auto& [name, total_ns] : chosen) {
    ProfileMaker maker(calls);
    std::vector<std::optional<CallNodeId>> place(calls.paths.size());
    for (uint32_t i = 0; i < calls.paths.size(); ++i) {
      const RecordedPath& path = calls.paths[i];
      if (!IsGood(path)) continue;
      if (begins[i] && function_of(i).name == name) {
        place[i] = kNoCallNode;
      } else if (path.parent != kNoCallNode && place[path.parent]) {
        place[i] = maker.Add(i, *place[path.parent]);
      }
    }
    out.push_back({name, total_ns, maker.Take()});
  }
  return out;
}

}  // namespace telltale
