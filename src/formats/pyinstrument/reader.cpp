// SPDX-License-Identifier: Apache-2.0
#include "formats/pyinstrument/reader.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "formats/json_stream.h"
#include "formats/memory_meter.h"
#include "formats/thread_timeline.h"

namespace telltale {

namespace pyinstrument {
namespace {

using Token = JsonStream::Token;

constexpr int kSecondsToNs = 9;

// name \0 file \0 line, then \1 and a letter for each attribute.
struct Identifier {
  std::string_view name;
  std::string_view file;
  int64_t line = kNoInt;
  bool is_thread = false;
};

Identifier SplitIdentifier(std::string_view text) {
  Identifier id;
  text = text.substr(0, text.find('\1'));
  const size_t name_end = text.find('\0');
  id.name = text.substr(0, name_end);
  if (name_end == std::string_view::npos) return id;
  text.remove_prefix(name_end + 1);
  const size_t file_end = text.find('\0');
  id.file = text.substr(0, file_end);
  id.is_thread = id.file == "<thread>";
  if (file_end != std::string_view::npos) {
    id.line = DecimalToInt(text.substr(file_end + 1), 0).value_or(kNoInt);
  }
  return id;
}

// One frame of root_frame's tree.
struct Frame {
  uint32_t parent = UINT32_MAX;
  StringId name = kEmptyString;
  StringId file = kNoString;
  int64_t line = kNoInt;
  int64_t time_ns = 0;
};

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options)
      : source_(source), json_(source, options), builder_(profile_), held_(options.memory, [this] {
          // A frame becomes a node, with two numbers on the way.
          return profile_.memory_bytes() + builder_.memory_bytes() +
                 frames_.size() * (sizeof(Frame) + 48) + MemoryOfNodes(threads_) +
                 timelines_.size() * sizeof(ThreadTimeline);
        }) {}

  Result<FunctionProfile> Read() {
    const bool whole = json_.Next() == Token::kBeginObject && ReadTopLevel();
    BufferedInput& input = json_.input();
    if (input.error()) return tl::unexpected<Error>(*input.error());
    if (!found_) {
      const std::string problem = json_.problem().empty()
                                      ? "there is neither root_frame nor frame_records"
                                      : json_.problem();
      return Fail(ErrorCode::kUnreadable, "expected a pyinstrument session, but " + problem,
                  json_.offset());
    }
    if (!whole) {
      profile_.diagnostics.AddWithDetail(
          json_.truncated() ? DiagnosticKind::kTruncated : DiagnosticKind::kMalformedRecord,
          json_.offset(),
          "the file is damaged (" + json_.problem() + "); everything before that was read");
    }
    AddFrames();
    for (uint64_t& calls : profile_.tree.calls) calls = kNoUint;
    profile_.diagnostics.Merge(json_.diagnostics());
    DescribeInput(source_, input, profile_);
    return std::move(profile_);
  }

 private:
  // False: broken.
  bool ReadTopLevel() {
    for (;;) {
      Token token = json_.Next();
      if (token == Token::kEndObject) return true;
      if (token != Token::kKey) return false;
      const std::string key(json_.text());
      token = json_.Next();
      if (key == "root_frame" && token == Token::kBeginObject) {
        found_ = true;
        if (!ReadFrames()) return false;
        continue;
      }
      if (key == "frame_records" && token == Token::kBeginArray) {
        found_ = true;
        if (!ReadRecords()) return false;
        continue;
      }
      if (key == "root_frame" && token == Token::kNull) found_ = true;  // no sample at all
      if (token == Token::kNumber) {
        if (key == "sample_count") {
          const int64_t count = DecimalToInt(json_.text(), 0).value_or(0);
          profile_.source.events = static_cast<uint64_t>(std::max<int64_t>(count, 0));
        }
        if (key == "start_time") {
          profile_.start_ns = DecimalToInt(json_.text(), kSecondsToNs).value_or(kNoInt);
        }
      }
      if (!json_.Skip(token)) return false;
    }
  }

  // root_frame: frames in frames, by "children". The first { has been read.
  bool ReadFrames() {
    std::vector<uint32_t> open;  // frames whose } has not come
    BeginFrame(open);
    std::string key;
    while (!open.empty()) {
      const Token token = json_.Next();
      Frame& frame = frames_[open.back()];
      switch (token) {
        case Token::kKey:
          key = json_.text();
          break;
        case Token::kString:
          if (key == "function") frame.name = profile_.strings.Intern(json_.text());
          if (key == "file_path") frame.file = profile_.strings.Intern(json_.text());
          break;
        case Token::kNumber:
          if (key == "line_no") frame.line = DecimalToInt(json_.text(), 0).value_or(kNoInt);
          if (key == "time") SetTime(frame);
          break;
        case Token::kBeginArray:
          if (key != "children" && !json_.Skip(token)) return false;
          break;
        case Token::kBeginObject:
          if (key == "children") {
            BeginFrame(open);
          } else if (!json_.Skip(token)) {
            return false;
          }
          break;
        case Token::kEndObject:
          open.pop_back();
          key = "children";  // what follows is in the list, or a key
          break;
        case Token::kEndArray:
        case Token::kTrue:
        case Token::kFalse:
        case Token::kNull:
          break;
        case Token::kEnd:
        case Token::kBroken:
          return false;
      }
    }
    return true;
  }

  void BeginFrame(std::vector<uint32_t>& open) {
    Frame frame;
    frame.parent = open.empty() ? UINT32_MAX : open.back();
    open.push_back(static_cast<uint32_t>(frames_.size()));
    frames_.push_back(frame);
  }

  void SetTime(Frame& frame) {
    const auto time = DecimalToInt(json_.text(), kSecondsToNs);
    if (!time) {
      profile_.diagnostics.Add(DiagnosticKind::kNumberOutOfRange, json_.offset());
    } else if (*time < 0) {
      profile_.diagnostics.Add(DiagnosticKind::kNegativeDuration, json_.offset());
    } else {
      frame.time_ns = *time;
    }
  }

  // The file has totals: what the children took goes.
  void AddFrames() {
    std::vector<int64_t> self;
    for (const Frame& frame : frames_) self.push_back(frame.time_ns);
    for (const Frame& frame : frames_) {
      if (frame.parent != UINT32_MAX) {
        self[frame.parent] = AddSaturated(self[frame.parent], -frame.time_ns);
      }
    }
    std::vector<CallNodeId> nodes;
    for (size_t i = 0; i < frames_.size(); ++i) {
      const Frame& frame = frames_[i];
      const std::string_view file =
          frame.file == kNoString ? std::string_view() : profile_.strings.Get(frame.file);
      const CallNodeId parent = frame.parent == UINT32_MAX ? kNoCallNode : nodes[frame.parent];
      nodes.push_back(builder_.Child(
          parent, builder_.FunctionOf(file, frame.line, profile_.strings.Get(frame.name))));
      // Six decimals: a rounded sum of children may exceed its parent.
      int64_t& value = profile_.tree.self[nodes.back()];
      value = AddSaturated(value, std::max<int64_t>(self[i], 0));
      if (self[i] < 0) {
        profile_.diagnostics.AddWithDetail(
            DiagnosticKind::kRoundedValues, std::nullopt,
            "times are rounded: some functions take less than the sum of what they call; their own "
            "time was taken as 0");
      }
    }
  }

  // [[frame, …], seconds], …; the first [ has been read.
  bool ReadRecords() {
    for (;;) {
      const Token token = json_.Next();
      if (token == Token::kEndArray) return true;
      if (token != Token::kBeginArray) {
        if (!json_.Skip(token)) return false;
        profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, json_.offset());
        continue;
      }
      if (!ReadRecord()) return false;
    }
  }

  bool ReadRecord() {
    const uint64_t offset = json_.offset();
    CallNodeId node = kNoCallNode;
    uint32_t thread = 0;
    bool has_path = false;
    std::optional<int64_t> time_ns;
    for (;;) {
      const Token token = json_.Next();
      if (token == Token::kEndArray) break;
      if (token == Token::kBeginArray && !has_path) {
        has_path = true;
        if (!ReadPath(node, thread)) return false;
        continue;
      }
      if (token == Token::kNumber) time_ns = DecimalToInt(json_.text(), kSecondsToNs);
      if (!json_.Skip(token)) return false;
    }
    if (!has_path || !time_ns) {
      profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
    } else if (*time_ns < 0) {
      profile_.diagnostics.Add(DiagnosticKind::kNegativeDuration, offset);
    } else {
      timelines_[thread].Add(node, *time_ns);
    }
    return true;
  }

  bool ReadPath(CallNodeId& node, uint32_t& thread) {
    std::optional<uint32_t> named;
    for (;;) {
      const Token token = json_.Next();
      if (token == Token::kEndArray) break;
      if (token != Token::kString) {
        if (!json_.Skip(token)) return false;
        continue;
      }
      const Identifier id = SplitIdentifier(json_.text());
      if (id.is_thread && node == kNoCallNode && !named) {
        named = Thread(id);
      } else {
        node = builder_.Child(node, builder_.FunctionOf(id.file, id.line, id.name));
      }
    }
    thread = named ? *named : Thread({});
    return true;
  }

  // A thread is known by its number; two may have the same name.
  uint32_t Thread(const Identifier& id) {
    const auto [at, is_new] =
        threads_.try_emplace(id.line, static_cast<uint32_t>(profile_.threads.size()));
    if (is_new) {
      profile_.threads.emplace_back(id.name);
      timelines_.emplace_back(profile_, at->second);
    }
    return at->second;
  }

  ByteSource& source_;
  JsonStream json_;
  FunctionProfile profile_;
  CallTreeBuilder builder_;
  std::vector<Frame> frames_;
  std::unordered_map<int64_t, uint32_t> threads_;  // by number
  std::vector<ThreadTimeline> timelines_;          // by index of the thread
  bool found_ = false;
  HeldMemory held_;
};

bool Matches(std::string_view head, std::string_view /*path*/) {
  const JsonHead json(head);
  if (json.Has("traceEvents") || !json.Has("sample_count")) return false;
  return json.Has("root_frame.function") || json.Has("frame_records") ||
         json.Has("start_call_stack") || (json.Has("root_frame") && json.Has("cpu_time"));
}

Result<FunctionProfile> Read(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options).Read();
}

}  // namespace
}  // namespace pyinstrument

Format PyinstrumentFormat() {
  return {.name = "pyinstrument",
          .shown = "a profile of pyinstrument",
          .endings = {".json", ".pyisession"},
          .matches = &pyinstrument::Matches,
          .read = ReadAs<&pyinstrument::Read>};
}

}  // namespace telltale
