// SPDX-License-Identifier: Apache-2.0
// The number of an artifact in its subject: `file` of every table, an index into `files` of every
// document.
#pragma once

#include <cstddef>
#include <cstdint>

namespace telltale {

enum class ArtifactId : uint32_t {};

[[nodiscard]] constexpr size_t IndexOf(ArtifactId id) { return static_cast<size_t>(id); }

}  // namespace telltale
