// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/projector_tensor.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace telltale::tfevents {

namespace {

Result<ProjectorTensor> ReadTable(std::string_view text) {
  ProjectorTensor tensor;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    size_t columns = 0;
    while (true) {
      const size_t tab = std::min(line.find('\t'), line.size());
      std::string_view word = line.substr(0, tab);
      while (word.starts_with(' ') || word.starts_with('+')) word.remove_prefix(1);
      while (word.ends_with(' ')) word.remove_suffix(1);
      double value = 0;
      const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (error == std::errc::invalid_argument || stop != word.data() + word.size()) {
        return Fail(ErrorCode::kUnreadable, "the tensor's file has something that is no number");
      }
      tensor.values.push_back(static_cast<float>(value));
      ++columns;
      if (tab == line.size()) break;
      line.remove_prefix(tab + 1);
    }
    if (tensor.rows > 0 && columns != tensor.columns) {
      return Fail(ErrorCode::kUnreadable, "the rows of the tensor's file differ in length");
    }
    tensor.columns = columns;
    ++tensor.rows;
  }
  return tensor;
}

// "'shape': (12, 5)" of the header of a .npy file.
std::vector<int64_t> NpyShape(std::string_view header) {
  std::vector<int64_t> shape;
  const size_t open = header.find('(');
  const size_t close = header.find(')', std::min(open, header.size()));
  if (close == std::string_view::npos) return shape;
  for (size_t at = open + 1; at < close;) {
    int64_t number = 0;
    const auto [end, error] = std::from_chars(header.data() + at, header.data() + close, number);
    if (error == std::errc()) {
      shape.push_back(number);
      at = static_cast<size_t>(end - header.data());
    } else {
      ++at;
    }
  }
  return shape;
}

Result<ProjectorTensor> ReadFloats(std::string_view bytes, const std::vector<int64_t>& shape) {
  static_assert(std::endian::native == std::endian::little);
  const size_t count = bytes.size() / sizeof(float);
  if (shape.size() != 2 || shape[0] <= 0 || shape[1] <= 0 ||
      static_cast<uint64_t>(shape[0]) > count ||
      static_cast<uint64_t>(shape[1]) != count / static_cast<uint64_t>(shape[0]) ||
      count % static_cast<uint64_t>(shape[0]) != 0) {
    return Fail(ErrorCode::kUnreadable, "the tensor's file does not have the size of its shape");
  }
  ProjectorTensor tensor = {static_cast<size_t>(shape[0]), static_cast<size_t>(shape[1]), {}};
  tensor.values.resize(count);
  std::memcpy(tensor.values.data(), bytes.data(), count * sizeof(float));
  return tensor;
}

Result<ProjectorTensor> ReadNpy(std::string_view bytes) {
  constexpr size_t kPrefix = 10;
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<uint8_t>(bytes[at])); };
  if (bytes.size() < kPrefix + 2) return Fail(ErrorCode::kUnreadable, "the .npy file is cut off");
  const bool is_long = bytes[6] != 1;
  const size_t begin = is_long ? 12 : kPrefix;
  const size_t size = byte(8) | byte(9) << 8 | (is_long ? byte(10) << 16 | byte(11) << 24 : 0);
  if (size > bytes.size() - begin) return Fail(ErrorCode::kUnreadable, "the .npy file is cut off");
  const std::string_view header = bytes.substr(begin, size);
  if (header.find("'<f4'") == std::string_view::npos ||
      header.find("'fortran_order': False") == std::string_view::npos) {
    return Fail(ErrorCode::kUnreadable, "the .npy file does not hold rows of float32");
  }
  return ReadFloats(bytes.substr(begin + size), NpyShape(header));
}

}  // namespace

Result<ProjectorTensor> ReadProjectorTensor(std::string_view bytes,
                                            const std::vector<int64_t>& shape) {
  if (bytes.starts_with("\x93NUMPY")) return ReadNpy(bytes);
  Result<ProjectorTensor> table = ReadTable(bytes);
  if (table || shape.empty()) return table;
  return ReadFloats(bytes, shape);
}

}  // namespace telltale::tfevents
