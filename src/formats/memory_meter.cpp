// SPDX-License-Identifier: Apache-2.0
#include "formats/memory_meter.h"

namespace telltale {

namespace {

class LimitedSource final : public ByteSource {
 public:
  LimitedSource(std::unique_ptr<ByteSource> source, FileMemory& memory)
      : source_(std::move(source)), memory_(memory) {}

  Result<size_t> Read(char* buffer, size_t capacity) override {
    if (memory_.stopped()) return size_t{0};
    // When it is full one byte tells whether the file ends here anyway.
    const bool full = memory_.IsTooMuch();
    Result<size_t> got = source_->Read(buffer, full && capacity > 0 ? 1 : capacity);
    if (!got || *got == 0) return got;
    if (full) {
      memory_.Stop(offset_);
      return size_t{0};
    }
    offset_ += *got;
    return got;
  }

  [[nodiscard]] uint64_t consumed_bytes() const override { return source_->consumed_bytes(); }
  [[nodiscard]] std::optional<uint64_t> total_bytes() const override {
    return source_->total_bytes();
  }
  [[nodiscard]] std::optional<FileStamp> stamp() const override { return source_->stamp(); }
  [[nodiscard]] const char* compression() const override { return source_->compression(); }
  [[nodiscard]] std::optional<SourceProblem> problem() const override { return source_->problem(); }

 private:
  std::unique_ptr<ByteSource> source_;
  FileMemory& memory_;
  uint64_t offset_ = 0;  // decoded bytes given out
};

}  // namespace

std::unique_ptr<ByteSource> WithinMemory(std::unique_ptr<ByteSource> source, FileMemory& memory) {
  return std::make_unique<LimitedSource>(std::move(source), memory);
}

}  // namespace telltale
