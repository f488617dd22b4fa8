// SPDX-License-Identifier: Apache-2.0
#include "base/media_type.h"

#include <cstddef>

namespace telltale {

namespace {

uint32_t Byte(std::string_view bytes, size_t at) { return static_cast<uint8_t>(bytes[at]); }

uint32_t Big(std::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = 0; i < count; ++i) value = value << 8 | Byte(bytes, at + i);
  return value;
}

uint32_t Little(std::string_view bytes, size_t at, size_t count) {
  uint32_t value = 0;
  for (size_t i = count; i > 0; --i) value = value << 8 | Byte(bytes, at + i - 1);
  return value;
}

bool IsMp3(std::string_view bytes) {
  return bytes.starts_with("ID3") ||
         (bytes.size() > 2 && Byte(bytes, 0) == 0xff && (Byte(bytes, 1) & 0xe6) == 0xe2);
}

// The frame's head is behind any number of other segments.
std::optional<ImageSize> JpegSize(std::string_view bytes) {
  size_t at = 2;
  while (at + 9 < bytes.size() && Byte(bytes, at) == 0xff) {
    const uint32_t marker = Byte(bytes, at + 1);
    const bool frame =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (frame) return ImageSize{Big(bytes, at + 7, 2), Big(bytes, at + 5, 2)};
    at += marker == 0xff ? 1 : 2 + Big(bytes, at + 2, 2);
  }
  return std::nullopt;
}

std::optional<ImageSize> WebpSize(std::string_view bytes) {
  if (bytes.size() < 30) return std::nullopt;
  const std::string_view kind = bytes.substr(12, 4);
  if (kind == "VP8X") return ImageSize{Little(bytes, 24, 3) + 1, Little(bytes, 27, 3) + 1};
  if (kind == "VP8 ") {
    return ImageSize{Little(bytes, 26, 2) & 0x3fff, Little(bytes, 28, 2) & 0x3fff};
  }
  if (kind == "VP8L") {
    const uint32_t bits = Little(bytes, 21, 4);
    return ImageSize{(bits & 0x3fff) + 1, (bits >> 14 & 0x3fff) + 1};
  }
  return std::nullopt;
}

}  // namespace

std::string_view SafeTypeOf(std::string_view bytes) {
  if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return "image/png";
  if (bytes.starts_with("\xff\xd8\xff")) return "image/jpeg";
  if (bytes.starts_with("GIF87a") || bytes.starts_with("GIF89a")) return "image/gif";
  if (bytes.starts_with("BM") && bytes.size() > 26) return "image/bmp";
  if (bytes.starts_with("RIFF") && bytes.size() >= 12) {
    if (bytes.substr(8, 4) == "WEBP") return "image/webp";
    if (bytes.substr(8, 4) == "WAVE") return "audio/wav";
  }
  if (bytes.size() >= 12 && bytes.substr(4, 4) == "ftyp") return "video/mp4";
  if (bytes.starts_with("\x1a\x45\xdf\xa3")) return "video/webm";
  if (IsMp3(bytes)) return "audio/mpeg";
  return kUnknownType;
}

std::optional<ImageSize> SizeOfImage(std::string_view bytes) {
  const std::string_view type = SafeTypeOf(bytes);
  if (type == "image/png" && bytes.size() >= 24) {
    return ImageSize{Big(bytes, 16, 4), Big(bytes, 20, 4)};
  }
  if (type == "image/gif" && bytes.size() >= 10) {
    return ImageSize{Little(bytes, 6, 2), Little(bytes, 8, 2)};
  }
  if (type == "image/bmp") return ImageSize{Little(bytes, 18, 4), Little(bytes, 22, 4)};
  if (type == "image/jpeg") return JpegSize(bytes);
  if (type == "image/webp") return WebpSize(bytes);
  return std::nullopt;
}

}  // namespace telltale
