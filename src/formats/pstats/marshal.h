// SPDX-License-Identifier: Apache-2.0
// Python's marshal format, as far as a profile needs it: one value at a time, from a source that
// gives its bytes in pieces. Knows the type codes of marshal versions 0 to 5 well enough to pass
// over them; hands out numbers, texts and the heads of tuples and dictionaries; keeps the table of
// references, in which every flagged object counts. No recursion, and no size is believed: memory
// follows the bytes that are really there. Of a code object, which python -m profile uses as a
// name, it keeps what that is called.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/column.h"
#include "formats/read_options.h"
#include "io/byte_source.h"

namespace telltale::pstats {

// Why reading ended, and where.
struct Damage {
  enum class Kind : uint8_t { kNone, kEnd, kDamaged, kFailed, kCanceled };
  Kind kind = Kind::kNone;
  std::string what;     // half a sentence
  uint64_t offset = 0;  // in the decoded input
};

enum class ValueKind : uint8_t {
  kNull,       // ends a dictionary
  kSingleton,  // None, True, False, Ellipsis, StopIteration
  kInteger,
  kFloat,
  kText,
  kTuple,
  kDict,
  kCode,   // a code object; CodeText says which
  kOther,  // anything else; it was passed over
};
// "a tuple"
[[nodiscard]] std::string_view NameOf(ValueKind kind);

// An integer that does not fit in 64 bits.
constexpr int64_t kTooLarge = INT64_MIN;
// References to nothing that the caller gave a meaning.
constexpr uint32_t kNoMeaning = UINT32_MAX;
constexpr uint32_t kNoRef = UINT32_MAX;

struct Value {
  ValueKind kind = ValueKind::kOther;
  bool latin1 = false;    // of a text: its bytes are code points, not UTF-8
  bool is_back = false;   // a reference led here
  uint32_t ref = kNoRef;  // its place in the table of references
  uint32_t count = 0;     // elements of a tuple; bytes of a text
  uint64_t bits = 0;      // what the next three make of it
  uint64_t offset = 0;    // of the type code

  [[nodiscard]] int64_t integer() const { return static_cast<int64_t>(bits); }
  [[nodiscard]] double number() const { return std::bit_cast<double>(bits); }
  // Where the bytes of a text or the elements of a container begin.
  [[nodiscard]] uint64_t place() const { return bits; }
};

class MarshalReader {
 public:
  // `expected_bytes`: of the input, where that is known.
  MarshalReader(ByteSource& source, const ReadOptions& options, size_t expected_bytes);

  // The next value. Of a tuple or dictionary only the head: its elements follow, then the caller
  // closes it. A reference gives the value it stands for; the elements of a tuple or dictionary
  // behind a reference follow after Replay. False: damage() says why.
  [[nodiscard]] bool Next(Value& value) { return NextCommon(value) || NextAny(value); }
  // What most of a profile is made of, where its bytes are at hand and have their usual form.
  // False: nothing was taken, and Next has to look closer.
  //   Two integers and two floats; `tuple` says whether they are all of a tuple.
  [[nodiscard]] bool TakeNumbers(bool tuple, std::array<int64_t, 2>& counts,
                                 std::array<double, 2>& times);
  //   A reference to what the caller gave a meaning.
  [[nodiscard]] bool TakeMeaning(ValueKind kind, uint32_t& meaning);
  //   A tuple of a text, an integer and a text, both texts references with a meaning.
  [[nodiscard]] bool TakeKey(uint32_t& file, int64_t& line, uint32_t& name);
  // Passes over the elements of a tuple or dictionary whose head was just read, and closes it.
  // Nothing to do for other values.
  [[nodiscard]] bool Skip(const Value& head) {
    const bool has_elements = head.kind == ValueKind::kTuple || head.kind == ValueKind::kDict;
    if (!has_elements || head.is_back) return true;
    return SkipElements({head.kind == ValueKind::kTuple ? head.count : kUntilNull, head.ref});
  }

  // Goes to the elements of an earlier container that is_back; Return goes on behind the reference.
  // False: references make the reader go over the same bytes again and again.
  void Replay(const Value& back);
  [[nodiscard]] bool Return();
  // References may lead to a container only when all of it was read.
  void Close(const Value& container) {
    if (container.ref != kNoRef) refs_[container.ref].complete = 1;
  }

  // What the caller made of a container or text that is in the table of references.
  [[nodiscard]] uint32_t MeaningOf(const Value& value) const {
    return value.ref == kNoRef ? kNoMeaning : refs_[value.ref].meaning;
  }
  void SetMeaning(const Value& value, uint32_t meaning) {
    if (value.ref != kNoRef) refs_[value.ref].meaning = meaning;
  }

  // UTF-8; what was not is replaced by U+FFFD. A view into the input or into `repaired`, valid
  // until the next value is read.
  [[nodiscard]] std::string_view Text(const Value& text, std::string& repaired);

  // <code object NAME, file "FILE", line N>: what Python shows of it, without its address.
  [[nodiscard]] std::string CodeText(const Value& code);

  // The first bytes of the input: 64, or as many as there are.
  [[nodiscard]] std::string_view Begin() {
    static_cast<void>(Fill(64));
    return {bytes_.data(), std::min<size_t>(bytes_.size(), 64)};
  }
  // Whether bytes follow what was read.
  [[nodiscard]] bool HasMore() { return Fill(1); }
  [[nodiscard]] uint64_t offset() const { return at_; }
  // Bytes taken from the source.
  [[nodiscard]] uint64_t taken_bytes() const { return bytes_.size(); }
  // What was filled of what is reserved.
  [[nodiscard]] size_t memory_bytes() const {
    return bytes_.size() + refs_.size() * sizeof(Ref) + codes_.size() * sizeof(Code) +
           interned_.size() * sizeof(interned_[0]);
  }
  [[nodiscard]] const Damage& damage() const { return damage_; }
  [[nodiscard]] uint64_t repaired_texts() const { return repaired_; }

  // Records why reading ends here. Always false.
  bool Stop(Damage::Kind kind, std::string what, uint64_t offset);

 private:
  // A large profile has half a million of them.
  struct Ref {
    uint64_t bits = 0;  // as in Value
    uint32_t meaning = kNoMeaning;
    uint32_t count : 24 = 0;  // at most kMostCount
    uint32_t latin1 : 1 = 0;
    uint32_t complete : 1 = 0;
    uint32_t kind : 6 = 0;

    [[nodiscard]] bool Is(ValueKind of) const { return kind == static_cast<uint32_t>(of); }
    void SetKind(ValueKind of) { kind = static_cast<uint32_t>(of) & 0x3F; }
  };
  static_assert(sizeof(Ref) == 16);
  static constexpr uint32_t kMostCount = (uint32_t{1} << 24) - 1;  // no text is longer
  // What is kept of a code object.
  struct Code {
    Value file;
    Value name;
    int32_t line = 0;
  };
  // A code object is some numbers, eight objects, its line, and one or two objects more.
  enum class CodePart : uint8_t { kNone, kObjects, kTables };
  // Elements of a container yet to pass over.
  struct Open {
    uint64_t left = 0;  // kUntilNull for dictionaries
    uint32_t ref = kNoRef;
    CodePart code = CodePart::kNone;
    bool since_311 = false;  // of a code object: its layout
  };
  static constexpr uint64_t kCodeObjects = 8;
  static constexpr uint64_t kUntilNull = UINT64_MAX;
  static constexpr uint8_t kFlag = 0x80;  // of a type code: into the table of references

  // Makes `count` bytes from at_ on available. False at the end of the input.
  [[nodiscard]] bool Fill(uint64_t count);
  [[nodiscard]] bool Need(uint64_t count) {
    return bytes_.size() - at_ >= count || Fill(count) || StopAtEnd();
  }
  bool StopAtEnd();
  [[nodiscard]] uint8_t TakeByte() { return static_cast<uint8_t>(bytes_[at_++]); }
  // Compilers make one load of it.
  template <size_t kBytes>
  [[nodiscard]] uint64_t LittleEndian(uint64_t at) const {
    uint64_t value = 0;
    for (size_t i = 0; i < kBytes; ++i) {
      value |= uint64_t{static_cast<uint8_t>(bytes_[at + i])} << (8 * i);
    }
    return value;
  }
  template <size_t kBytes>
  [[nodiscard]] uint64_t TakeLittleEndian() {
    const uint64_t value = LittleEndian<kBytes>(at_);
    at_ += kBytes;
    return value;
  }
  [[nodiscard]] bool TakeLength(bool one_byte, uint32_t& length);

  // The values that nearly all of a profile is made of, where their bytes are at hand. False: it is
  // another one, or one that needs a closer look, and nothing was taken.
  [[nodiscard]] bool NextCommon(Value& value);
  [[nodiscard]] bool NextAny(Value& value);
  // The head of any value; `open` gets the elements that follow it.
  [[nodiscard]] bool ReadHead(Value& value, Open& open);
  [[nodiscard]] bool ReadBytes(bool one_byte_length, Value& value);
  [[nodiscard]] bool ReadDecimal(Value& value);
  [[nodiscard]] bool ReadLong(Value& value);
  [[nodiscard]] bool ReadBack(Value& value, bool of_interned);
  [[nodiscard]] bool SkipElements(Open first);
  [[nodiscard]] bool ReadCodeHead(Value& value, Open& open);
  void KeepOfCode(const Value& element, uint64_t place, bool is_outermost, Open& open);
  [[nodiscard]] bool ReadCodeLine(bool is_outermost, Open& open);
  void AddRef(Value& value);
  // An integer of five bytes at `at`, whose place in the table of references is not yet taken.
  [[nodiscard]] bool IntegerAt(uint64_t at, int64_t& integer) const;
  void AddIntegerRef(uint64_t at, int64_t integer);
  // What the reference at `at` means; kNoMeaning if there is none.
  [[nodiscard]] uint32_t MeaningAt(uint64_t at, ValueKind kind) const;
  [[nodiscard]] Value FromRef(uint32_t index, uint64_t offset) const;

  ByteSource& source_;
  const ReadOptions& options_;
  Column<char> bytes_;  // all of the input so far: references lead back into it
  bool ended_ = false;
  uint64_t at_ = 0;
  std::vector<uint64_t> return_to_;  // where replays go on; while there are any, flags do not count
  std::vector<uint64_t> replay_from_;
  uint64_t replayed_bytes_ = 0;
  Column<Ref> refs_;
  std::vector<std::pair<uint64_t, uint32_t>> interned_;  // Python 2: texts that R counts
  std::vector<Code> codes_;                              // those that are no part of another
  size_t code_numbers_ = 0;  // how many numbers begin a code object, from the first one on
  uint64_t repaired_ = 0;
  Damage damage_;
};

inline void MarshalReader::AddRef(Value& value) {
  const bool complete = value.kind != ValueKind::kTuple && value.kind != ValueKind::kDict &&
                        value.kind != ValueKind::kCode;
  value.ref = static_cast<uint32_t>(refs_.size());
  Ref ref;
  ref.bits = value.bits;
  ref.count = std::min(value.count, kMostCount) & kMostCount;
  ref.latin1 = value.latin1 ? 1 : 0;
  ref.complete = complete ? 1 : 0;
  ref.SetKind(value.kind);
  refs_.push_back(ref);
}

inline Value MarshalReader::FromRef(uint32_t index, uint64_t offset) const {
  const Ref& ref = refs_[index];
  return {
      static_cast<ValueKind>(ref.kind), ref.latin1 != 0, true, index, ref.count, ref.bits, offset};
}

inline bool MarshalReader::IntegerAt(uint64_t at, int64_t& integer) const {
  const auto code = static_cast<uint8_t>(bytes_[at]);
  const auto word = static_cast<uint32_t>(LittleEndian<4>(at + 1));
  if ((code & ~kFlag) == 'i') {
    integer = static_cast<int32_t>(word);
    return true;
  }
  if (code != 'r' || word >= refs_.size() || !refs_[word].Is(ValueKind::kInteger)) return false;
  integer = static_cast<int64_t>(refs_[word].bits);
  return integer != kTooLarge;
}

inline void MarshalReader::AddIntegerRef(uint64_t at, int64_t integer) {
  if (static_cast<uint8_t>(bytes_[at]) != ('i' | kFlag) || !return_to_.empty()) return;
  Ref ref;
  ref.bits = static_cast<uint64_t>(integer);
  ref.complete = 1;
  ref.SetKind(ValueKind::kInteger);
  refs_.push_back(ref);
}

inline uint32_t MarshalReader::MeaningAt(uint64_t at, ValueKind kind) const {
  if (bytes_[at] != 'r') return kNoMeaning;
  const auto index = static_cast<uint32_t>(LittleEndian<4>(at + 1));
  if (index >= refs_.size() || !refs_[index].Is(kind) || refs_[index].complete == 0) {
    return kNoMeaning;
  }
  return refs_[index].meaning;
}

inline bool MarshalReader::TakeNumbers(bool tuple, std::array<int64_t, 2>& counts,
                                       std::array<double, 2>& times) {
  constexpr uint64_t kBytes = 2 + 2 * 5 + 2 * 9;
  if (bytes_.size() - at_ < kBytes) return false;
  uint64_t at = at_;
  if (tuple) {
    if (bytes_[at] != ')' || bytes_[at + 1] != 4) return false;
    at += 2;
  }
  if (bytes_[at + 10] != 'g' || bytes_[at + 19] != 'g') return false;
  if (!IntegerAt(at, counts[0])) return false;
  const size_t refs_before = refs_.size();
  AddIntegerRef(at, counts[0]);  // the second may refer to it
  if (!IntegerAt(at + 5, counts[1])) {
    refs_.resize(refs_before);
    return false;
  }
  AddIntegerRef(at + 5, counts[1]);
  times[0] = std::bit_cast<double>(LittleEndian<8>(at + 11));
  times[1] = std::bit_cast<double>(LittleEndian<8>(at + 20));
  at_ = at + 28;
  return true;
}

inline bool MarshalReader::TakeMeaning(ValueKind kind, uint32_t& meaning) {
  if (bytes_.size() - at_ < 5) return false;
  meaning = MeaningAt(at_, kind);
  if (meaning == kNoMeaning) return false;
  at_ += 5;
  return true;
}

inline bool MarshalReader::TakeKey(uint32_t& file, int64_t& line, uint32_t& name) {
  constexpr uint64_t kBytes = 2 + 3 * 5;
  if (bytes_.size() - at_ < kBytes || bytes_[at_] != ')' || bytes_[at_ + 1] != 3) return false;
  file = MeaningAt(at_ + 2, ValueKind::kText);
  name = MeaningAt(at_ + 12, ValueKind::kText);
  if (file == kNoMeaning || name == kNoMeaning || !IntegerAt(at_ + 7, line)) return false;
  AddIntegerRef(at_ + 7, line);
  at_ += kBytes;
  return true;
}

inline bool MarshalReader::NextCommon(Value& value) {
  const uint64_t at = at_;
  const uint64_t left = bytes_.size() - at;
  if (left < 9) return false;  // a code and eight bytes
  const auto code = static_cast<uint8_t>(bytes_[at]);
  switch (code & ~kFlag) {
    case 'g':
      value = {ValueKind::kFloat, false, false, kNoRef, 0, LittleEndian<8>(at + 1), at};
      at_ = at + 9;
      break;
    case 'i': {
      const auto integer = static_cast<int32_t>(LittleEndian<4>(at + 1));
      value = {ValueKind::kInteger, false, false, kNoRef, 0, static_cast<uint64_t>(integer), at};
      at_ = at + 5;
      break;
    }
    case 'r': {
      const auto index = static_cast<uint32_t>(LittleEndian<4>(at + 1));
      if (index >= refs_.size() || refs_[index].complete == 0) return false;
      value = FromRef(index, at);
      at_ = at + 5;
      return true;
    }
    case 'z':
    case 'Z': {
      const auto count = static_cast<uint8_t>(bytes_[at + 1]);
      if (left < uint64_t{2} + count) return false;
      value = {ValueKind::kText, true, false, kNoRef, count, at + 2, at};
      at_ = at + 2 + count;
      break;
    }
    case ')':
      value = {ValueKind::kTuple,
               false,
               false,
               kNoRef,
               static_cast<uint8_t>(bytes_[at + 1]),
               at + 2,
               at};
      at_ = at + 2;
      break;
    case '{':
      value = {ValueKind::kDict, false, false, kNoRef, 0, at + 1, at};
      at_ = at + 1;
      break;
    case '0':
      value = {ValueKind::kNull, false, false, kNoRef, 0, 0, at};
      at_ = at + 1;
      return true;
    default:
      return false;
  }
  if ((code & kFlag) != 0 && return_to_.empty()) AddRef(value);
  return true;
}

}  // namespace telltale::pstats
