// SPDX-License-Identifier: Apache-2.0
// Reads the binary answers back, byte by byte as docs/http-api.md has them, for tests. Shares no
// code with the encoder.
#pragma once

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <simdjson.h>

namespace telltale {

struct DecodedBox {
  uint32_t track = 0;
  uint32_t depth = 0;
  double start_ns = 0;
  double duration_ns = 0;
  uint32_t event = 0;
  uint32_t count = 0;
  std::string name;
  uint8_t category = 0;
  friend bool operator==(const DecodedBox&, const DecodedBox&) = default;
};

class BinaryCursor {
 public:
  explicit BinaryCursor(std::string_view bytes) : bytes_(bytes) {}

  void Magic(std::string_view magic) {
    if (Take(4) != magic) throw std::runtime_error("wrong magic");
  }
  uint32_t U32() {
    const std::string_view text = Take(4);
    uint32_t value = 0;
    for (int i = 3; i >= 0; --i) {
      value = value << 8 | static_cast<unsigned char>(text[static_cast<size_t>(i)]);
    }
    return value;
  }
  double F64() {
    const uint64_t low = U32();
    const uint64_t bits = low | uint64_t{U32()} << 32;
    double value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  std::string_view Take(size_t count) {
    if (count > bytes_.size()) throw std::runtime_error("too short");
    const std::string_view taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }
  [[nodiscard]] std::string_view rest() const { return bytes_; }

 private:
  std::string_view bytes_;
};

// Which spans of a view the bytes hold.
struct DecodedPart {
  uint32_t skipped = 0;
  uint32_t total = 0;
};

inline std::vector<DecodedBox> DecodeSpans(std::string_view bytes, DecodedPart* part = nullptr) {
  BinaryCursor cursor(bytes);
  cursor.Magic("TTS2");
  const uint32_t rows = cursor.U32();
  const uint32_t count = cursor.U32();
  const uint32_t name_count = cursor.U32();
  DecodedPart read;
  read.skipped = cursor.U32();
  read.total = cursor.U32();
  if (read.skipped + count > read.total) throw std::runtime_error("more spans than there are");
  if (part != nullptr) *part = read;
  std::vector<DecodedBox> boxes(count);
  uint32_t expected_first = 0;
  for (uint32_t row = 0; row < rows; ++row) {
    const uint32_t track = cursor.U32();
    const uint32_t depth = cursor.U32();
    const uint32_t first = cursor.U32();
    const uint32_t in_row = cursor.U32();
    if (first != expected_first || in_row == 0) throw std::runtime_error("rows are not in order");
    expected_first += in_row;
    for (uint32_t i = first; i < first + in_row; ++i) {
      boxes.at(i).track = track;
      boxes.at(i).depth = depth;
    }
  }
  if (expected_first != count) throw std::runtime_error("rows do not sum to the spans");
  for (DecodedBox& box : boxes) box.start_ns = cursor.F64();
  for (DecodedBox& box : boxes) box.duration_ns = cursor.F64();
  for (DecodedBox& box : boxes) box.event = cursor.U32();
  for (DecodedBox& box : boxes) box.count = cursor.U32();
  std::vector<uint32_t> names(count);
  for (uint32_t& name : names) name = cursor.U32();
  for (DecodedBox& box : boxes) box.category = static_cast<uint8_t>(cursor.Take(1)[0]);
  while ((bytes.size() - cursor.rest().size()) % 4 != 0) {
    if (cursor.Take(1)[0] != '\0') throw std::runtime_error("padding is not zero");
  }
  simdjson::dom::parser parser;
  const simdjson::dom::array texts = parser.parse(simdjson::padded_string(cursor.rest()));
  if (texts.size() != name_count) throw std::runtime_error("wrong number of names");
  for (uint32_t i = 0; i < count; ++i) {
    boxes[i].name = std::string(std::string_view(texts.at(names[i])));
  }
  return boxes;
}

struct DecodedPoint {
  double time_ns = 0;
  double least = 0;
  double greatest = 0;
  double last = 0;
};

inline std::vector<DecodedPoint> DecodeSeries(std::string_view bytes) {
  BinaryCursor cursor(bytes);
  cursor.Magic("TTC1");
  std::vector<DecodedPoint> points(cursor.U32());
  for (DecodedPoint& point : points) point.time_ns = cursor.F64();
  for (DecodedPoint& point : points) point.least = cursor.F64();
  for (DecodedPoint& point : points) point.greatest = cursor.F64();
  for (DecodedPoint& point : points) point.last = cursor.F64();
  if (!cursor.rest().empty()) throw std::runtime_error("bytes left over");
  return points;
}

}  // namespace telltale
