// SPDX-License-Identifier: Apache-2.0
// Protocol buffers on the wire: a message is a row of fields, each a key (number << 3 | type) and a
// value. Reads fields of a message that is in memory; nothing is copied.
//   type 0: a varint (seven bits a byte, least first)    type 2: a length (varint) and bytes
//   type 1: eight bytes                                  type 5: four bytes
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace telltale::pprof {

// Takes a varint from the front; nothing if the bytes end in it or it has more than ten bytes.
[[nodiscard]] std::optional<uint64_t> TakeVarint(std::string_view& bytes);

struct Field {
  uint32_t number = 0;
  bool is_bytes = false;   // else a number
  uint64_t value = 0;      // of a varint or fixed number
  std::string_view bytes;  // of a text, message or packed list

  [[nodiscard]] int64_t signed_value() const { return static_cast<int64_t>(value); }
};

class Message {
 public:
  explicit Message(std::string_view bytes) : rest_(bytes) {}
  // The next field; nothing at the end or where the bytes make no sense (then broken()).
  [[nodiscard]] std::optional<Field> Next();
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  std::string_view rest_;
  bool broken_ = false;
};

// Calls `add(value)` for each number of a repeated field, packed or not. False: broken.
template <typename Add>
[[nodiscard]] bool EachNumber(const Field& field, Add add) {
  if (!field.is_bytes) {
    add(field.value);
    return true;
  }
  std::string_view rest = field.bytes;
  while (!rest.empty()) {
    const auto value = TakeVarint(rest);
    if (!value) return false;
    add(*value);
  }
  return true;
}

}  // namespace telltale::pprof
