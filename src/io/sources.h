// SPDX-License-Identifier: Apache-2.0
// The sources that OpenSource puts together. Private to io: everybody else pulls from a ByteSource.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "io/byte_source.h"
#include "io/inflater.h"

namespace telltale {

// The bytes of a file, or of standard input for "-", as they are.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> OpenFileSource(const std::string& path,
                                                                 const FileGate& gate);

// `bytes` must outlive the source. A read returns at most `chunk` bytes.
[[nodiscard]] std::unique_ptr<ByteSource> MakeMemorySource(std::string_view bytes, size_t chunk);

// Gives `prefix` (bytes already taken from `rest`), then the rest.
[[nodiscard]] std::unique_ptr<ByteSource> MakePrefixedSource(std::string prefix,
                                                             std::unique_ptr<ByteSource> rest);

[[nodiscard]] std::unique_ptr<ByteSource> MakeGzipSource(std::unique_ptr<ByteSource> compressed,
                                                         std::unique_ptr<Inflater> inflater);

[[nodiscard]] std::unique_ptr<ByteSource> MakeZstdSource(std::unique_ptr<ByteSource> compressed);

enum class Compression : uint8_t { kNone, kGzip, kZstd };

// Enough bytes for DetectCompression to decide.
constexpr size_t kMagicBytes = 4;
[[nodiscard]] Compression DetectCompression(std::string_view first_bytes);

// Puts the source that fits the content in front of `raw`.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> Decode(std::unique_ptr<ByteSource> raw);

}  // namespace telltale
