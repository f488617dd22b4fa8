// SPDX-License-Identifier: Apache-2.0
#include "server/tensorboard/mesh_parts.h"

#include <algorithm>
#include <bit>

#include "base/protobuf.h"
#include "base/utf8.h"

namespace telltale {

namespace {

template <typename T>
void Append(T value, std::string& out) {
  static_assert(std::endian::native == std::endian::little);
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace

MeshPart ReadMeshPart(std::string_view plugin_content) {
  MeshPart part;
  for (protobuf::MessageReader reader(plugin_content); reader.Next();) {
    const protobuf::Field& field = reader.field();
    if (field.number == 2) part.name = RepairUtf8(field.bytes);
    if (field.number == 3 && field.value <= 3) part.kind = static_cast<MeshKind>(field.value);
    if (field.number == 5) part.config = RepairUtf8(field.bytes);
    if (field.number == 6) {
      static_cast<void>(protobuf::ForEachNumber(
          field, protobuf::WireType::kVarint,
          [&](uint64_t size) { part.shape.push_back(static_cast<int64_t>(size)); }));
    }
    if (field.number == 7) part.components = field.value;
  }
  // Writers of old did not say: it may have all of them.
  constexpr uint64_t kAllParts = 0b1110;
  if (part.components == 0) part.components = kAllParts;
  return part;
}

void AppendMesh(const tfevents::Tensor& tensor, size_t sample, MeshKind kind, std::string& out) {
  if (tensor.shape.empty() || tensor.shape[0] <= 0) return;
  const auto samples = static_cast<size_t>(tensor.shape[0]);
  if (sample >= samples) return;
  const size_t each = tensor.numbers.size() / samples;
  for (size_t i = sample * each; i < (sample + 1) * each; ++i) {
    const double value = tensor.numbers[i];
    switch (kind) {
      case MeshKind::kFace:
        Append(static_cast<int32_t>(std::clamp(value, -2147483648.0, 2147483647.0)), out);
        break;
      case MeshKind::kColor:
        Append(static_cast<uint8_t>(std::clamp(value, 0.0, 255.0)), out);
        break;
      default:
        Append(static_cast<float>(value), out);
    }
  }
}

}  // namespace telltale
