// SPDX-License-Identifier: Apache-2.0
#include "formats/pstats/marshal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>

#include "base/large_pages.h"

namespace telltale::pstats {

namespace {

// CPython's own limit (MAX_MARSHAL_STACK_DEPTH).
constexpr size_t kMostDepth = 2000;
constexpr uint64_t kLeastRead = uint64_t{64} << 10;
constexpr uint64_t kMostRead = uint64_t{4} << 20;

// Python text as UTF-8: lone surrogates, which marshal writes as if they were code points, and
// bytes that are no UTF-8 become U+FFFD, as many as Python's "replace" makes.
bool AppendRepaired(std::string_view text, std::string& out) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  bool clean = true;
  for (size_t at = 0; at < text.size();) {
    const auto byte = [&](size_t i) {
      return i < text.size() ? static_cast<uint8_t>(text[i]) : uint8_t{0};
    };
    const uint8_t first = byte(at);
    if (first < 0x80) {
      out += text[at++];
      continue;
    }
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    // The second byte decides about overlong forms, surrogates and what is beyond Unicode.
    uint8_t least = 0x80;
    uint8_t most = 0xBF;
    if (first == 0xE0) least = 0xA0;
    if (first == 0xF0) least = 0x90;
    if (first == 0xF4) most = 0x8F;
    if (first == 0xED && byte(at + 1) >= 0xA0 && byte(at + 1) <= 0xBF &&
        (byte(at + 2) & 0xC0) == 0x80) {
      out += kReplacement;
      clean = false;
      at += 3;
      continue;
    }
    if (first == 0xED) most = 0x9F;
    size_t good = 1;
    if (first >= 0xC2 && first <= 0xF4) {
      while (good < length && byte(at + good) >= (good == 1 ? least : 0x80) &&
             byte(at + good) <= (good == 1 ? most : 0xBF)) {
        ++good;
      }
    }
    if (good == length && first >= 0xC2 && first <= 0xF4) {
      out += text.substr(at, length);
    } else {
      out += kReplacement;
      clean = false;
    }
    at += good;
  }
  return clean;
}

bool IsAscii(std::string_view text) {
  char all = 0;
  for (const char c : text) all = static_cast<char>(all | c);
  return static_cast<uint8_t>(all) < 0x80;
}

std::string Hex(uint8_t byte) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  return std::string("0x") + kDigits[byte >> 4] + kDigits[byte & 15];
}

}  // namespace

MarshalReader::MarshalReader(ByteSource& source, const ReadOptions& options, size_t expected_bytes)
    : source_(source), options_(options) {
  if (expected_bytes == 0) return;
  ReserveLarge(bytes_, expected_bytes + kMostRead);  // the last read needs room, too
  ReserveLarge(refs_, expected_bytes / 32);
}

std::string_view NameOf(ValueKind kind) {
  switch (kind) {
    case ValueKind::kNull:
      return "the end of a dictionary";
    case ValueKind::kSingleton:
      return "None or a truth value";
    case ValueKind::kInteger:
      return "an integer";
    case ValueKind::kFloat:
      return "a float";
    case ValueKind::kText:
      return "a text";
    case ValueKind::kTuple:
      return "a tuple";
    case ValueKind::kDict:
      return "a dictionary";
    case ValueKind::kCode:
      return "a code object";
    case ValueKind::kOther:
      return "a list, set or other object";
  }
  return "an object";
}

bool MarshalReader::Stop(Damage::Kind kind, std::string what, uint64_t offset) {
  if (damage_.kind == Damage::Kind::kNone) damage_ = {kind, std::move(what), offset};
  return false;
}

bool MarshalReader::StopAtEnd() {
  return Stop(Damage::Kind::kEnd, "the file ends too early", bytes_.size());
}

bool MarshalReader::Fill(uint64_t count) {
  if (damage_.kind != Damage::Kind::kNone) return false;
  while (bytes_.size() - at_ < count) {
    if (ended_) return false;
    if (options_.canceled != nullptr && options_.canceled->load(std::memory_order_relaxed)) {
      return Stop(Damage::Kind::kCanceled, "canceled", at_);
    }
    // Grows with what is there, never with what a length claims.
    const size_t before = bytes_.size();
    const size_t room = std::clamp<uint64_t>(before, kLeastRead, kMostRead);
    const Result<size_t> got = source_.Read(bytes_.extend(room), room);
    bytes_.resize(before + (got ? *got : 0));
    if (!got) return Stop(Damage::Kind::kFailed, got.error().message, before);
    if (*got == 0) ended_ = true;
    if (options_.progress) options_.progress(source_.consumed_bytes());
  }
  return true;
}

bool MarshalReader::TakeLength(bool one_byte, uint32_t& length) {
  if (!Need(one_byte ? 1 : 4)) return false;
  length = one_byte ? TakeByte() : static_cast<uint32_t>(TakeLittleEndian<4>());
  if (length > INT32_MAX) {
    return Stop(Damage::Kind::kDamaged, "a length is negative", at_ - 4);
  }
  return true;
}

bool MarshalReader::ReadBytes(bool one_byte_length, Value& value) {
  const uint64_t offset = at_;
  if (!TakeLength(one_byte_length, value.count)) return false;
  if (value.count > kMostCount) {
    return Stop(Damage::Kind::kDamaged,
                "a text claims to be " + std::to_string(value.count) + " bytes long", offset);
  }
  value.bits = at_;
  if (!Need(value.count)) return false;
  at_ += value.count;
  return true;
}

bool MarshalReader::ReadDecimal(Value& value) {
  Value text;
  if (!ReadBytes(true, text)) return false;
  const char* begin = bytes_.data() + text.place();
  const char* end = begin + text.count;
  if (begin != end && *begin == '+') ++begin;
  double number = 0;
  const auto [stopped, error] = std::from_chars(begin, end, number);
  if (begin == end || stopped != end ||
      (error != std::errc() && error != std::errc::result_out_of_range)) {
    return Stop(Damage::Kind::kDamaged, "a float is no number", text.place());
  }
  value.bits = std::bit_cast<uint64_t>(number);
  return true;
}

bool MarshalReader::ReadLong(Value& value) {
  if (!Need(4)) return false;
  const auto signed_count = static_cast<int32_t>(TakeLittleEndian<4>());
  const auto digits = static_cast<uint64_t>(std::abs(static_cast<int64_t>(signed_count)));
  if (digits > kMostCount) {
    return Stop(Damage::Kind::kDamaged,
                "an integer claims to have " + std::to_string(digits) + " digits", at_ - 4);
  }
  if (!Need(digits * 2)) return false;
  // Digits of 15 bits, the least first.
  uint64_t magnitude = 0;
  bool fits = true;
  for (uint64_t i = 0; i < digits; ++i) {
    const uint64_t digit = TakeLittleEndian<2>();
    if (digit > 0x7FFF) {
      return Stop(Damage::Kind::kDamaged, "an integer has a digit beyond 15 bits", at_ - 2);
    }
    if (digit == 0) continue;
    if (i > 4 || (i == 4 && digit > 7)) {
      fits = false;
    } else {
      magnitude |= digit << (15 * i);
    }
  }
  const auto number = static_cast<int64_t>(magnitude);
  value.bits = static_cast<uint64_t>(!fits ? kTooLarge : signed_count < 0 ? -number : number);
  return true;
}

bool MarshalReader::ReadBack(Value& value, bool of_interned) {
  const uint64_t offset = at_ - 1;
  if (!Need(4)) return false;
  const uint64_t index = TakeLittleEndian<4>();
  if (of_interned) {
    if (index < interned_.size()) {
      value = Value();
      value.kind = ValueKind::kText;
      value.count = interned_[index].second;
      value.bits = interned_[index].first;
      return true;
    }
  } else if (index < refs_.size() && refs_[index].complete != 0) {
    value = FromRef(static_cast<uint32_t>(index), offset);
    return true;
  }
  return Stop(Damage::Kind::kDamaged,
              "a reference leads to object " + std::to_string(index) + ", which is not there",
              offset);
}

bool MarshalReader::ReadHead(Value& value, Open& open) {
  value = Value();
  open = Open();
  if (!Need(1)) return false;
  value.offset = at_;
  const uint8_t code = TakeByte();
  const bool flagged = (code & kFlag) != 0 && return_to_.empty();
  switch (static_cast<char>(code & ~kFlag)) {
    case '0':
      value.kind = ValueKind::kNull;
      return true;
    case 'N':
    case 'T':
    case 'F':
    case 'S':
    case '.':
      value.kind = ValueKind::kSingleton;  // never in the table of references
      return true;
    case 'i':
      if (!Need(4)) return false;
      value.kind = ValueKind::kInteger;
      value.bits = static_cast<uint64_t>(static_cast<int32_t>(TakeLittleEndian<4>()));
      break;
    case 'I':
      if (!Need(8)) return false;
      value.kind = ValueKind::kInteger;
      value.bits = TakeLittleEndian<8>();
      break;
    case 'l':
      value.kind = ValueKind::kInteger;
      if (!ReadLong(value)) return false;
      break;
    case 'f':
      value.kind = ValueKind::kFloat;
      if (!ReadDecimal(value)) return false;
      break;
    case 'g':
      if (!Need(8)) return false;
      value.kind = ValueKind::kFloat;
      value.bits = TakeLittleEndian<8>();
      break;
    case 'x': {  // complex
      Value part;
      if (!ReadDecimal(part) || !ReadDecimal(part)) return false;
      break;
    }
    case 'y':
      if (!Need(16)) return false;
      at_ += 16;
      break;
    case 's':
    case 't':
    case 'u':
      value.kind = ValueKind::kText;
      if (!ReadBytes(false, value)) return false;
      if ((code & ~kFlag) == 't' && return_to_.empty()) {
        interned_.emplace_back(value.bits, value.count);
      }
      break;
    case 'a':
    case 'A':
    case 'z':
    case 'Z':
      value.kind = ValueKind::kText;
      value.latin1 = true;
      if (!ReadBytes((code & ~kFlag) == 'z' || (code & ~kFlag) == 'Z', value)) return false;
      break;
    case 'r':
      return ReadBack(value, false);
    case 'R':
      return ReadBack(value, true);
    case '(':
    case ')':
      value.kind = ValueKind::kTuple;
      if (!TakeLength((code & ~kFlag) == ')', value.count)) return false;
      value.bits = at_;
      open.left = value.count;
      break;
    case '{':
      value.kind = ValueKind::kDict;
      value.bits = at_;
      open.left = kUntilNull;
      break;
    case '[':
    case '<':
    case '>':
      if (!TakeLength(false, value.count)) return false;
      open.left = value.count;
      break;
    case ':':  // slice
      open.left = 3;
      break;
    case 'c':
      if (!ReadCodeHead(value, open)) return false;
      break;
    default:
      return Stop(Damage::Kind::kDamaged, "the type code " + Hex(code) + " is not known",
                  value.offset);
  }
  if (flagged) AddRef(value);
  open.ref = value.ref;
  return true;
}

// How many numbers there are changed with Python: the bytes of the code come behind them. Code that
// a profiler runs is a module's, with neither arguments nor local variables.
bool MarshalReader::ReadCodeHead(Value& value, Open& open) {
  constexpr std::array<size_t, 3> kCounts = {5, 6, 4};  // 3.0 to 3.7 and 3.11 on; 3.8 to 3.10; 2.7
  constexpr size_t kNumberBytes = 4;
  if (code_numbers_ == 0) {
    for (const size_t count : kCounts) {
      if (!Need(count * kNumberBytes + 1)) return false;
      const auto code = static_cast<uint8_t>(bytes_[at_ + count * kNumberBytes]);
      const bool is_module = LittleEndian<8>(at_) == 0 && LittleEndian<8>(at_ + 8) == 0;
      if ((code & ~kFlag) != 's' || (count == 6 && !is_module)) continue;
      code_numbers_ = count;
      break;
    }
    if (code_numbers_ == 0) {
      return Stop(Damage::Kind::kDamaged, "a code object has a layout that is not known",
                  value.offset);
    }
  }
  if (!Need(code_numbers_ * kNumberBytes)) return false;
  at_ += code_numbers_ * kNumberBytes;
  value.kind = ValueKind::kCode;
  value.bits = codes_.size();
  open.left = kCodeObjects;
  open.code = CodePart::kObjects;
  return true;
}

// Up to 3.10: code, constants, names, variables, free ones, cells, file, name. Since 3.11: code,
// constants, names, variables, their kinds (bytes), file, name, name with its classes.
void MarshalReader::KeepOfCode(const Value& element, uint64_t place, bool is_outermost,
                               Open& open) {
  constexpr uint64_t kKinds = 4;
  if (place == kKinds) open.since_311 = element.kind == ValueKind::kText;
  if (!is_outermost) return;
  const uint64_t file = open.since_311 ? 5 : 6;
  if (place == file) codes_.back().file = element;
  if (place == file + 1) codes_.back().name = element;
}

bool MarshalReader::ReadCodeLine(bool is_outermost, Open& open) {
  if (!Need(4)) return false;
  const auto line = static_cast<int32_t>(TakeLittleEndian<4>());
  if (is_outermost) codes_.back().line = line;
  open.left = open.since_311 ? 2 : 1;
  open.code = CodePart::kTables;
  return true;
}

std::string MarshalReader::CodeText(const Value& code) {
  const Code& kept = codes_[code.bits];
  std::string repaired;
  const auto text = [&](const Value& part) {
    return part.kind == ValueKind::kText ? std::string(Text(part, repaired)) : std::string("?");
  };
  std::string result = "<code object " + text(kept.name);
  result += ", file \"" + text(kept.file);
  return result + "\", line " + std::to_string(kept.line) + ">";
}

bool MarshalReader::SkipElements(Open first) {
  if (first.code != CodePart::kNone) codes_.emplace_back();
  std::vector<Open> stack = {first};
  while (!stack.empty()) {
    Open& top = stack.back();
    if (top.left == 0 && top.code == CodePart::kObjects) {
      if (!ReadCodeLine(stack.size() == 1, top)) return false;
      continue;
    }
    if (top.left == 0) {
      if (top.ref != kNoRef) refs_[top.ref].complete = 1;
      stack.pop_back();
      continue;
    }
    if (top.left != kUntilNull) --top.left;
    const bool in_dict = top.left == kUntilNull;
    Value value;
    Open open;
    if (!ReadHead(value, open)) return false;
    if (value.kind == ValueKind::kNull) {
      if (!in_dict) {
        return Stop(Damage::Kind::kDamaged, "an element is missing", value.offset);
      }
      stack.back().left = 0;
      continue;
    }
    // A code object inside another object names nothing.
    if (value.kind == ValueKind::kCode && value.ref != kNoRef && !value.is_back) {
      refs_[value.ref].SetKind(ValueKind::kOther);
    }
    if (top.code == CodePart::kObjects) {
      KeepOfCode(value, kCodeObjects - 1 - top.left, stack.size() == 1, top);
    }
    if (open.left == 0) {
      if (open.ref != kNoRef) refs_[open.ref].complete = 1;
      continue;
    }
    if (stack.size() >= kMostDepth) {
      return Stop(Damage::Kind::kDamaged,
                  "objects are nested more than " + std::to_string(kMostDepth) + " deep",
                  value.offset);
    }
    stack.push_back(open);
  }
  return true;
}

bool MarshalReader::NextAny(Value& value) {
  Open open;
  if (!ReadHead(value, open)) return false;
  const bool is_passed_over = value.kind == ValueKind::kOther || value.kind == ValueKind::kCode;
  if (is_passed_over && open.left > 0) return SkipElements(open);
  return true;
}

void MarshalReader::Replay(const Value& back) {
  return_to_.push_back(at_);
  at_ = back.place();
  replay_from_.push_back(at_);
}

bool MarshalReader::Return() {
  // Profiles repeat next to nothing this way.
  constexpr uint64_t kMostRepeats = 8;
  replayed_bytes_ += at_ - replay_from_.back();
  replay_from_.pop_back();
  at_ = return_to_.back();
  return_to_.pop_back();
  if (replayed_bytes_ <= kLeastRead + kMostRepeats * bytes_.size()) return true;
  return Stop(Damage::Kind::kDamaged, "references repeat more than the file has bytes for", at_);
}

std::string_view MarshalReader::Text(const Value& text, std::string& repaired) {
  const std::string_view raw(bytes_.data() + text.place(), text.count);
  if (IsAscii(raw)) return raw;
  repaired.clear();
  if (text.latin1) {
    for (const char c : raw) {
      const auto byte = static_cast<uint8_t>(c);
      if (byte < 0x80) {
        repaired += c;
      } else {
        repaired += static_cast<char>(0xC0 | (byte >> 6));
        repaired += static_cast<char>(0x80 | (byte & 0x3F));
      }
    }
    return repaired;
  }
  if (!AppendRepaired(raw, repaired)) ++repaired_;
  return repaired;
}

}  // namespace telltale::pstats
