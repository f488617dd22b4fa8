// SPDX-License-Identifier: Apache-2.0
#include "formats/samples/reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "base/crc32c.h"
#include "base/protobuf.h"
#include "base/utf8.h"
#include "formats/buffered_input.h"
#include "formats/memory_meter.h"
#include "formats/samples/layout.h"

namespace telltale {

namespace samples {

namespace {

using protobuf::Field;
using protobuf::ForEachNumber;
using protobuf::MessageReader;
using protobuf::WireType;

constexpr int64_t kNsPerMicrosecond = 1000;

uint32_t Uint32At(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

// Things that a file numbers through, of which some may have been lost: a row of runs.
template <typename T>
class Numbered {
 public:
  // The next ones go on from there.
  void GoOnFrom(uint64_t number) {
    if (runs_.empty() || number != next()) runs_.push_back({number, values_.size()});
  }
  void Add(T value) {
    if (runs_.empty()) runs_.push_back({0, 0});
    values_.push_back(std::move(value));
  }
  // nullptr: the file does not have it. Of a number that was given twice: the latest.
  [[nodiscard]] const T* Find(uint64_t number) const {
    for (size_t run = runs_.size(); run-- > 0;) {
      const size_t end = run + 1 < runs_.size() ? runs_[run + 1].place : values_.size();
      const uint64_t behind = number - runs_[run].number;
      if (number >= runs_[run].number && behind < end - runs_[run].place) {
        return &values_[runs_[run].place + behind];
      }
      // Files without loss have one run: damage must not make each look-up a walk.
      if (runs_.size() - run > kMostRuns) return nullptr;
    }
    return nullptr;
  }
  [[nodiscard]] size_t memory_bytes() const {
    return values_.size() * sizeof(T) + runs_.size() * sizeof(Run);
  }

 private:
  static constexpr size_t kMostRuns = 64;
  struct Run {
    uint64_t number = 0;
    size_t place = 0;
  };
  [[nodiscard]] uint64_t next() const {
    return runs_.back().number + (values_.size() - runs_.back().place);
  }
  std::vector<T> values_;
  std::vector<Run> runs_;
};

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options)
      : source_(source), input_(source, options), builder_(profile_), held_(options.memory, [this] {
          return profile_.memory_bytes() + builder_.memory_bytes() + texts_.memory_bytes() +
                 functions_.memory_bytes() + threads_.memory_bytes() + nodes_.memory_bytes() +
                 places_.size() * sizeof(int64_t);
        }) {}

  Result<FunctionProfile> Read() {
    while (NextBlock()) {
    }
    if (input_.error()) return tl::unexpected<Error>(*input_.error());
    if (blocks_ == 0) {
      return Fail(ErrorCode::kUnreadable, "expected a file of samples (TTS1), found no whole block",
                  0);
    }
    Finish();
    DescribeInput(source_, input_, profile_);
    return std::move(profile_);
  }

 private:
  [[nodiscard]] bool Has(size_t count) {
    while (input_.rest().size() < count) {
      if (!input_.More()) return false;
    }
    return true;
  }

  // To the next place where a block may begin.
  void Resynchronize() {
    const uint64_t offset = input_.offset();
    input_.Take(1);
    while (true) {
      const size_t mark = input_.rest().find(kBlockMark);
      if (mark != std::string_view::npos) {
        input_.Take(mark);
        break;
      }
      // The mark may stand across the end of what is at hand.
      const size_t keep = std::min(input_.rest().size(), kBlockMark.size() - 1);
      input_.Take(input_.rest().size() - keep);
      if (!input_.More()) {
        input_.Take(input_.rest().size());
        break;
      }
    }
    profile_.diagnostics.Add(DiagnosticKind::kLostBytes, offset, input_.offset() - offset);
  }

  bool NextBlock() {
    if (!Has(1)) return false;
    const uint64_t offset = input_.offset();
    if (!Has(kBlockHeadBytes)) {
      profile_.diagnostics.Add(DiagnosticKind::kCutRecord, offset);
      input_.Take(input_.rest().size());
      return false;
    }
    const std::string_view head = input_.rest().substr(0, kBlockHeadBytes);
    const uint32_t size = Uint32At(head, kBlockMark.size());
    const uint32_t checksum = Uint32At(head, kBlockMark.size() + sizeof(uint32_t));
    if (!head.starts_with(kBlockMark) || size > kMostBlockBytes) {
      Resynchronize();
      return true;
    }
    if (!Has(kBlockHeadBytes + size)) {
      // The last second of a recording that was killed; or a size that is wrong.
      if (input_.rest().find(kBlockMark, 1) != std::string_view::npos || input_.full()) {
        Resynchronize();
        return true;
      }
      profile_.diagnostics.Add(DiagnosticKind::kCutRecord, offset);
      input_.Take(input_.rest().size());
      return false;
    }
    const std::string_view payload = input_.rest().substr(kBlockHeadBytes, size);
    if (Crc32c(payload) != checksum) {
      profile_.diagnostics.Add(DiagnosticKind::kBadChecksum, offset);
      Resynchronize();
      return true;
    }
    ++blocks_;
    if (!TakeBlock(payload)) profile_.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
    input_.Take(kBlockHeadBytes + size);
    return true;
  }

  // Calls use(values) for each so many numbers. False: damaged.
  template <size_t kCount, typename Use>
  static bool ForEachTuple(const Field& field, Use use) {
    std::array<uint64_t, kCount> values{};
    size_t at = 0;
    const bool good = ForEachNumber(field, WireType::kVarint, [&](uint64_t value) {
      values[at++] = value;
      if (at < kCount) return;
      use(values);
      at = 0;
    });
    return good && at == 0;
  }

  bool TakeBlock(std::string_view payload) {
    slot_start_us_ = slot_length_us_ = 0;
    const size_t first = profile_.timeline.size();
    bool good = true;
    MessageReader reader(payload);
    while (reader.Next()) {
      const Field& field = reader.field();
      switch (field.number) {
        case kStart:
          if (profile_.start_ns == kNoInt) profile_.start_ns = field.Signed();
          break;
        case kFirstText:
          texts_.GoOnFrom(field.value);
          break;
        case kText:
          texts_.Add(profile_.strings.Intern(RepairUtf8(field.bytes)));
          break;
        case kFirstFunction:
          functions_.GoOnFrom(field.value);
          break;
        case kFunctions:
          good =
              ForEachTuple<3>(field, [&](const auto& v) { AddFunction(v[0], v[1], v[2]); }) && good;
          break;
        case kFirstThread:
          threads_.GoOnFrom(field.value);
          break;
        case kThreads:
          good = ForEachTuple<3>(field, [&](const auto& v) { AddThread(v[2]); }) && good;
          break;
        case kFirstNode:
          nodes_.GoOnFrom(field.value);
          break;
        case kNodes:
          good = ForEachTuple<2>(field, [&](const auto& v) { AddNode(v[0], v[1]); }) && good;
          break;
        case kSlotStart:
          slot_start_us_ = field.value;
          break;
        case kSlotLength:
          slot_length_us_ = field.value;
          break;
        case kSamples:
          good = TakeSamples(field.bytes) && good;
          break;
        case kTorn:
          torn_ += field.value;
          break;
        default:
          break;
      }
    }
    const int64_t start = Nanoseconds(slot_start_us_);
    profile_.slots.push_back({start, AddSaturated(start, Nanoseconds(slot_length_us_)), first});
    return good && !reader.bad();
  }

  StringId TextOf(uint64_t number) {
    const StringId* text = texts_.Find(number);
    if (text != nullptr) return *text;
    ++unknown_;
    return profile_.strings.Intern("<lost>");
  }

  void AddFunction(uint64_t name, uint64_t file, uint64_t line) {
    const StringId file_text = TextOf(file);
    functions_.Add(builder_.FunctionOf(
        {.file = profile_.Text(file_text).empty() ? kNoString : file_text,
         .line = line == 0 || line > INT32_MAX ? kNoInt : static_cast<int64_t>(line),
         .name = TextOf(name)}));
  }

  void AddThread(uint64_t name) {
    threads_.Add(static_cast<uint32_t>(profile_.threads.size()));
    profile_.threads.emplace_back(profile_.Text(TextOf(name)));
    profile_.thread_starts.push_back(0);
    places_.push_back(0);
  }

  void AddNode(uint64_t parent_plus_one, uint64_t function) {
    CallNodeId parent = kNoCallNode;
    if (parent_plus_one != 0) {
      const CallNodeId* known = nodes_.Find(parent_plus_one - 1);
      parent = known != nullptr ? *known : builder_.Child(kNoCallNode, LostFunction());
    }
    const FunctionId* known = functions_.Find(function);
    nodes_.Add(builder_.Child(parent, known != nullptr ? *known : LostFunction()));
  }

  FunctionId LostFunction() {
    ++unknown_;
    return builder_.FunctionOf({}, kNoInt, "<lost>");
  }

  bool TakeSamples(std::string_view bytes) {
    std::optional<uint32_t> thread;
    bool good = true;
    MessageReader reader(bytes);
    while (reader.Next()) {
      const Field& field = reader.field();
      if (field.number == kThread) {
        const uint32_t* known = threads_.Find(field.value);
        if (known != nullptr) thread = *known;
      } else if (field.number == kValues) {
        if (!thread) {
          ++unknown_;
          continue;
        }
        good = ForEachTuple<4>(
                   field, [&](const auto& v) { AddSample(*thread, v[0], v[1], v[2], v[3]); }) &&
               good;
      }
    }
    return good && !reader.bad();
  }

  void AddSample(uint32_t thread, uint64_t node, uint64_t state_and_line, uint64_t count,
                 uint64_t us) {
    const auto state = SampleState(state_and_line % kSampleStates);
    const uint64_t line = state_and_line / kSampleStates;
    const CallNodeId* known = nodes_.Find(node);
    CallNodeId path = known != nullptr ? *known : builder_.Child(kNoCallNode, LostFunction());
    if (state == SampleState::kWaiting) path = builder_.Child(path, Frame(waiting_, kWaitingFrame));
    if (state == SampleState::kNative) path = builder_.Child(path, Frame(native_, kNativeFrame));
    profile_.source.events += count;
    const int64_t length = Nanoseconds(us);
    if (length <= 0) return;
    int64_t& self = profile_.tree.self[path];
    self = AddSaturated(self, length);
    int64_t& place = places_[thread];
    place = std::max(place, Nanoseconds(slot_start_us_));
    profile_.timeline.push_back({path, thread, place, length});
    profile_.lines.push_back(line > INT32_MAX ? 0 : static_cast<uint32_t>(line));
    place = AddSaturated(place, length);
  }

  FunctionId Frame(std::optional<FunctionId>& known, std::string_view name) {
    if (!known) known = builder_.FunctionOf({}, kNoInt, name);
    return *known;
  }

  static int64_t Nanoseconds(uint64_t us) {
    constexpr uint64_t kMost = INT64_MAX / kNsPerMicrosecond;
    return static_cast<int64_t>(std::min(us, kMost)) * kNsPerMicrosecond;
  }

  void Finish() {
    profile_.unit = ValueUnit::kNanoseconds;
    for (size_t node = 0; node < profile_.tree.size(); ++node) profile_.tree.calls[node] = kNoUint;
    if (unknown_ > 0)
      profile_.diagnostics.Add(DiagnosticKind::kUnknownFrame, std::nullopt, unknown_);
    if (torn_ > 0) {
      profile_.diagnostics.AddWithDetail(
          DiagnosticKind::kOtherValues, std::nullopt,
          std::to_string(torn_) +
              " looks at a thread came to nothing: its stack changed meanwhile; the time went to "
              "the sample before");
    }
  }

  ByteSource& source_;
  BufferedInput input_;
  FunctionProfile profile_;
  CallTreeBuilder builder_;
  Numbered<StringId> texts_;
  Numbered<FunctionId> functions_;
  Numbered<uint32_t> threads_;
  Numbered<CallNodeId> nodes_;
  std::vector<int64_t> places_;  // where each thread's time goes on
  std::optional<FunctionId> waiting_;
  std::optional<FunctionId> native_;
  uint64_t slot_start_us_ = 0;
  uint64_t slot_length_us_ = 0;
  uint64_t blocks_ = 0;
  uint64_t unknown_ = 0;
  uint64_t torn_ = 0;
  HeldMemory held_;
};

Result<FunctionProfile> Read(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options).Read();
}

bool Matches(std::string_view head, std::string_view /*path*/) {
  return head.starts_with(kBlockMark) && head.size() >= kBlockHeadBytes &&
         Uint32At(head, kBlockMark.size()) <= kMostBlockBytes;
}

}  // namespace

}  // namespace samples

Format SamplesFormat() {
  return {.name = "samples",
          .shown = "samples of telltale run",
          .endings = {".tts"},
          .matches = &samples::Matches,
          .read = ReadAs<&samples::Read>};
}

}  // namespace telltale
