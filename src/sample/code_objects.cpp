// SPDX-License-Identifier: Apache-2.0
#include "sample/code_objects.h"

#include <algorithm>
#include <cstring>

#include "sample/line_table.h"

namespace telltale {

namespace {

// The program may make functions without end; what it has forgotten need not be kept.
constexpr size_t kMostKnown = 200'000;
constexpr size_t kMostTextCharacters = 2048;
constexpr size_t kMostLineTableBytes = size_t{1} << 18;
// PyObject, PyVarObject and what all texts begin with.
constexpr size_t kTypeOffset = 8;
constexpr size_t kLengthOffset = 16;
constexpr size_t kTextStateOffset = 32;
constexpr size_t kTextHeadBytes = 40;
constexpr size_t kBytesOffset = 32;

template <typename T>
T ValueAt(std::span<const char> bytes, size_t offset) {
  T value = {};
  if (offset + sizeof value <= bytes.size()) {
    std::memcpy(&value, bytes.data() + offset, sizeof value);
  }
  return value;
}

void AppendUtf8(uint32_t character, std::string& out) {
  if (character < 0x80) {
    out += static_cast<char>(character);
  } else if (character < 0x800) {
    out += static_cast<char>(0xc0U | character >> 6);
    out += static_cast<char>(0x80U | (character & 0x3fU));
  } else if (character < 0x10000) {
    // Half of a pair alone: what a file name in another encoding becomes.
    if (character >= 0xd800 && character < 0xe000) character = 0xfffd;
    out += static_cast<char>(0xe0U | character >> 12);
    out += static_cast<char>(0x80U | (character >> 6 & 0x3fU));
    out += static_cast<char>(0x80U | (character & 0x3fU));
  } else if (character < 0x110000) {
    out += static_cast<char>(0xf0U | character >> 18);
    out += static_cast<char>(0x80U | (character >> 12 & 0x3fU));
    out += static_cast<char>(0x80U | (character >> 6 & 0x3fU));
    out += static_cast<char>(0x80U | (character & 0x3fU));
  } else {
    AppendUtf8(0xfffd, out);
  }
}

}  // namespace

bool CodeObjects::IsSame(const Head& a, const Head& b) const {
  return ValueAt<uint64_t>(a, layout_.file) == ValueAt<uint64_t>(b, layout_.file) &&
         ValueAt<uint64_t>(a, layout_.name) == ValueAt<uint64_t>(b, layout_.name) &&
         ValueAt<uint64_t>(a, layout_.lines) == ValueAt<uint64_t>(b, layout_.lines) &&
         ValueAt<int32_t>(a, layout_.first_line) == ValueAt<int32_t>(b, layout_.first_line);
}

std::optional<std::string> CodeObjects::ReadText(uint64_t address) {
  std::array<char, kTextHeadBytes> head;
  if (!memory_.Read(address, head.data(), head.size())) return std::nullopt;
  const auto length = ValueAt<uint64_t>(head, kLengthOffset);
  // interned (2 bits), kind (3), compact, ascii
  const auto state = ValueAt<uint32_t>(head, kTextStateOffset);
  const uint32_t kind = state >> 2 & 7U;
  const bool is_compact = (state >> 5 & 1U) != 0;
  const bool is_ascii = (state >> 6 & 1U) != 0;
  if (!is_compact || (kind != 1 && kind != 2 && kind != 4)) return std::nullopt;
  const size_t count = std::min<uint64_t>(length, kMostTextCharacters);
  std::string raw(count * kind, '\0');
  const uint64_t begin = address + (is_ascii ? layout_.ascii_bytes : layout_.compact_bytes);
  if (!memory_.Read(begin, raw.data(), raw.size())) return std::nullopt;
  std::string out;
  for (size_t i = 0; i < count; ++i) {
    uint32_t character = 0;
    std::memcpy(&character, raw.data() + i * kind, kind);
    AppendUtf8(character, out);
  }
  return out;
}

std::optional<std::string> CodeObjects::ReadBytes(uint64_t address) {
  uint64_t size = 0;
  if (!memory_.Read(address + kLengthOffset, &size, sizeof size) || size > kMostLineTableBytes) {
    return std::nullopt;
  }
  std::string out(size, '\0');
  if (!memory_.Read(address + kBytesOffset, out.data(), out.size())) return std::nullopt;
  return out;
}

bool CodeObjects::Learn(uint64_t address, const Head& head, Known& known) {
  if (code_type_ != 0 && ValueAt<uint64_t>(head, kTypeOffset) != code_type_) return false;
  std::optional<std::string> file = ReadText(ValueAt<uint64_t>(head, layout_.file));
  std::optional<std::string> name = ReadText(ValueAt<uint64_t>(head, layout_.name));
  if (!file || !name || name->empty()) return false;
  // The names may have been read after the object was gone.
  Head again;
  if (!memory_.Read(address, again.data(), again.size()) || !IsSame(head, again)) return false;
  known.head = head;
  known.code = {std::move(*file), std::move(*name),
                int64_t{ValueAt<int32_t>(head, layout_.first_line)}};
  known.lines.reset();
  return true;
}

bool CodeObjects::Find(std::span<const PythonFrame> frames, std::vector<CodeObject*>& found) {
  if (known_.size() > kMostKnown) known_.clear();
  found.clear();
  heads_.resize(std::max(heads_.size(), frames.size()));
  pieces_.clear();
  for (size_t i = 0; i < frames.size(); ++i) {
    // A recursion's frames are of one code object, which was read just before.
    const bool repeats = i > 0 && frames[i].code == frames[i - 1].code;
    if (!repeats)
      pieces_.push_back({frames[i].code, heads_[pieces_.size()].data(), kCodeHeadBytes});
  }
  if (memory_.ReadPieces(pieces_) != pieces_.size()) return false;
  size_t piece = 0;
  for (size_t i = 0; i < frames.size(); ++i) {
    if (i > 0 && frames[i].code == frames[i - 1].code) {
      found.push_back(found.back());
      continue;
    }
    const Head& head = heads_[piece++];
    const auto [entry, is_new] = known_.try_emplace(frames[i].code);
    Known& known = entry->second;
    if ((is_new || !IsSame(known.head, head)) && !Learn(frames[i].code, head, known)) {
      known_.erase(entry);
      return false;
    }
    found.push_back(&known.code);
  }
  return true;
}

int64_t CodeObjects::LineOf(const PythonFrame& frame) {
  const auto entry = known_.find(frame.code);
  if (entry == known_.end()) return 0;
  Known& known = entry->second;
  if (!known.lines) {
    known.lines = ReadBytes(ValueAt<uint64_t>(known.head, layout_.lines)).value_or(std::string());
  }
  int64_t offset = 0;
  if (layout_.instructions != 0) {
    offset = static_cast<int64_t>(frame.instruction - frame.code - layout_.instructions);
  } else {
    // 3.10 counts instructions of two bytes, 3.9 bytes.
    const int64_t unit = layout_.line_table == LineTableKind::kLineTable310 ? 2 : 1;
    offset = static_cast<int64_t>(static_cast<int32_t>(frame.instruction)) * unit;
  }
  return LineAt(layout_.line_table, *known.lines, known.code.first_line, offset);
}

}  // namespace telltale
