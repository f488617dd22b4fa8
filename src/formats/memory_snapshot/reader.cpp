// SPDX-License-Identifier: Apache-2.0
#include "formats/memory_snapshot/reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/origin.h"
#include "formats/json_walk.h"
#include "formats/memory_meter.h"

namespace telltale {

namespace {

using Token = JsonStream::Token;

// More devices than any machine has.
constexpr int64_t kMostDevices = 64;

std::optional<MemoryAction> ActionOf(std::string_view text) {
  if (text == "alloc") return MemoryAction::kAllocate;
  if (text == "free_requested") return MemoryAction::kFreeRequested;
  if (text == "free_completed") return MemoryAction::kFreeCompleted;
  if (text == "segment_alloc" || text == "segment_map") return MemoryAction::kReserve;
  if (text == "segment_free" || text == "segment_unmap") return MemoryAction::kUnreserve;
  if (text == "oom") return MemoryAction::kOutOfMemory;
  return std::nullopt;
}

BlockState StateOf(std::string_view text) {
  if (text == "active_allocated") return BlockState::kAllocated;
  if (text == "active_awaiting_free" || text == "active_pending_free")
    return BlockState::kAwaitingFree;
  if (text == "inactive") return BlockState::kFree;
  return BlockState::kOther;
}

// Whether a frame is the program's own Python; frames of C++ have no such file.
bool IsOwn(std::string_view file, std::string_view name) {
  return file.ends_with(".py") && OriginOf(file, name).own;
}

class SnapshotReader {
 public:
  SnapshotReader(ByteSource& source, const ReadOptions& options)
      : source_(source),
        walk_(source, options),
        held_(options.memory, [this] { return profile_.memory_bytes(); }) {}

  Result<MemoryProfile> Read() {
    const bool whole =
        walk_.Next() == Token::kBeginObject && walk_.Object([&](std::string_view key, Token token) {
          if (token != Token::kBeginArray) return walk_.json().Skip(token);
          if (key == "segments") {
            has_lists_ = true;
            return walk_.Array([&](Token t) { return Segment(t); });
          }
          if (key != "device_traces") return walk_.json().Skip(token);
          has_lists_ = true;
          int64_t device = 0;
          return walk_.Array([&](Token t) { return DeviceTrace(t, device++); });
        });
    JsonStream& json = walk_.json();
    if (json.input().error()) return tl::unexpected<Error>(*json.input().error());
    if (profile_.actions.size() == 0 && profile_.segments.empty()) {
      if (has_lists_ && whole) {
        return Fail(ErrorCode::kUnreadable,
                    "the memory snapshot is empty: it holds neither segments nor events; call "
                    "torch.cuda.memory._record_memory_history() before the work and take the "
                    "snapshot while its memory is in use",
                    0);
      }
      return Fail(ErrorCode::kUnreadable,
                  "expected a memory snapshot of torch, but " +
                      (json.problem().empty() ? "it has no segments" : json.problem()),
                  json.offset());
    }
    if (!whole) {
      profile_.diagnostics.AddWithDetail(
          json.truncated() ? DiagnosticKind::kTruncated : DiagnosticKind::kMalformedRecord,
          json.offset(),
          "the file is damaged (" + json.problem() + "); everything before that was read");
    }
    profile_.diagnostics.Merge(json.diagnostics());
    profile_.source.events = profile_.actions.size() + profile_.blocks.size();
    DescribeInput(source_, json.input(), profile_.source, profile_.diagnostics);
    return std::move(profile_);
  }

 private:
  // Index of a device; none beyond the most there can be.
  std::optional<uint32_t> DeviceOf(int64_t id) {
    for (size_t i = 0; i < profile_.devices.size(); ++i) {
      if (profile_.devices[i].id == id) return static_cast<uint32_t>(i);
    }
    if (id < 0 || profile_.devices.size() >= kMostDevices) return std::nullopt;
    profile_.devices.push_back({"cuda", id});
    return static_cast<uint32_t>(profile_.devices.size() - 1);
  }

  void Malformed(uint64_t offset) {
    profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
  }

  // A size or address: 0 or more.
  std::optional<int64_t> Amount(Token token, bool& good) {
    const std::optional<int64_t> number = walk_.Integer(token, good);
    return number && *number >= 0 ? number : std::nullopt;
  }

  bool Segment(Token token) {
    const uint64_t offset = walk_.json().offset();
    if (token != Token::kBeginObject) {
      Malformed(offset);
      return walk_.json().Skip(token);
    }
    SnapshotSegment segment;
    std::optional<int64_t> device = 0;
    const size_t first_block = profile_.blocks.size();
    bool good = true;
    const bool ended = walk_.Object([&](std::string_view key, Token value) {
      if (key == "device") {
        device = Amount(value, good);
      } else if (key == "address") {
        if (const auto address = Amount(value, good))
          segment.address = static_cast<uint64_t>(*address);
      } else if (key == "total_size") {
        segment.total_bytes = Amount(value, good).value_or(0);
      } else if (key == "allocated_size") {
        segment.allocated_bytes = Amount(value, good).value_or(0);
      } else if (key == "active_size") {
        segment.active_bytes = Amount(value, good).value_or(0);
      } else if (key == "blocks" && value == Token::kBeginArray) {
        return walk_.Array([&](Token block) { return Block(block); });
      } else {
        return walk_.json().Skip(value);
      }
      return good;
    });
    // A segment that was cut is kept with what it has.
    const std::optional<uint32_t> number = device ? DeviceOf(*device) : std::nullopt;
    if (!number) {
      Malformed(offset);
      profile_.blocks.resize(first_block);
      return ended;
    }
    segment.device = *number;
    // Old snapshots give blocks no address: they follow each other.
    uint64_t address = segment.address;
    for (size_t i = first_block; i < profile_.blocks.size(); ++i) {
      SnapshotBlock& block = profile_.blocks[i];
      block.segment = static_cast<uint32_t>(profile_.segments.size());
      if (block.address == kNoUint) block.address = address;
      if (address != kNoUint) address += static_cast<uint64_t>(block.bytes);
    }
    profile_.segments.push_back(segment);
    return ended;
  }

  bool Block(Token token) {
    if (token != Token::kBeginObject) {
      Malformed(walk_.json().offset());
      return walk_.json().Skip(token);
    }
    SnapshotBlock block;
    bool good = true;
    const bool ended = walk_.Object([&](std::string_view key, Token value) {
      if (key == "size") {
        block.bytes = Amount(value, good).value_or(0);
      } else if (key == "requested_size") {
        block.requested_bytes = Amount(value, good).value_or(kNoInt);
      } else if (key == "address") {
        if (const auto address = Amount(value, good))
          block.address = static_cast<uint64_t>(*address);
      } else if (key == "state" && value == Token::kString) {
        block.state = StateOf(walk_.json().text());
      } else if (key == "frames" && value == Token::kBeginArray) {
        return Frames(block.frame);
      } else if (key == "history" && value == Token::kBeginArray) {
        return walk_.Array([&](Token entry) { return History(entry, block); });
      } else {
        return walk_.json().Skip(value);
      }
      return good;
    });
    profile_.blocks.push_back(block);
    return ended;
  }

  // Before torch 2.1 frames and size of a block are in its latest history entry.
  bool History(Token token, SnapshotBlock& block) {
    if (token != Token::kBeginObject) return walk_.json().Skip(token);
    bool good = true;
    return walk_.Object([&](std::string_view key, Token value) {
      if (key == "frames" && value == Token::kBeginArray && block.frame == kNoString)
        return Frames(block.frame);
      if (key == "real_size" && block.requested_bytes == kNoInt) {
        block.requested_bytes = Amount(value, good).value_or(kNoInt);
        return good;
      }
      return walk_.json().Skip(value);
    });
  }

  bool DeviceTrace(Token token, int64_t device) {
    if (token != Token::kBeginArray) {
      Malformed(walk_.json().offset());
      return walk_.json().Skip(token);
    }
    return walk_.Array([&](Token entry) { return TraceEntry(entry, device); });
  }

  bool TraceEntry(Token token, int64_t device) {
    const uint64_t offset = walk_.json().offset();
    if (token != Token::kBeginObject) {
      Malformed(offset);
      return walk_.json().Skip(token);
    }
    std::optional<MemoryAction> action;
    bool known = false;
    std::optional<int64_t> bytes;
    std::optional<int64_t> address;
    int64_t time_ns = kNoInt;
    StringId frame = kNoString;
    bool good = true;
    const bool ended = walk_.Object([&](std::string_view key, Token value) {
      if (key == "action" && value == Token::kString) {
        action = ActionOf(walk_.json().text());
        known = action.has_value() || walk_.json().text() == "snapshot";
      } else if (key == "size") {
        bytes = Amount(value, good);
      } else if (key == "addr") {
        address = Amount(value, good);
      } else if (key == "time_us") {
        time_ns = walk_.Integer(value, good, 3).value_or(kNoInt);
      } else if (key == "frames" && value == Token::kBeginArray) {
        return Frames(frame);
      } else {
        return walk_.json().Skip(value);
      }
      return good;
    });
    if (!ended) return false;
    const std::optional<uint32_t> number = DeviceOf(device);
    if (!known || !number || (action && !bytes)) {
      Malformed(offset);
      return true;
    }
    if (!action) return true;  // a mark without memory
    MemoryActionTable& actions = profile_.actions;
    actions.time_ns.push_back(time_ns);
    actions.device.push_back(*number);
    actions.action.push_back(*action);
    actions.bytes.push_back(*bytes);
    actions.address.push_back(address ? static_cast<uint64_t>(*address) : kNoUint);
    actions.category.push_back(kNoMemoryCategory);
    actions.frame.push_back(frame);
    return true;
  }

  // The innermost frame of the program itself, else the innermost of all, as "file:line function".
  bool Frames(StringId& frame) {
    bool own = false;
    return walk_.Array([&](Token token) {
      if (token != Token::kBeginObject || own) return walk_.json().Skip(token);
      std::string file;
      std::string name;
      int64_t line = 0;
      bool good = true;
      const bool ended = walk_.Object([&](std::string_view key, Token value) {
        if (key == "filename" && value == Token::kString) {
          file = walk_.json().text();
        } else if (key == "name" && value == Token::kString) {
          name = walk_.json().text();
        } else if (key == "line") {
          line = walk_.Integer(value, good).value_or(0);
        } else {
          return walk_.json().Skip(value);
        }
        return good;
      });
      if (!ended) return false;
      own = IsOwn(file, name);
      if (own || frame == kNoString) {
        std::string text = file;
        if (line > 0) text += ":" + std::to_string(line);
        if (!name.empty()) text += (text.empty() ? "" : " ") + name;
        frame = profile_.strings.Intern(text);
      }
      return true;
    });
  }

  ByteSource& source_;
  JsonWalk walk_;
  MemoryProfile profile_;
  bool has_lists_ = false;
  HeldMemory held_;
};

bool Matches(std::string_view head, std::string_view /*path*/) {
  const JsonHead json(head);
  if (json.Has("traceEvents")) return false;
  return json.Has("segments.total_size") || json.Has("segments.blocks") ||
         (json.Has("segments") && json.Has("device_traces")) || json.Has("device_traces.action");
}

Result<MemoryProfile> Read(ByteSource& source, const ReadOptions& options) {
  return SnapshotReader(source, options).Read();
}

}  // namespace

Format MemorySnapshotFormat() {
  return {.name = "memory_snapshot",
          .kind = ContentKind::kMemory,
          .shown = "torch's memory snapshot (JSON)",
          .endings = {".json"},
          .matches = &Matches,
          .read = ReadAs<&Read>};
}

}  // namespace telltale
