// SPDX-License-Identifier: Apache-2.0
// Protocol buffers on the wire: a reader that walks the fields of a message without copying, and a
// writer that appends to one buffer. A message is a row of fields, each a key (number << 3 | type)
// and a value. Knows no schema. The reader believes nothing: lengths are checked, a bad field ends
// the message.
//   type 0: a varint (seven bits a byte, least first)    type 2: a length (varint) and bytes
//   type 1: eight bytes                                  type 5: four bytes
//   type 3 … 4 around fields: a group, which nothing uses any more; passed over
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace telltale::protobuf {

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

// Reads a varint from the front of `bytes`. Returns its length, 0 if the bytes end inside it, -1 if
// it is longer than ten bytes.
[[nodiscard]] inline int ReadVarint(std::string_view bytes, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < 10; ++i) {
    if (i == bytes.size()) return 0;
    const auto byte = static_cast<unsigned char>(bytes[i]);
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte < 0x80) return static_cast<int>(i + 1);
  }
  return -1;
}

// Takes a varint from the front; nothing if the bytes end in it or it has more than ten bytes.
[[nodiscard]] inline std::optional<uint64_t> TakeVarint(std::string_view& bytes) {
  uint64_t value = 0;
  const int length = ReadVarint(bytes, value);
  if (length <= 0) return std::nullopt;
  bytes.remove_prefix(static_cast<size_t>(length));
  return value;
}

struct Field {
  uint32_t number = 0;
  WireType type = WireType::kVarint;
  uint64_t value = 0;      // varint, fixed64, fixed32; of bytes 0
  std::string_view bytes;  // kBytes

  [[nodiscard]] bool IsBytes() const { return type == WireType::kBytes; }
  [[nodiscard]] bool IsNumber() const { return type != WireType::kBytes; }
  [[nodiscard]] int64_t Signed() const { return static_cast<int64_t>(value); }
  [[nodiscard]] double Double() const {
    if (type == WireType::kFixed64) return std::bit_cast<double>(value);
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(value)));
  }
};

// for (MessageReader reader(bytes); reader.Next();) use(reader.field());
class MessageReader {
 public:
  explicit MessageReader(std::string_view message) : rest_(message) {}

  // False at the end, or at damage: see bad().
  [[nodiscard]] bool Next() {
    uint64_t tag = 0;
    do {
      if (rest_.empty() || bad_) return false;
      if (!Tag(tag)) return false;
    } while ((tag & 7) == 3 && SkipGroup(field_.number));
    return !bad_ && Value(tag & 7);
  }
  [[nodiscard]] const Field& field() const { return field_; }
  [[nodiscard]] bool bad() const { return bad_; }
  // What comes after the field.
  [[nodiscard]] std::string_view rest() const { return rest_; }

 private:
  // Groups in groups: more than any writer makes, few enough for a list.
  static constexpr size_t kMostGroups = 100;

  bool Bad() {
    bad_ = true;
    return false;
  }
  bool Tag(uint64_t& tag) {
    if (!Varint(tag)) return false;
    field_.number = static_cast<uint32_t>(tag >> 3);
    return (tag >> 3 != 0 && tag >> 3 <= 0x1fffffff) || Bad();
  }
  bool Value(uint64_t type) {
    switch (type) {
      case 0:
        field_.type = WireType::kVarint;
        return Varint(field_.value);
      case 1:
        field_.type = WireType::kFixed64;
        return Fixed<uint64_t>();
      case 5:
        field_.type = WireType::kFixed32;
        return Fixed<uint32_t>();
      case 2: {
        uint64_t size = 0;
        if (!Varint(size)) return false;
        if (size > rest_.size()) return Bad();
        field_.type = WireType::kBytes;
        field_.value = 0;
        field_.bytes = rest_.substr(0, size);
        rest_.remove_prefix(size);
        return true;
      }
      default:
        return Bad();
    }
  }
  // To the end of the group whose beginning was read.
  bool SkipGroup(uint32_t number) {
    std::array<uint32_t, kMostGroups> open{};
    open[0] = number;
    size_t depth = 1;
    while (depth > 0) {
      uint64_t tag = 0;
      if (rest_.empty() || !Tag(tag)) return Bad();
      if ((tag & 7) == 3) {
        if (depth == kMostGroups) return Bad();
        open[depth++] = field_.number;
      } else if ((tag & 7) == 4) {
        if (open[--depth] != field_.number) return Bad();
      } else if (!Value(tag & 7)) {
        return false;
      }
    }
    return true;
  }
  bool Varint(uint64_t& value) {
    if (!rest_.empty() && static_cast<unsigned char>(rest_[0]) < 0x80) {
      value = static_cast<unsigned char>(rest_[0]);
      rest_.remove_prefix(1);
      return true;
    }
    const int length = ReadVarint(rest_, value);
    if (length <= 0) return Bad();
    rest_.remove_prefix(static_cast<size_t>(length));
    return true;
  }
  template <typename T>
  bool Fixed() {
    static_assert(std::endian::native == std::endian::little);
    if (rest_.size() < sizeof(T)) return Bad();
    T value{};
    std::copy_n(rest_.begin(), sizeof(T), reinterpret_cast<char*>(&value));
    field_.value = value;
    rest_.remove_prefix(sizeof(T));
    return true;
  }

  std::string_view rest_;
  Field field_;
  bool bad_ = false;
};

// Calls use(number) for each number of a repeated field, packed or not. False: it is damaged.
template <typename Use>
bool ForEachNumber(const Field& field, WireType type, Use use) {
  if (!field.IsBytes()) {
    use(field.value);
    return true;
  }
  std::string_view rest = field.bytes;
  while (!rest.empty()) {
    uint64_t value = 0;
    if (type == WireType::kFixed64) {
      if (rest.size() < 8) return false;
      std::memcpy(&value, rest.data(), 8);
      rest.remove_prefix(8);
    } else {
      const int length = ReadVarint(rest, value);
      if (length <= 0) return false;
      rest.remove_prefix(static_cast<size_t>(length));
    }
    use(value);
  }
  return true;
}

// Appends fields; messages may nest: Begin returns a mark for the matching End.
class MessageWriter {
 public:
  void Uint(uint32_t field, uint64_t value) {
    Tag(field, WireType::kVarint);
    Varint(value);
  }
  void Int(uint32_t field, int64_t value) { Uint(field, static_cast<uint64_t>(value)); }
  void Fixed64(uint32_t field, uint64_t value) {
    Tag(field, WireType::kFixed64);
    char raw[8];
    std::memcpy(raw, &value, 8);
    out_.append(raw, 8);
  }
  void Double(uint32_t field, double value) { Fixed64(field, std::bit_cast<uint64_t>(value)); }
  void Float(uint32_t field, float value) {
    Tag(field, WireType::kFixed32);
    char raw[4];
    std::memcpy(raw, &value, 4);
    out_.append(raw, 4);
  }
  void Bytes(uint32_t field, std::string_view bytes) {
    Tag(field, WireType::kBytes);
    Varint(bytes.size());
    out_.append(bytes);
  }

  [[nodiscard]] size_t Begin(uint32_t field) {
    Tag(field, WireType::kBytes);
    out_ += '\0';  // most messages are short: one byte holds the length
    return out_.size();
  }
  void End(size_t mark) {
    uint64_t size = out_.size() - mark;
    if (size >= 0x80) {
      size_t extra = 0;
      for (uint64_t rest = size >> 7; rest != 0; rest >>= 7) ++extra;
      out_.insert(mark, extra, '\0');
    }
    for (size_t at = mark - 1;; ++at) {
      out_[at] = static_cast<char>((size & 0x7f) | (size >= 0x80 ? 0x80U : 0U));
      size >>= 7;
      if (size == 0) break;
    }
  }

  // One number of a packed field, between its Begin and End.
  void Packed(uint64_t value) { Varint(value); }
  void Append(std::string_view encoded) { out_.append(encoded); }
  [[nodiscard]] std::string Take() { return std::exchange(out_, {}); }
  [[nodiscard]] std::string_view bytes() const { return out_; }
  [[nodiscard]] size_t size() const { return out_.size(); }
  void Clear() { out_.clear(); }

 private:
  void Tag(uint32_t field, WireType type) {
    Varint(uint64_t{field} << 3 | static_cast<uint64_t>(type));
  }
  void Varint(uint64_t value) {
    while (value >= 0x80) {
      out_ += static_cast<char>((value & 0x7f) | 0x80);
      value >>= 7;
    }
    out_ += static_cast<char>(value);
  }

  std::string out_;
};

}  // namespace telltale::protobuf
