// SPDX-License-Identifier: Apache-2.0
#include "formats/tfevents/mesh.h"

#include "base/protobuf.h"
#include "base/utf8.h"

namespace telltale::tfevents {

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

}  // namespace telltale::tfevents
