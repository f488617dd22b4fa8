// SPDX-License-Identifier: Apache-2.0
// A stream of bytes from somewhere, pulled by the reader: a file, standard input, or another source
// decompressed. Sources never print; a damaged stream ends early and says where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/file_stamp.h"
#include "base/result.h"
#include "io/file_gate.h"

namespace telltale {

struct SourceProblem {
  std::string message;  // a sentence: what was expected, what was found
  uint64_t offset = 0;  // in the compressed stream
};

class ByteSource {
 public:
  virtual ~ByteSource() = default;

  // Fills up to `capacity` bytes and returns how many; 0 only at the end. May return fewer than
  // asked. Cannot-be-done errors (the disk failed) are Errors; a damaged compressed stream is an
  // early end with problem() set.
  [[nodiscard]] virtual Result<size_t> Read(char* buffer, size_t capacity) = 0;

  // Passes over `count` decoded bytes, or to the end. Reads and forgets unless the source can jump.
  [[nodiscard]] virtual Result<void> Skip(uint64_t count);

  // Bytes taken from the underlying file so far, for progress.
  [[nodiscard]] virtual uint64_t consumed_bytes() const = 0;
  // Size of the underlying file, where it is known.
  [[nodiscard]] virtual std::optional<uint64_t> total_bytes() const = 0;
  // Of the underlying file when it was opened; none where there is none.
  [[nodiscard]] virtual std::optional<FileStamp> stamp() const = 0;
  // "none", "gzip" or "zstd".
  [[nodiscard]] virtual const char* compression() const = 0;
  // Set when the stream ended before its own end mark, or is damaged.
  [[nodiscard]] virtual std::optional<SourceProblem> problem() const = 0;
};

// Opens `path` as far as the gate lets it ("-" is standard input), looks at the first bytes, and
// returns a source of the decoded content: gzip (several members) and zstd (several frames) are
// decompressed, all else passes through.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> OpenSource(const std::string& path,
                                                             const FileGate& gate);

// All of a small text, such as a list of settings, as it is. An Error where there are more than
// `most` bytes.
[[nodiscard]] Result<std::string> ReadSmallFile(const std::string& path, const FileGate& gate,
                                                size_t most);

// The first bytes of a source, up to `count`, without taking them from it: `source` is replaced by
// one that begins with them again.
[[nodiscard]] Result<std::string> Peek(std::unique_ptr<ByteSource>& source, size_t count);

// The same for bytes in memory, which must outlive the source. For tests and fuzzers; reads return
// at most `chunk` bytes.
[[nodiscard]] std::unique_ptr<ByteSource> OpenMemory(std::string_view bytes,
                                                     size_t chunk = SIZE_MAX);

// The content of a zlib stream in memory, which must outlive the source.
[[nodiscard]] std::unique_ptr<ByteSource> OpenZlib(std::string_view bytes);

}  // namespace telltale
