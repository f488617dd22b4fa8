// SPDX-License-Identifier: Apache-2.0
// Where converted bytes go: a file, standard output or memory, plain or compressed. A file appears
// under its name only when it is whole: it is written beside it under another name and renamed. The
// first failure (a full disk) is kept and all later bytes are dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace telltale {

class ByteSink {
 public:
  virtual ~ByteSink() = default;
  // Pieces may be small; they are collected.
  virtual void Write(std::string_view bytes) = 0;
  // False once writing has failed, or the reader of a pipe has left: a long writer may stop.
  [[nodiscard]] virtual bool wanted() const = 0;
  // Writes what is left and makes the file appear. Nothing may be written after it. A sink that is
  // destroyed before leaves no file behind. Fails with kUnwritable.
  [[nodiscard]] virtual Result<void> Close() = 0;
};

enum class SinkCompression : uint8_t { kNone, kGzip, kZstd };
// By the end of the name: .gz, .zst.
[[nodiscard]] SinkCompression CompressionForName(std::string_view path);

// Called with the name under which a file is written until it is whole, and without one when that
// name is gone: who ends the process in between removes the file.
using UnfinishedFile = std::function<void(std::string_view path)>;

// "-" is standard output. Fails (kUnwritable) if the file cannot be made.
[[nodiscard]] Result<std::unique_ptr<ByteSink>> OpenFileSink(const std::string& path,
                                                             SinkCompression compression,
                                                             UnfinishedFile on_unfinished = {});
// Appends to `out`, which must outlive the sink.
[[nodiscard]] std::unique_ptr<ByteSink> MakeStringSink(std::string& out);
// Compresses what it gets into `inner`.
[[nodiscard]] std::unique_ptr<ByteSink> MakeCompressingSink(std::unique_ptr<ByteSink> inner,
                                                            SinkCompression compression);

}  // namespace telltale
