// SPDX-License-Identifier: Apache-2.0
// TensorProto: numbers or texts with a shape. A value is in the raw bytes (tensor_content) or in
// the list of its type; a single one in a list stands for all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formats/tfevents/fields.h"

namespace telltale::tfevents {

// The one number of a tensor of any rank; nothing: it has none, several, or no numbers. Fast.
[[nodiscard]] std::optional<double> SingleNumber(std::string_view tensor_proto);

struct Tensor {
  DataType type = DataType::kInvalid;
  std::vector<int64_t> shape;
  std::vector<double> numbers;            // of all types but texts
  std::vector<std::string_view> strings;  // of kString; into the bytes that were decoded

  [[nodiscard]] size_t size() const {
    return type == DataType::kString ? strings.size() : numbers.size();
  }
};

// Refuses (kUnreadable) what is no tensor, claims more elements than `most`, or has another number
// of them than its shape.
[[nodiscard]] Result<Tensor> DecodeTensor(std::string_view tensor_proto,
                                          size_t most = size_t{64} << 20);

// IEEE half, and the upper half of a float.
[[nodiscard]] double FromHalf(uint16_t bits);
[[nodiscard]] double FromBfloat16(uint16_t bits);

}  // namespace telltale::tfevents
