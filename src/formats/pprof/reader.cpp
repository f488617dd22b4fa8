// SPDX-License-Identifier: Apache-2.0
// The message is read field by field as it comes, so the whole never is in memory. Samples name
// locations, locations functions, functions texts, all by number and in any order: paths are made
// of locations first, and of functions when everything has been read.
#include "formats/pprof/reader.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/protobuf.h"
#include "base/utf8.h"
#include "formats/buffered_input.h"
#include "formats/memory_meter.h"
#include "formats/pprof/layout.h"
#include "formats/pprof/writer.h"

namespace telltale {

namespace pprof {

using protobuf::Field;
using protobuf::ForEachNumber;
using protobuf::MessageReader;
using protobuf::TakeVarint;
using protobuf::WireType;

namespace {

// More kinds of values than any profiler writes; each costs eight bytes a path.
constexpr size_t kMaxValues = 16;

struct ValueType {
  uint64_t type = 0;  // texts by number
  uint64_t unit = 0;
};

struct Location {
  uint64_t mapping = 0;
  uint64_t address = 0;
  std::vector<uint64_t> functions;  // innermost first: the last one was really called
};

struct FunctionFacts {
  uint64_t name = 0;
  uint64_t system_name = 0;
  uint64_t file = 0;
  int64_t start_line = 0;
};

struct Unit {
  ValueUnit unit = ValueUnit::kCount;
  int64_t factor = 1;
};

Unit UnitOf(std::string_view unit, std::string_view type) {
  struct Known {
    std::string_view name;
    Unit unit;
  };
  static constexpr std::array<Known, 12> kUnits = {{
      {"nanoseconds", {ValueUnit::kNanoseconds, 1}},
      {"ns", {ValueUnit::kNanoseconds, 1}},
      {"microseconds", {ValueUnit::kNanoseconds, 1'000}},
      {"us", {ValueUnit::kNanoseconds, 1'000}},
      {"milliseconds", {ValueUnit::kNanoseconds, 1'000'000}},
      {"ms", {ValueUnit::kNanoseconds, 1'000'000}},
      {"seconds", {ValueUnit::kNanoseconds, 1'000'000'000}},
      {"bytes", {ValueUnit::kBytes, 1}},
      {"byte", {ValueUnit::kBytes, 1}},
      {"kilobytes", {ValueUnit::kBytes, 1'024}},
      {"megabytes", {ValueUnit::kBytes, 1'048'576}},
      {"samples", {ValueUnit::kSamples, 1}},
  }};
  for (const Known& known : kUnits) {
    if (known.name == unit) return known.unit;
  }
  return {type == "samples" || type == "sample" ? ValueUnit::kSamples : ValueUnit::kCount, 1};
}

int64_t MultiplySaturated(int64_t a, int64_t b) {
  int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) == (b < 0) ? INT64_MAX : INT64_MIN;
}

std::string Hexadecimal(uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

class Reader {
 public:
  Reader(ByteSource& source, const ReadOptions& options)
      : source_(source),
        input_(source, options),
        paths_(raw_),
        held_(options.memory, [this] { return Held(); }) {}

  Result<FunctionProfile> Read() {
    while (NextField()) {
    }
    if (input_.error()) return tl::unexpected<Error>(*input_.error());
    if (types_.empty() || samples_ == 0) {
      return Fail(ErrorCode::kUnreadable,
                  "expected a pprof profile (profile.proto) with samples, found " +
                      std::string(types_.empty() ? "no sample type" : "no sample"),
                  input_.offset());
    }
    FunctionProfile profile = Finish();
    DescribeInput(source_, input_, profile);
    return profile;
  }

 private:
  [[nodiscard]] size_t Held() const {
    // Twice: in the end there is a second tree with functions in place of locations.
    size_t bytes = 2 * (raw_.memory_bytes() + paths_.memory_bytes()) + texts_.memory_bytes() +
                   location_ids_.size() * sizeof(uint64_t) + MemoryOfNodes(place_of_) +
                   types_.size() * sizeof(ValueType) + MemoryOfNodes(location_facts_) +
                   inlined_ * sizeof(uint64_t) + MemoryOfNodes(function_facts_) +
                   MemoryOfNodes(mapping_files_) + strings_.size() * sizeof(StringId);
    for (const Column<int64_t>& sums : sums_) bytes += sums.memory_bytes();
    return bytes;
  }

  // Reads one field of the profile. False: no more.
  bool NextField() {
    // A key and a length or number take at most twenty bytes.
    while (input_.rest().size() < 20 && input_.More()) {
    }
    if (input_.rest().empty()) return false;
    const uint64_t offset = input_.offset();
    std::string_view head = input_.rest();
    const auto key = TakeVarint(head);
    const auto number = key ? TakeVarint(head) : std::nullopt;
    const uint64_t type = key.value_or(0) & 7;
    const uint64_t field = key.value_or(0) >> 3;
    if (!number || field == 0 || (type != 0 && type != 2)) {
      return Damaged(offset, number || input_.rest().size() >= 20);
    }
    input_.Take(input_.rest().size() - head.size());
    if (type == 0) {
      if (field == kTimeNanos && *number > 0 && *number <= uint64_t{INT64_MAX}) {
        raw_.start_ns = static_cast<int64_t>(*number);
      }
      if (field == kDefaultSampleType) default_type_ = *number;
      return true;
    }
    while (input_.rest().size() < *number && input_.More()) {
    }
    const std::string_view rest = input_.rest();
    if (rest.size() < *number) {
      if (!input_.full()) return Damaged(offset, false);
      Skip(*number);
      raw_.diagnostics.Add(DiagnosticKind::kOversizedValue, offset);
      return true;
    }
    if (!Submessage(static_cast<uint32_t>(std::min<uint64_t>(field, UINT32_MAX)),
                    rest.substr(0, *number))) {
      raw_.diagnostics.Add(DiagnosticKind::kMalformedRecord, offset);
    }
    input_.Take(*number);
    return true;
  }

  bool Damaged(uint64_t offset, bool nonsense) {
    raw_.diagnostics.AddWithDetail(
        nonsense ? DiagnosticKind::kMalformedRecord : DiagnosticKind::kTruncated, offset,
        nonsense ? "the file is damaged here; everything before that was read"
                 : "the file ends inside the profile; everything before that was read");
    return false;
  }

  void Skip(uint64_t size) {
    while (size > 0) {
      const size_t step = static_cast<size_t>(std::min<uint64_t>(size, input_.rest().size()));
      input_.Take(step);
      size -= step;
      if (size > 0 && !input_.More()) return;
    }
  }

  bool Submessage(uint32_t field, std::string_view bytes) {
    switch (field) {
      case kSampleType:
        return AddType(bytes);
      case kSample:
        return AddSample(bytes);
      case kMapping:
        return AddMapping(bytes);
      case kLocation:
        return AddLocation(bytes);
      case kFunction:
        return AddFunction(bytes);
      case kString: {
        const auto repaired = ReplaceInvalidUtf8(bytes);
        if (repaired) raw_.diagnostics.Add(DiagnosticKind::kInvalidUtf8, input_.offset());
        strings_.push_back(texts_.Intern(repaired ? std::string_view(*repaired) : bytes));
        return true;
      }
      default:
        return true;
    }
  }

  // Calls `use(field)` for each field of a message. False: broken.
  template <typename Use>
  static bool Each(std::string_view bytes, Use use) {
    MessageReader message(bytes);
    while (message.Next()) {
      if (!use(message.field())) return false;
    }
    return !message.bad();
  }

  bool AddType(std::string_view bytes) {
    ValueType type;
    const bool good = Each(bytes, [&](const Field& field) {
      if (field.number == kTypeName) type.type = field.value;
      if (field.number == kTypeUnit) type.unit = field.value;
      return true;
    });
    if (good) types_.push_back(type);
    return good;
  }

  bool AddSample(std::string_view bytes) {
    locations_.clear();
    values_.clear();
    const bool good = Each(bytes, [&](const Field& field) {
      if (field.number == kSampleLocations) {
        return ForEachNumber(field, WireType::kVarint,
                             [&](uint64_t id) { locations_.push_back(id); });
      }
      if (field.number == kSampleValues) {
        return ForEachNumber(field, WireType::kVarint, [&](uint64_t value) {
          if (values_.size() < kMaxValues) values_.push_back(static_cast<int64_t>(value));
        });
      }
      return true;
    });
    if (!good) return false;
    ++samples_;
    CallNodeId node = kNoCallNode;
    for (size_t i = locations_.size(); i-- > 0;) {
      const auto [at, is_new] =
          place_of_.try_emplace(locations_[i], static_cast<uint32_t>(location_ids_.size()));
      if (is_new) location_ids_.push_back(locations_[i]);
      node = paths_.Child(node, at->second);
    }
    if (node == kNoCallNode) return true;
    if (sums_.size() < values_.size()) sums_.resize(values_.size());
    for (size_t i = 0; i < values_.size(); ++i) {
      if (sums_[i].size() <= node) sums_[i].resize(raw_.tree.size());
      sums_[i][node] = AddSaturated(sums_[i][node], values_[i]);
    }
    return true;
  }

  bool AddMapping(std::string_view bytes) {
    uint64_t id = 0;
    uint64_t file = 0;
    const bool good = Each(bytes, [&](const Field& field) {
      if (field.number == kMappingId) id = field.value;
      if (field.number == kMappingFile) file = field.value;
      return true;
    });
    if (good) mapping_files_[id] = file;
    return good;
  }

  bool AddLocation(std::string_view bytes) {
    uint64_t id = 0;
    Location location;
    const bool good = Each(bytes, [&](const Field& field) {
      if (field.number == kLocationId) id = field.value;
      if (field.number == kLocationMapping) location.mapping = field.value;
      if (field.number == kLocationAddress) location.address = field.value;
      if (field.number == kLocationLine && field.IsBytes()) {
        uint64_t function = 0;
        const bool line_good = Each(field.bytes, [&](const Field& line) {
          if (line.number == kLineFunction) function = line.value;
          return true;
        });
        if (line_good) location.functions.push_back(function);
        return line_good;
      }
      return true;
    });
    inlined_ += location.functions.size();
    if (good) location_facts_[id] = std::move(location);
    return good;
  }

  bool AddFunction(std::string_view bytes) {
    uint64_t id = 0;
    FunctionFacts facts;
    const bool good = Each(bytes, [&](const Field& field) {
      if (field.number == kFunctionId) id = field.value;
      if (field.number == kFunctionName) facts.name = field.value;
      if (field.number == kFunctionSystemName) facts.system_name = field.value;
      if (field.number == kFunctionFile) facts.file = field.value;
      if (field.number == kFunctionStartLine) facts.start_line = field.Signed();
      return true;
    });
    if (good) function_facts_[id] = facts;
    return good;
  }

  [[nodiscard]] std::string_view Text(uint64_t number) const {
    return number < strings_.size() ? texts_.Get(strings_[number]) : std::string_view();
  }

  // The file's own choice, else processor or wall-clock time, else the last one, as pprof does.
  [[nodiscard]] size_t ChooseType() const {
    const std::string_view wanted = default_type_ == 0 ? std::string_view() : Text(default_type_);
    std::optional<size_t> time;
    for (size_t i = 0; i < types_.size(); ++i) {
      const std::string_view type = Text(types_[i].type);
      if (!wanted.empty() && type == wanted) return i;
      const bool is_time = type == "cpu" || type == "time" || type == "wall" ||
                           UnitOf(Text(types_[i].unit), type).unit == ValueUnit::kNanoseconds;
      if (is_time && (!time || type == "cpu")) time = i;
    }
    return time.value_or(types_.size() - 1);
  }

  // How often paths were called, beside what is shown.
  [[nodiscard]] std::optional<size_t> CallsType(size_t chosen) const {
    for (size_t i = 0; i < std::min(types_.size(), kMaxValues); ++i) {
      if (i != chosen && Text(types_[i].type) == kCallsType) return i;
    }
    return std::nullopt;
  }

  void MentionOthers(size_t chosen) {
    const std::optional<size_t> calls = CallsType(chosen);
    const size_t shown = calls ? 2 : 1;
    if (types_.size() <= shown) return;
    std::string others;
    for (size_t i = 0; i < std::min(types_.size(), kMaxValues); ++i) {
      if (i == chosen || i == calls) continue;
      others += others.empty() ? "" : ", ";
      others += std::string(Text(types_[i].type)) + " (" + std::string(Text(types_[i].unit)) + ")";
    }
    raw_.diagnostics.AddWithDetail(
        DiagnosticKind::kOtherValues, std::nullopt,
        "the values shown are " + std::string(Text(types_[chosen].type)) + " (" +
            std::string(Text(types_[chosen].unit)) + "); the file also has " + others);
    raw_.diagnostics.Add(DiagnosticKind::kOtherValues, std::nullopt, types_.size() - shown - 1);
  }

  // The frames of a location, outermost first.
  std::vector<FunctionId> FramesOf(uint64_t id, CallTreeBuilder& builder) {
    const auto at = location_facts_.find(id);
    if (at == location_facts_.end()) {
      raw_.diagnostics.Add(DiagnosticKind::kUnknownFrame, std::nullopt);
      return {builder.FunctionOf({}, kNoInt, "location " + std::to_string(id))};
    }
    const Location& location = at->second;
    const auto mapping = mapping_files_.find(location.mapping);
    const std::string_view file =
        mapping == mapping_files_.end() ? std::string_view() : Text(mapping->second);
    const std::string_view module = file.empty() ? std::string_view() : file;
    if (location.functions.empty()) {
      return {builder.FunctionOf({}, kNoInt, Hexadecimal(location.address), module)};
    }
    std::vector<FunctionId> frames;
    for (size_t i = location.functions.size(); i-- > 0;) {
      const auto function = function_facts_.find(location.functions[i]);
      if (function == function_facts_.end()) {
        raw_.diagnostics.Add(DiagnosticKind::kUnknownFrame, std::nullopt);
        frames.push_back(
            builder.FunctionOf({}, kNoInt, "function " + std::to_string(location.functions[i])));
        continue;
      }
      const FunctionFacts& facts = function->second;
      const std::string_view source_file = Text(facts.file);
      // Go gives its thread starts a function without a name.
      std::string name(Text(facts.name));
      if (name.empty()) name = Text(facts.system_name);
      if (name.empty()) name = Hexadecimal(location.address);
      frames.push_back(builder.FunctionOf(source_file.empty() ? std::string_view() : source_file,
                                          facts.start_line > 0 ? facts.start_line : kNoInt, name,
                                          module));
    }
    return frames;
  }

  [[nodiscard]] int64_t SumOf(size_t type, size_t node) const {
    return type < sums_.size() && node < sums_[type].size() ? sums_[type][node] : 0;
  }

  FunctionProfile Finish() {
    const size_t chosen = ChooseType();
    MentionOthers(chosen);
    const Unit unit = UnitOf(Text(types_[chosen].unit), Text(types_[chosen].type));
    const std::optional<size_t> calls_type = CallsType(chosen);
    FunctionProfile profile;
    CallTreeBuilder builder(profile);
    std::vector<std::vector<FunctionId>> frames(location_ids_.size());
    for (size_t i = 0; i < frames.size(); ++i) frames[i] = FramesOf(location_ids_[i], builder);
    const CallTree& raw = raw_.tree;
    // A few bytes may stand for many inlined functions in many paths; real files have fewer nodes
    // than bytes.
    const size_t max_nodes = (size_t{1} << 20) + static_cast<size_t>(input_.offset());
    std::vector<CallNodeId> merged;
    for (size_t node = 0; node < raw.size(); ++node) {
      CallNodeId to = raw.parent[node] == kNoCallNode ? kNoCallNode : merged[raw.parent[node]];
      const std::vector<FunctionId>& chain = frames[raw.function[node]];
      if (profile.tree.size() + chain.size() > max_nodes) {
        raw_.diagnostics.AddWithDetail(
            DiagnosticKind::kMalformedRecord, std::nullopt,
            "there are more inlined functions than such a file can mean; the rest of them was left "
            "out");
        to = builder.Child(to, chain.front());
      } else {
        for (const FunctionId frame : chain) to = builder.Child(to, frame);
      }
      merged.push_back(to);
      if (calls_type)
        profile.tree.calls[to] +=
            static_cast<uint64_t>(std::max<int64_t>(SumOf(*calls_type, node), 0));
      const int64_t value = SumOf(chosen, node);
      if (value < 0) {
        // Of a difference of two profiles.
        raw_.diagnostics.AddWithDetail(DiagnosticKind::kNegativeDuration, std::nullopt,
                                       "call paths with a negative value were taken as 0");
        continue;
      }
      profile.tree.self[to] =
          AddSaturated(profile.tree.self[to], MultiplySaturated(value, unit.factor));
    }
    if (!calls_type) std::ranges::fill(profile.tree.calls, kNoUint);
    profile.unit = unit.unit;
    profile.start_ns = raw_.start_ns;
    profile.source.events = samples_;
    profile.diagnostics = std::move(raw_.diagnostics);
    return profile;
  }

  ByteSource& source_;
  BufferedInput input_;
  FunctionProfile raw_;  // its functions are places in location_ids_
  CallTreeBuilder paths_;
  std::vector<uint64_t> location_ids_;
  std::unordered_map<uint64_t, uint32_t> place_of_;  // in location_ids_
  std::vector<Column<int64_t>> sums_;                // by kind of value, then node
  std::vector<uint64_t> locations_;                  // of one sample, innermost first
  std::vector<int64_t> values_;

  std::vector<ValueType> types_;
  std::unordered_map<uint64_t, Location> location_facts_;
  std::unordered_map<uint64_t, FunctionFacts> function_facts_;
  std::unordered_map<uint64_t, uint64_t> mapping_files_;
  StringPool texts_;
  std::vector<StringId> strings_;  // the string table
  uint64_t default_type_ = 0;
  uint64_t samples_ = 0;
  size_t inlined_ = 0;  // functions of all locations
  HeldMemory held_;
};

// There is no magic number: every field of the head must be one that profile.proto has, in its own
// type, and the first texts and types must look like such.
bool Matches(std::string_view head, std::string_view /*path*/) {
  constexpr uint32_t kMessages =
      1U << 1 | 1U << 2 | 1U << 3 | 1U << 4 | 1U << 5 | 1U << 6 | 1U << 11;
  constexpr uint32_t kEither = 1U << 13;  // comments: a number, or several packed
  const bool whole = head.size() < kHeadBytes;
  std::string_view rest = head;
  size_t types = 0;
  size_t fields = 0;
  bool has_strings = false;
  while (!rest.empty()) {
    const auto key = TakeVarint(rest);
    const auto number = key ? TakeVarint(rest) : std::nullopt;
    if (!number) {
      if (whole) return false;
      break;
    }
    const uint64_t field = *key >> 3;
    const uint64_t type = *key & 7;
    if (field == 0 || field > kLastField || (type != 0 && type != 2)) return false;
    const bool is_message = (kMessages >> field & 1) != 0;
    if ((kEither >> field & 1) == 0 && is_message != (type == 2)) return false;
    ++fields;
    if (type == 0) continue;
    if (*number > rest.size()) {
      if (whole) return false;
      break;
    }
    const std::string_view bytes = rest.substr(0, *number);
    rest.remove_prefix(*number);
    if (field == kString) {
      if (!has_strings && !bytes.empty()) return false;  // the first text is the empty one
      has_strings = true;
      continue;
    }
    MessageReader message(bytes);
    while (message.Next()) {
      const Field& part = message.field();
      if (field == kSampleType && (part.number > 2 || part.IsBytes())) return false;
    }
    if (message.bad()) return false;
    if (field == kSampleType) ++types;
  }
  return types > 0 && fields > 1 && (has_strings || !whole);
}

Result<FunctionProfile> Read(ByteSource& source, const ReadOptions& options) {
  return Reader(source, options).Read();
}

}  // namespace
}  // namespace pprof

Format PprofFormat() {
  return {.name = "pprof",
          .shown = "a profile of pprof",
          .endings = {".pb", ".pprof", ".prof"},
          .matches = &pprof::Matches,
          .read = ReadAs<&pprof::Read>,
          .writer = {.name = "pprof",
                     .help = "functions, with whole call paths, for pprof",
                     .endings = {".pb", ".pprof"},
                     .functions = &WritePprof,
                     .loses_order = true}};
}

}  // namespace telltale
