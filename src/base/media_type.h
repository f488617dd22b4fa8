// SPDX-License-Identifier: Apache-2.0
// What a picture, sound or video is by its bytes, and how large a picture is. Only types that a
// browser shows and never runs: everything else, SVG and HTML included, is bytes to download.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace telltale {

constexpr std::string_view kUnknownType = "application/octet-stream";

// image/png, image/jpeg, image/gif, image/webp, image/bmp, audio/wav, audio/mpeg, video/mp4,
// video/webm; else kUnknownType.
[[nodiscard]] std::string_view SafeTypeOf(std::string_view bytes);

struct ImageSize {
  uint32_t width = 0;
  uint32_t height = 0;
};
// By the picture's own head; nullopt: it does not say.
[[nodiscard]] std::optional<ImageSize> SizeOfImage(std::string_view bytes);

}  // namespace telltale
