// SPDX-License-Identifier: Apache-2.0
// Looks at the first bytes of an input and puts the right decoder in front of it. Names say
// nothing: a .json may be gzip and a .gz may be plain.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/sources.h"

namespace telltale {

Result<void> ByteSource::Skip(uint64_t count) {
  std::vector<char> buffer(std::min<uint64_t>(count, uint64_t{256} << 10));
  while (count > 0) {
    const Result<size_t> got = Read(buffer.data(), std::min<uint64_t>(count, buffer.size()));
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) break;
    count -= *got;
  }
  return {};
}

Compression DetectCompression(std::string_view first_bytes) {
  if (first_bytes.starts_with("\x1f\x8b")) return Compression::kGzip;
  if (first_bytes.starts_with("\x28\xb5\x2f\xfd")) return Compression::kZstd;
  // A skippable zstd frame: 50 to 5f, 2a 4d 18.
  if (first_bytes.size() >= kMagicBytes && (first_bytes[0] & 0xf0) == 0x50 &&
      first_bytes.substr(1).starts_with("\x2a\x4d\x18")) {
    return Compression::kZstd;
  }
  return Compression::kNone;
}

Result<std::string> Peek(std::unique_ptr<ByteSource>& source, size_t count) {
  std::string first(count, '\0');
  size_t filled = 0;
  while (filled < first.size()) {
    const Result<size_t> got = source->Read(first.data() + filled, first.size() - filled);
    if (!got) return tl::unexpected(got.error());
    if (*got == 0) break;
    filled += *got;
  }
  first.resize(filled);
  source = MakePrefixedSource(first, std::move(source));
  return first;
}

Result<std::unique_ptr<ByteSource>> Decode(std::unique_ptr<ByteSource> raw) {
  std::unique_ptr<ByteSource> source = std::move(raw);
  const Result<std::string> first = Peek(source, kMagicBytes);
  if (!first) return tl::unexpected(first.error());
  const Compression compression = DetectCompression(*first);
  switch (compression) {
    case Compression::kGzip:
      return MakeGzipSource(std::move(source), MakeInflater());
    case Compression::kZstd:
      return MakeZstdSource(std::move(source));
    case Compression::kNone:
      break;
  }
  return source;
}

Result<std::unique_ptr<ByteSource>> OpenSource(const std::string& path, const FileGate& gate) {
  Result<std::unique_ptr<ByteSource>> file = OpenFileSource(path, gate);
  if (!file) return file;
  return Decode(std::move(*file));
}

Result<std::string> ReadSmallFile(const std::string& path, const FileGate& gate, size_t most) {
  Result<std::unique_ptr<ByteSource>> source = OpenFileSource(path, gate);
  if (!source) return tl::unexpected(source.error());
  // At once, where it is known how much there is.
  constexpr size_t kLeastPiece = size_t{64} << 10;
  const uint64_t total = (*source)->total_bytes().value_or(0);
  const size_t piece =
      std::max<size_t>(kLeastPiece, total < most ? static_cast<size_t>(total) + 1 : 0);
  std::string text;
  while (text.size() <= most) {
    const size_t before = text.size();
    text.resize(before + piece);
    const Result<size_t> got = (*source)->Read(text.data() + before, piece);
    if (!got) return tl::unexpected(got.error());
    text.resize(before + *got);
    if (*got == 0) break;
  }
  if (text.size() > most) {
    return Fail(ErrorCode::kUsage,
                path + " is too long: at most " + std::to_string(most) + " bytes are read");
  }
  return text;
}

std::unique_ptr<ByteSource> OpenMemory(std::string_view bytes, size_t chunk) {
  // Memory cannot fail to be read.
  return std::move(Decode(MakeMemorySource(bytes, chunk)).value());
}

}  // namespace telltale
