// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/tensor.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include "base/protobuf.h"

namespace telltale::tfevents {

namespace {

using protobuf::Field;
using protobuf::MessageReader;
using protobuf::WireType;

template <typename T>
double Load(const char* at) {
  T number{};
  std::memcpy(&number, at, sizeof(T));
  return static_cast<double>(number);
}

// Bytes of an element in tensor_content; 0: a type that we do not know, or texts.
size_t BytesOf(DataType type) {
  switch (type) {
    case DataType::kDouble:
    case DataType::kInt64:
    case DataType::kUint64:
      return 8;
    case DataType::kFloat:
    case DataType::kInt32:
    case DataType::kUint32:
      return 4;
    case DataType::kInt16:
    case DataType::kUint16:
    case DataType::kHalf:
    case DataType::kBfloat16:
      return 2;
    case DataType::kInt8:
    case DataType::kUint8:
    case DataType::kBool:
      return 1;
    default:
      return 0;
  }
}

double Element(DataType type, const char* at) {
  switch (type) {
    case DataType::kDouble:
      return Load<double>(at);
    case DataType::kFloat:
      return Load<float>(at);
    case DataType::kInt64:
      return Load<int64_t>(at);
    case DataType::kUint64:
      return Load<uint64_t>(at);
    case DataType::kInt32:
      return Load<int32_t>(at);
    case DataType::kUint32:
      return Load<uint32_t>(at);
    case DataType::kInt16:
      return Load<int16_t>(at);
    case DataType::kUint16:
      return Load<uint16_t>(at);
    case DataType::kInt8:
      return Load<int8_t>(at);
    case DataType::kHalf: {
      uint16_t bits = 0;
      std::memcpy(&bits, at, 2);
      return FromHalf(bits);
    }
    case DataType::kBfloat16: {
      uint16_t bits = 0;
      std::memcpy(&bits, at, 2);
      return FromBfloat16(bits);
    }
    default:
      return Load<uint8_t>(at);
  }
}

// An element of half_val. torch writes the bits of the float there, whose exponent does not fit in
// sixteen of them.
double HalfElement(DataType type, uint64_t value) {
  if (value > 0xffff) return double{std::bit_cast<float>(static_cast<uint32_t>(value))};
  const auto bits = static_cast<uint16_t>(value);
  return type == DataType::kBfloat16 ? FromBfloat16(bits) : FromHalf(bits);
}

// Calls use(number) for each element of a typed list. False: damaged.
template <typename Use>
bool ForEachElement(const Field& field, DataType type, Use use) {
  switch (field.number) {
    case tensor_field::kFloat:
      if (!field.IsBytes()) {
        if (field.type != WireType::kFixed32) return true;  // another field of the same number
        use(field.Double());
        return true;
      }
      if (field.bytes.size() % 4 != 0) return false;
      for (size_t i = 0; i < field.bytes.size(); i += 4) use(Load<float>(field.bytes.data() + i));
      return true;
    case tensor_field::kDouble:
      if (!field.IsBytes() && field.type != WireType::kFixed64) return true;
      return protobuf::ForEachNumber(field, WireType::kFixed64,
                                     [&](uint64_t bits) { use(std::bit_cast<double>(bits)); });
    case tensor_field::kInt:
      return protobuf::ForEachNumber(field, WireType::kVarint, [&](uint64_t value) {
        use(static_cast<double>(static_cast<int32_t>(value)));
      });
    case tensor_field::kInt64:
      return protobuf::ForEachNumber(field, WireType::kVarint, [&](uint64_t value) {
        use(static_cast<double>(static_cast<int64_t>(value)));
      });
    case tensor_field::kBool:
      return protobuf::ForEachNumber(field, WireType::kVarint,
                                     [&](uint64_t value) { use(value != 0 ? 1.0 : 0.0); });
    case tensor_field::kHalf:
      return protobuf::ForEachNumber(field, WireType::kVarint, [&](uint64_t value) {
        use(HalfElement(type, value & 0xffffffff));
      });
    case tensor_field::kUint32:
    case tensor_field::kUint64:
      return protobuf::ForEachNumber(field, WireType::kVarint,
                                     [&](uint64_t value) { use(static_cast<double>(value)); });
    default:
      return true;
  }
}

// TensorShapeProto: { 2: { 1: size } … , 3: unknown rank }. False: damaged.
bool ReadShape(std::string_view bytes, std::vector<int64_t>& shape) {
  MessageReader reader(bytes);
  while (reader.Next()) {
    if (reader.field().number != 2 || !reader.field().IsBytes()) continue;
    int64_t size = 0;
    MessageReader dim(reader.field().bytes);
    while (dim.Next()) {
      if (dim.field().number == 1 && dim.field().IsNumber()) size = dim.field().Signed();
    }
    if (dim.bad() || shape.size() == 255) return false;
    shape.push_back(size);
  }
  return !reader.bad();
}

DataType TypeOf(std::string_view tensor_proto) {
  MessageReader reader(tensor_proto);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (field.number == tensor_field::kDtype && field.type == WireType::kVarint) {
      return field.value <= 255 ? static_cast<DataType>(field.value) : DataType::kInvalid;
    }
  }
  return DataType::kInvalid;
}

}  // namespace

double FromHalf(uint16_t bits) {
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  const int exponent = (bits >> 10) & 31;
  const int fraction = bits & 0x3ff;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VAL : std::nan("");
  if (exponent == 0) return sign * std::ldexp(fraction, -24);
  return sign * std::ldexp(1024 + fraction, exponent - 25);
}

double FromBfloat16(uint16_t bits) { return double{std::bit_cast<float>(uint32_t{bits} << 16)}; }

std::optional<double> SingleNumber(std::string_view tensor_proto) {
  const DataType type = TypeOf(tensor_proto);
  size_t count = 0;
  double number = 0;
  bool fits_shape = true;
  MessageReader reader(tensor_proto);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (field.number == tensor_field::kContent && field.IsBytes()) {
      if (field.bytes.empty()) continue;
      if (field.bytes.size() != BytesOf(type)) return std::nullopt;
      number = Element(type, &field.bytes.front());
      ++count;
    } else if (field.number == tensor_field::kShape && field.IsBytes()) {
      std::vector<int64_t> shape;
      if (!ReadShape(field.bytes, shape)) return std::nullopt;
      for (const int64_t size : shape) fits_shape &= size == 1;
    } else if (field.number == tensor_field::kString ||
               !ForEachElement(field, type, [&](double element) {
                 number = element;
                 ++count;
               })) {
      return std::nullopt;
    }
  }
  if (reader.bad() || !fits_shape || BytesOf(type) == 0 || count > 1) return std::nullopt;
  return number;  // a list without elements is one of zeros
}

Result<Tensor> DecodeTensor(std::string_view tensor_proto, size_t most) {
  const auto refuse = [](const std::string& why) {
    return Fail(ErrorCode::kUnreadable, "the value is no tensor that can be shown: " + why);
  };
  Tensor tensor;
  tensor.type = TypeOf(tensor_proto);
  std::string_view content;
  MessageReader reader(tensor_proto);
  while (reader.Next()) {
    const Field& field = reader.field();
    if (field.number == tensor_field::kContent && field.IsBytes()) {
      content = field.bytes;
    } else if (field.number == tensor_field::kString && field.IsBytes()) {
      tensor.strings.push_back(field.bytes);
    } else if (field.number == tensor_field::kShape && field.IsBytes()) {
      if (!ReadShape(field.bytes, tensor.shape)) return refuse("its shape is damaged");
    } else if (!ForEachElement(field, tensor.type,
                               [&](double element) { tensor.numbers.push_back(element); })) {
      return refuse("a list of numbers is damaged");
    }
  }
  if (reader.bad()) return refuse("its message is damaged");

  uint64_t elements = 1;
  for (const int64_t size : tensor.shape) {
    if (size < 0) return refuse("its shape is not known");
    if (__builtin_mul_overflow(elements, static_cast<uint64_t>(size), &elements)) {
      elements = UINT64_MAX;
      break;
    }
  }
  const std::string claims = std::to_string(elements) + " elements";
  if (elements > most) return refuse("it claims " + claims);
  if (tensor.type == DataType::kString) {
    if (tensor.strings.size() == 1 && elements > 1 && elements <= 4096) {
      tensor.strings.resize(elements, tensor.strings[0]);
    }
    if (tensor.strings.size() != elements) {
      return refuse(std::to_string(tensor.strings.size()) + " texts for " + claims);
    }
    return tensor;
  }
  const size_t width = BytesOf(tensor.type);
  if (width == 0) {
    return refuse("its type is number " + std::to_string(static_cast<int>(tensor.type)));
  }
  if (!content.empty()) {
    if (content.size() != elements * width) {
      return refuse(std::to_string(content.size()) + " bytes for " + claims);
    }
    tensor.numbers.clear();
    tensor.numbers.reserve(elements);
    for (size_t i = 0; i < content.size(); i += width) {
      tensor.numbers.push_back(Element(tensor.type, content.data() + i));
    }
    return tensor;
  }
  if (tensor.numbers.size() > elements) return refuse("more numbers than " + claims);
  // The last one of the list stands for all that are missing, zero where there is none. A few bytes
  // must not become a gigabyte.
  constexpr size_t kMostRepeated = size_t{1} << 20;
  if (elements > tensor.numbers.size() && elements > kMostRepeated) {
    return refuse(std::to_string(tensor.numbers.size()) + " numbers for " + claims);
  }
  const double last = tensor.numbers.empty() ? 0 : tensor.numbers.back();
  tensor.numbers.resize(elements, last);
  return tensor;
}

}  // namespace telltale::tfevents
