// SPDX-License-Identifier: Apache-2.0
// What the metadata of a tag says about the part of a mesh that its tensors hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace telltale::tfevents {

enum class MeshKind : uint8_t { kUndefined, kVertex, kFace, kColor };

struct MeshPart {
  std::string name;  // of the mesh: as the user called it
  MeshKind kind = MeshKind::kUndefined;
  std::string config;  // JSON of the scene
  std::vector<int64_t> shape;
  uint64_t components = 0;  // bits of the kinds that the mesh has
};

[[nodiscard]] MeshPart ReadMeshPart(std::string_view plugin_content);

}  // namespace telltale::tfevents
