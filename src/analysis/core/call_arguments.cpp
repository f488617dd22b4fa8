// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/call_arguments.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/core/json_cursor.h"

namespace telltale {

namespace {

struct TypeRow {
  NumberType type;
  std::string_view name;
  int64_t bytes;
};
constexpr auto kTypes = std::to_array<TypeRow>({
    {NumberType::kFp64, "fp64", 8},
    {NumberType::kFp32, "fp32", 4},
    {NumberType::kFp16, "fp16", 2},
    {NumberType::kBf16, "bf16", 2},
    {NumberType::kFp8, "fp8", 1},
    {NumberType::kInt64, "int64", 8},
    {NumberType::kInt32, "int32", 4},
    {NumberType::kInt16, "int16", 2},
    {NumberType::kInt8, "int8", 1},
    {NumberType::kBool, "bool", 1},
    {NumberType::kComplex64, "complex64", 8},
    {NumberType::kComplex128, "complex128", 16},
});
static_assert(kTypes.size() == kNumberTypeCount);

constexpr auto kTexts = std::to_array<std::pair<std::string_view, NumberType>>({
    {"float", NumberType::kFp32},
    {"c10::BFloat16", NumberType::kBf16},
    {"c10::Half", NumberType::kFp16},
    {"double", NumberType::kFp64},
    {"long int", NumberType::kInt64},
    {"long", NumberType::kInt64},
    {"long long", NumberType::kInt64},
    {"__int64", NumberType::kInt64},
    {"int", NumberType::kInt32},
    {"unsigned int", NumberType::kInt32},
    {"short", NumberType::kInt16},
    {"short int", NumberType::kInt16},
    {"unsigned short", NumberType::kInt16},
    {"signed char", NumberType::kInt8},
    {"unsigned char", NumberType::kInt8},
    {"char", NumberType::kInt8},
    {"bool", NumberType::kBool},
    {"c10::complex<float>", NumberType::kComplex64},
    {"c10::complex<double>", NumberType::kComplex128},
});

// What is written for arguments that are no tensors.
bool IsNoTensor(std::string_view type) {
  return type.empty() || type == "Scalar" || type == "ScalarList" || type == "TensorList" ||
         type == "GenericList" || type == "None";
}

// [1,2,3], nullopt for anything else; the value is stepped over either way.
std::optional<Shape> ReadShape(JsonCursor& cursor) {
  JsonCursor inner = cursor;
  cursor.Skip();
  return inner.Integers();
}

// The elements of a list: calls `each(cursor)`, which must take one value.
template <typename Each>
void ForEach(std::string_view list, Each each) {
  JsonCursor cursor(list);
  if (!cursor.Take('[') || cursor.Sees(']')) return;
  do {
    const std::string_view before = cursor.rest();
    each(cursor);
    if (cursor.rest().size() == before.size()) return;  // nothing taken: not a list
  } while (cursor.Take(','));
}

struct Dims {
  std::optional<Shape> shape;
  std::vector<Shape> shapes;  // of a list of tensors
};

Dims ReadDims(JsonCursor& cursor) {
  JsonCursor ahead = cursor;
  Dims dims;
  if (ahead.Take('[') && ahead.Sees('[')) {
    const std::string_view whole = cursor.rest();
    cursor.Skip();
    ForEach(whole.substr(0, whole.size() - cursor.rest().size()), [&](JsonCursor& inner) {
      if (const std::optional<Shape> shape = ReadShape(inner)) dims.shapes.push_back(*shape);
    });
    return dims;
  }
  dims.shape = ReadShape(cursor);
  return dims;
}

}  // namespace

std::string_view NameOf(NumberType type) { return kTypes[static_cast<size_t>(type)].name; }
int64_t BytesOf(NumberType type) { return kTypes[static_cast<size_t>(type)].bytes; }

std::optional<NumberType> NumberTypeOf(std::string_view text) {
  if (text.starts_with("struct ")) text.remove_prefix(7);  // as MSVC writes it
  for (const auto& [known, type] : kTexts) {
    if (known == text) return type;
  }
  if (text.starts_with("c10::Float8_")) return NumberType::kFp8;
  return std::nullopt;
}

Count Elements(const Shape& shape) {
  Count count(1);
  for (const int64_t size : shape) count *= size;
  return count;
}

CallArguments::CallArguments(std::string_view dims, std::string_view types,
                             std::string_view concrete, bool in_place)
    : in_place_(in_place) {
  std::vector<std::vector<std::string>> type_texts;  // a list of tensors has several
  ForEach(types, [&](JsonCursor& cursor) {
    std::vector<std::string> texts;
    if (cursor.Sees('[')) {
      const std::string_view whole = cursor.rest();
      cursor.Skip();
      ForEach(whole.substr(0, whole.size() - cursor.rest().size()),
              [&](JsonCursor& inner) { texts.push_back(inner.String().value_or("")); });
    } else {
      texts.push_back(cursor.String().value_or(""));
    }
    type_texts.push_back(std::move(texts));
  });
  ForEach(dims, [&](JsonCursor& cursor) {
    const Dims read = ReadDims(cursor);
    const size_t i = arguments_.size();
    Argument argument;
    if (i < type_texts.size() && !type_texts[i].empty()) {
      const std::vector<std::string>& texts = type_texts[i];
      const std::optional<NumberType> type = NumberTypeOf(texts.front());
      if (read.shape && type) {
        argument.tensor = Tensor{*read.shape, *type};
      } else if (read.shape && texts.size() == 1) {
        argument.unknown_tensor = !IsNoTensor(texts.front());
      }
      for (size_t k = 0; k < read.shapes.size(); ++k) {
        const auto each = NumberTypeOf(texts[std::min(k, texts.size() - 1)]);
        if (!each) {
          argument.list.clear();  // all of them, or none
          break;
        }
        argument.list.push_back(Tensor{read.shapes[k], *each});
      }
    }
    arguments_.push_back(std::move(argument));
  });
  size_t i = 0;
  ForEach(concrete, [&](JsonCursor& cursor) {
    std::optional<std::string> text;
    if (cursor.Sees('"')) {
      text = cursor.String();
    } else {
      cursor.Skip();
    }
    has_concrete_ = true;
    if (text && i < arguments_.size()) arguments_[i].text = std::move(*text);
    ++i;
  });
}

const Tensor* CallArguments::TensorAt(size_t i) const {
  return i < arguments_.size() && arguments_[i].tensor ? &*arguments_[i].tensor : nullptr;
}

const std::vector<Tensor>& CallArguments::ListAt(size_t i) const {
  static const std::vector<Tensor> none;
  return i < arguments_.size() ? arguments_[i].list : none;
}

bool CallArguments::IsUnknownTensor(size_t i) const {
  return i < arguments_.size() && arguments_[i].unknown_tensor;
}

std::string_view CallArguments::Text(size_t i) const {
  return i < arguments_.size() ? std::string_view(arguments_[i].text) : std::string_view();
}

std::optional<bool> CallArguments::Flag(size_t i) const {
  const std::string_view text = Text(i);
  if (text == "True" || text == "true" || text == "1") return true;
  if (text == "False" || text == "false" || text == "0") return false;
  return std::nullopt;
}

std::optional<int64_t> CallArguments::Integer(size_t i) const {
  JsonCursor cursor(Text(i));
  const std::optional<int64_t> value = cursor.Integer();
  return value && cursor.AtEnd() ? value : std::nullopt;
}

std::optional<std::vector<int64_t>> CallArguments::Integers(size_t i) const {
  if (const std::optional<int64_t> one = Integer(i)) return std::vector<int64_t>{*one};
  JsonCursor cursor(Text(i));
  return ReadShape(cursor);
}

std::optional<std::vector<bool>> CallArguments::Flags(size_t i) const {
  JsonCursor cursor(Text(i));
  if (!cursor.Take('[')) return std::nullopt;
  std::vector<bool> flags;
  if (cursor.Take(']')) return flags;
  do {
    const std::string_view word = cursor.Word();
    if (word != "True" && word != "False") return std::nullopt;
    flags.push_back(word == "True");
  } while (cursor.Take(','));
  return cursor.Take(']') ? std::optional(flags) : std::nullopt;
}

Count CallArguments::BytesOfTensors(size_t first, size_t last) const {
  Count bytes;
  for (size_t i = first; i < std::min(last, arguments_.size()); ++i) {
    if (const Tensor* tensor = TensorAt(i)) bytes += tensor->bytes();
  }
  return bytes;
}

}  // namespace telltale
