// SPDX-License-Identifier: Apache-2.0
// JSON gives no order to keys: frames may stand behind the profiles that use them, a unit behind
// the values that are measured in it. Frames are therefore numbers until the end, and values that
// come before their unit are held as text.
#include "formats/speedscope/reader.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "formats/json_stream.h"
#include "formats/memory_meter.h"
#include "formats/speedscope/thread_builder.h"
#include "formats/speedscope/writer.h"

namespace telltale {

namespace speedscope {
namespace {

using Token = JsonStream::Token;

struct Unit {
  ValueUnit unit = ValueUnit::kCount;
  int shift = 0;  // decimal places from the file's unit to ours
};

std::optional<Unit> UnitOf(std::string_view name) {
  if (name == "nanoseconds") return Unit{ValueUnit::kNanoseconds, 0};
  if (name == "microseconds") return Unit{ValueUnit::kNanoseconds, 3};
  if (name == "milliseconds") return Unit{ValueUnit::kNanoseconds, 6};
  if (name == "seconds") return Unit{ValueUnit::kNanoseconds, 9};
  if (name == "bytes") return Unit{ValueUnit::kBytes, 0};
  if (name == "none") return Unit{ValueUnit::kCount, 0};
  return std::nullopt;
}

// Numbers as they stand in the file, one after the other.
class NumberTexts {
 public:
  void Add(std::string_view text) {
    texts_ += text;
    texts_ += ' ';
    ++size_;
  }
  [[nodiscard]] size_t size() const { return size_; }
  [[nodiscard]] size_t memory_bytes() const { return texts_.capacity(); }
  // In order; empty at the end.
  std::string_view Take() {
    const size_t end = texts_.find(' ', at_);
    if (end == std::string::npos) return {};
    const std::string_view text = std::string_view(texts_).substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

 private:
  std::string texts_;
  size_t at_ = 0;
  size_t size_ = 0;
};

struct HeldEvent {
  uint32_t frame;
  bool open;
  uint64_t offset;
};

// One element of "profiles" while it is read.
struct Profile {
  std::string name;
  std::optional<Unit> unit;
  std::optional<std::string> end_value;
  bool evented = false;
  bool sampled = false;
  bool started = false;  // its events go straight to the tree
  std::vector<HeldEvent> held_events;
  NumberTexts held_times;  // of held_events
  Column<CallNodeId> samples;
  NumberTexts weights;
  uint64_t weights_offset = 0;
  uint64_t unusable_values = 0;

  [[nodiscard]] size_t memory_bytes() const {
    return held_events.capacity() * sizeof(HeldEvent) + held_times.memory_bytes() +
           samples.memory_bytes() + weights.memory_bytes();
  }
};

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options)
      : source_(source), json_(source, options), builder_(raw_), held_(options.memory, [this] {
          // Twice: in the end there is a second tree with functions in place of frames.
          return 2 * (raw_.memory_bytes() + builder_.memory_bytes()) + strings_.memory_bytes() +
                 frames_.capacity() * sizeof(FrameFacts) +
                 (current_ == nullptr ? 0 : current_->memory_bytes());
        }) {}

  Result<FunctionProfile> Read() {
    const Token first = json_.Next();
    if (first == Token::kBeginObject) {
      ReadObject([&](std::string_view key) { return TopLevel(key); });
    }
    BufferedInput& input = json_.input();
    if (input.error()) return tl::unexpected<Error>(*input.error());
    if (broken_ || first != Token::kBeginObject) {
      const std::string problem =
          json_.problem().empty() ? "the document is no object" : json_.problem();
      if (profiles_ == 0) {
        return Fail(ErrorCode::kUnreadable, "expected a speedscope profile, but " + problem,
                    json_.offset());
      }
      raw_.diagnostics.AddWithDetail(
          json_.truncated() ? DiagnosticKind::kTruncated : DiagnosticKind::kMalformedRecord,
          json_.offset(), "the file is damaged (" + problem + "); everything before that was read");
    }
    if (profiles_ == 0) {
      return Fail(ErrorCode::kUnreadable,
                  "expected a speedscope profile with at least one evented or sampled entry in "
                  "\"profiles\", found none",
                  0);
    }
    FunctionProfile profile = Finish();
    profile.diagnostics.Merge(json_.diagnostics());
    DescribeInput(source_, input, profile);
    return profile;
  }

 private:
  // Calls `value(key)` for each key of the object that has just begun; it reads the value and says
  // whether reading can go on.
  template <typename OnKey>
  bool ReadObject(OnKey value) {
    for (;;) {
      const Token token = json_.Next();
      if (token == Token::kEndObject) return true;
      if (token != Token::kKey) break;
      key_ = json_.text();
      if (!value(key_)) break;
    }
    broken_ = true;
    return false;
  }

  // Calls `element(token)` for each element of the list that has just begun.
  template <typename OnElement>
  bool ReadArray(OnElement element) {
    for (;;) {
      const Token token = json_.Next();
      if (token == Token::kEndArray) return true;
      if (token == Token::kBroken || !element(token)) break;
    }
    broken_ = true;
    return false;
  }

  bool TopLevel(std::string_view key) {
    // The text of the key is gone with the next token.
    const bool is_profiles = key == "profiles";
    const bool is_shared = key == "shared";
    const bool is_exporter = key == "exporter";
    const Token token = json_.Next();
    if (is_profiles && token == Token::kBeginArray) {
      return ReadArray([&](Token element) { return OneProfile(element); });
    }
    if (is_shared && token == Token::kBeginObject) {
      return ReadObject([&](std::string_view inner) {
        const bool is_frames = inner == "frames";
        const Token value = json_.Next();
        if (is_frames && value == Token::kBeginArray) {
          return ReadArray([&](Token element) { return OneFrame(element); });
        }
        return json_.Skip(value);
      });
    }
    if (is_exporter && token == Token::kString) exporter_ = json_.text();
    return json_.Skip(token);
  }

  bool OneFrame(Token token) {
    FrameFacts facts;
    if (token == Token::kBeginObject) {
      const bool good = ReadObject([&](std::string_view key) {
        const bool is_name = key == "name";
        const bool is_file = key == "file";
        const bool is_line = key == "line";
        const Token value = json_.Next();
        if (value == Token::kString) {
          if (is_name) facts.name = strings_.Intern(json_.text());
          if (is_file) facts.file = strings_.Intern(json_.text());
        } else if (value == Token::kNumber && is_line) {
          facts.line = DecimalToInt(json_.text(), 0).value_or(kNoInt);
        }
        return json_.Skip(value);
      });
      if (!good) return false;
      frames_.push_back(facts);
      return true;
    }
    frames_.push_back(facts);
    raw_.diagnostics.Add(DiagnosticKind::kMalformedRecord, json_.offset());
    return json_.Skip(token);
  }

  bool OneProfile(Token token) {
    const uint64_t offset = json_.offset();
    if (token != Token::kBeginObject) {
      raw_.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
      return json_.Skip(token);
    }
    Profile profile;
    current_ = &profile;
    const auto thread = static_cast<uint32_t>(raw_.threads.size());
    ThreadBuilder builder(raw_, builder_, thread);
    const bool good =
        ReadObject([&](std::string_view key) { return ProfileKey(key, profile, builder); });
    EndProfile(profile, builder, offset);
    current_ = nullptr;
    return good;
  }

  bool ProfileKey(std::string_view key, Profile& profile, ThreadBuilder& builder) {
    enum { kOther, kName, kUnit, kEndValue, kEvents, kSamples, kWeights } what = kOther;
    if (key == "name") what = kName;
    if (key == "unit") what = kUnit;
    if (key == "endValue") what = kEndValue;
    if (key == "events") what = kEvents;
    if (key == "samples") what = kSamples;
    if (key == "weights") what = kWeights;
    const Token token = json_.Next();
    if (token == Token::kString) {
      if (what == kName) profile.name = json_.text();
      if (what == kUnit) profile.unit = UnitOf(json_.text());
    }
    if (token == Token::kNumber && what == kEndValue) profile.end_value = json_.text();
    if (token != Token::kBeginArray) return json_.Skip(token);
    switch (what) {
      case kEvents:
        profile.evented = true;
        // Known units let events go to the tree at once.
        profile.started =
            profile.unit.has_value() && profile.held_events.empty() && UseUnit(*profile.unit);
        return ReadArray([&](Token element) { return OneEvent(element, profile, builder); });
      case kSamples:
        profile.sampled = true;
        if (profile.unit && !UseUnit(*profile.unit)) return json_.Skip(token);
        return ReadArray([&](Token element) { return OneSample(element, profile, builder); });
      case kWeights:
        profile.weights_offset = json_.offset();
        return ReadArray([&](Token element) {
          if (element == Token::kNumber) {
            profile.weights.Add(json_.text());
          } else {
            profile.weights.Add("-");  // keeps its place
          }
          return json_.Skip(element);
        });
      default:
        return json_.Skip(token);
    }
  }

  bool OneEvent(Token token, Profile& profile, ThreadBuilder& builder) {
    const uint64_t offset = json_.offset();
    if (token != Token::kBeginObject) {
      raw_.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
      return json_.Skip(token);
    }
    char type = 0;
    std::optional<uint32_t> frame;
    time_.clear();
    const bool good = ReadObject([&](std::string_view key) {
      enum { kOther, kType, kAt, kFrame } what = kOther;
      if (key == "type") what = kType;
      if (key == "at") what = kAt;
      if (key == "frame") what = kFrame;
      const Token value = json_.Next();
      if (value == Token::kString && what == kType && json_.text().size() == 1) {
        type = json_.text().front();
      }
      if (value == Token::kNumber && what == kFrame) frame = FrameNumber(json_.text());
      if (value == Token::kNumber && what == kAt) time_ = json_.text();
      return json_.Skip(value);
    });
    if (!good) return false;
    ++events_;
    if ((type != 'O' && type != 'C') || !frame || time_.empty()) {
      raw_.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
      return true;
    }
    const HeldEvent event = {*frame, type == 'O', offset};
    if (profile.started) {
      AddEvent(event, time_, *profile.unit, builder);
    } else {
      profile.held_events.push_back(event);
      profile.held_times.Add(time_);
    }
    return true;
  }

  void AddEvent(const HeldEvent& event, std::string_view time, Unit unit, ThreadBuilder& builder) {
    const auto at = DecimalToInt(time, unit.shift);
    if (!at) {
      raw_.diagnostics.Add(DiagnosticKind::kNumberOutOfRange, event.offset);
    } else if (event.open) {
      builder.Open(event.frame, *at, event.offset);
    } else {
      builder.Close(event.frame, *at, event.offset);
    }
  }

  bool OneSample(Token token, Profile& profile, ThreadBuilder& builder) {
    ++events_;
    builder.BeginSample();
    if (token != Token::kBeginArray) {
      raw_.diagnostics.Add(DiagnosticKind::kMalformedRecord, json_.offset());
      profile.samples.push_back(kNoCallNode);
      return json_.Skip(token);
    }
    const bool good = ReadArray([&](Token element) {
      const auto frame = element == Token::kNumber ? FrameNumber(json_.text()) : std::nullopt;
      if (frame) {
        builder.SampleFrame(*frame);
      } else {
        raw_.diagnostics.Add(DiagnosticKind::kMalformedRecord, json_.offset());
      }
      return json_.Skip(element);
    });
    if (good) profile.samples.push_back(builder.sample());
    return good;
  }

  // Frames are numbered from 0; a number beyond 32 bits cannot be that of a frame.
  static std::optional<uint32_t> FrameNumber(std::string_view text) {
    const auto number = DecimalToInt(text, 0);
    if (!number || *number < 0 || *number >= int64_t{UINT32_MAX}) return std::nullopt;
    return static_cast<uint32_t>(*number);
  }

  // The first profile's unit is the file's: seconds and bytes do not add up.
  bool UseUnit(Unit unit) {
    if (!unit_) unit_ = unit.unit;
    return *unit_ == unit.unit;
  }

  void EndProfile(Profile& profile, ThreadBuilder& builder, uint64_t offset) {
    if (!profile.evented && !profile.sampled) {
      raw_.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
      return;
    }
    const Unit unit = profile.unit.value_or(Unit{});
    if (!UseUnit(unit)) {
      raw_.diagnostics.AddWithDetail(
          DiagnosticKind::kOtherValues, offset,
          "profiles in another unit than the first one's cannot be added to it; they were left "
          "out");
      return;
    }
    raw_.threads.push_back(profile.name);
    ++profiles_;
    for (const HeldEvent& event : profile.held_events) {
      AddEvent(event, profile.held_times.Take(), unit, builder);
    }
    if (profile.evented) {
      has_opens_ = true;
      const auto end =
          profile.end_value ? DecimalToInt(*profile.end_value, unit.shift) : std::nullopt;
      builder.CloseAll(end.value_or(INT64_MIN));
    }
    if (profile.sampled) AddSamples(profile, unit, builder);
  }

  void AddSamples(Profile& profile, Unit unit, ThreadBuilder& builder) {
    // Weights may be left out: each sample counts once then.
    const bool weighted = profile.weights.size() > 0;
    if (weighted && profile.weights.size() != profile.samples.size()) {
      raw_.diagnostics.AddWithDetail(DiagnosticKind::kMalformedRecord, profile.weights_offset,
                                     "there are " + std::to_string(profile.samples.size()) +
                                         " samples but " + std::to_string(profile.weights.size()) +
                                         " weights; those without a partner were "
                                         "left out");
    }
    for (const CallNodeId node : profile.samples) {
      int64_t weight = 1;
      if (weighted) {
        const std::string_view text = profile.weights.Take();
        if (text.empty()) break;
        const auto value = DecimalToInt(text, unit.shift);
        if (!value) {
          raw_.diagnostics.Add(DiagnosticKind::kNumberOutOfRange, profile.weights_offset);
          continue;
        }
        if (*value < 0) {
          raw_.diagnostics.Add(DiagnosticKind::kNegativeDuration, profile.weights_offset);
          continue;
        }
        weight = *value;
      }
      builder.Stretch(node, weight);
    }
  }

  // Replaces frame numbers by functions. Frames that say the same are one function, and the paths
  // through them one path.
  FunctionProfile Finish() {
    FunctionProfile profile;
    CallTreeBuilder builder(profile);
    std::unordered_map<uint32_t, FunctionId> function_of_frame;
    const auto function_of = [&](uint32_t frame) {
      const auto [at, is_new] = function_of_frame.try_emplace(frame, kNoFunction);
      if (!is_new) return at->second;
      if (frame >= frames_.size()) {
        raw_.diagnostics.Add(DiagnosticKind::kUnknownFrame, std::nullopt);
        return at->second = builder.FunctionOf({}, kNoInt, "frame " + std::to_string(frame));
      }
      const FrameFacts& facts = frames_[frame];
      const std::string_view file = facts.file == kNoString || facts.file == kEmptyString
                                        ? std::string_view()
                                        : strings_.Get(facts.file);
      // py-spy writes line 0 for what has no line.
      const int64_t line = file.data() == nullptr ? kNoInt : facts.line;
      return at->second = builder.FunctionOf(file, line, strings_.Get(facts.name));
    };
    const CallTree& raw = raw_.tree;
    // pyinstrument's events are samples in disguise: an O is no call.
    const bool has_calls = has_opens_ && !exporter_.starts_with("pyinstrument");
    Column<CallNodeId> merged;
    for (size_t node = 0; node < raw.size(); ++node) {
      const CallNodeId parent =
          raw.parent[node] == kNoCallNode ? kNoCallNode : merged[raw.parent[node]];
      const CallNodeId to = builder.Child(parent, function_of(raw.function[node]));
      merged.push_back(to);
      profile.tree.self[to] = AddSaturated(profile.tree.self[to], raw.self[node]);
      uint64_t& calls = profile.tree.calls[to];
      calls = has_calls ? calls + raw.calls[node] : kNoUint;
    }
    profile.timeline = std::move(raw_.timeline);
    for (TopOfStack& top : profile.timeline) top.node = merged[top.node];
    profile.threads = std::move(raw_.threads);
    profile.unit = unit_.value_or(ValueUnit::kCount);
    profile.diagnostics = std::move(raw_.diagnostics);
    profile.source.events = events_;
    return profile;
  }

  struct FrameFacts {
    StringId name = kEmptyString;
    StringId file = kNoString;
    int64_t line = kNoInt;
  };

  ByteSource& source_;
  JsonStream json_;
  FunctionProfile raw_;  // its functions are frame numbers
  CallTreeBuilder builder_;
  StringPool strings_;  // of frames_
  std::vector<FrameFacts> frames_;
  std::string exporter_;
  std::string key_;
  std::string time_;
  std::optional<ValueUnit> unit_;
  uint64_t events_ = 0;
  size_t profiles_ = 0;
  bool has_opens_ = false;
  bool broken_ = false;
  const Profile* current_ = nullptr;  // that is being read
  HeldMemory held_;
};

bool Matches(std::string_view head, std::string_view /*path*/) {
  const JsonHead json(head);
  if (json.Has("traceEvents")) return false;
  if (json.Text("$schema").find("speedscope.app") != std::string_view::npos) return true;
  const std::string_view type = json.Text("profiles.type");
  return type == "evented" || type == "sampled";
}

Result<FunctionProfile> Read(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options).Read();
}

}  // namespace
}  // namespace speedscope

Format SpeedscopeFormat() {
  return {.name = "speedscope",
          .shown = "a profile of speedscope or py-spy",
          .endings = {".json", ".speedscope"},
          .matches = &speedscope::Matches,
          .read = ReadAs<&speedscope::Read>,
          .writer = {.name = "speedscope",
                     .help = "functions",
                     .endings = {".speedscope.json"},
                     .functions = &WriteSpeedscope}};
}

}  // namespace telltale
