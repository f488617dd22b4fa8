// SPDX-License-Identifier: Apache-2.0
// Writers repeat themselves: after `"cat": "cpu_op"` comes `,\n    "name": ` in every event of a
// file. This table remembers, for each such piece of text between two values, which piece followed
// it last, so that the usual case costs one comparison in place of finding a comma, white space, a
// key and a colon (bench: 1.37 s -> 0.98 s of processor time for 1 GB). What does not match takes
// the slow way and is learnt.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "formats/kineto_json/scan.h"

namespace telltale::kineto_json {

class ShapeTable {
 public:
  using Index = uint16_t;
  // Before the first key of an event, and of its args.
  static constexpr Index kEventStart = 1;
  static constexpr Index kArgsStart = 2;
  // The meaning of a piece that closes the object instead of naming a key.
  static constexpr uint8_t kEndOfObject = 255;

  ShapeTable() : shapes_() {}

  // The piece that begins at `p`, if it is one of the two that last followed `from`; else 0.
  [[nodiscard]] Index Match(Index from, const char* p) const {
    const Shape& shape = shapes_[from];
    if (IsAt(shapes_[shape.next], p)) return shape.next;
    if (IsAt(shapes_[shape.other], p)) return shape.other;
    return 0;
  }

  [[nodiscard]] uint8_t length(Index index) const { return shapes_[index].length; }
  [[nodiscard]] uint8_t meaning(Index index) const { return shapes_[index].meaning; }

  // Remembers that `text`, with this meaning, followed `from`. Returns its index, 0 if it cannot be
  // kept.
  Index Learn(Index from, std::string_view text, uint8_t meaning) {
    if (text.empty() || text.size() > kLongest || from == 0) return 0;
    Index index = kFirstFree;
    for (; index < used_; ++index) {
      const Shape& shape = shapes_[index];
      if (shape.length == text.size() && shape.meaning == meaning &&
          shape.in_args == shapes_[from].in_args &&
          std::memcmp(shape.text, text.data(), text.size()) == 0) {
        break;
      }
    }
    if (index == used_) {
      if (used_ == shapes_.size() || text.find(kPad) != std::string_view::npos) return 0;
      Shape& shape = shapes_[used_++];
      std::memcpy(shape.text, text.data(), text.size());
      shape.length = static_cast<uint8_t>(text.size());
      shape.meaning = meaning;
      shape.in_args = shapes_[from].in_args || from == kArgsStart;
    }
    Shape& shape = shapes_[from];
    if (shape.next != index) {
      shape.other = shape.next;
      shape.next = index;
    }
    return index;
  }

 private:
  static constexpr size_t kLongest = 48;  // reading them never passes the padding
  static constexpr Index kFirstFree = 3;

  struct Shape {
    char text[kLongest];
    Index next = 0;
    Index other = 0;
    uint8_t length = 0;  // 0: matches nothing
    uint8_t meaning = 0;
    bool in_args = false;
  };

  static bool IsAt(const Shape& shape, const char* p) {
    unsigned left = shape.length;
    for (size_t i = 0;; i += 16) {
      const unsigned equal = Bytes16(p + i).EqualTo(Bytes16(shape.text + i));
      if (left <= 16) return left != 0 && std::countr_one(equal) >= static_cast<int>(left);
      if (equal != 0xffff) return false;
      left -= 16;
    }
  }

  std::array<Shape, 256> shapes_;
  Index used_ = kFirstFree;
};

}  // namespace telltale::kineto_json
