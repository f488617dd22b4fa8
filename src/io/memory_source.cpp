// SPDX-License-Identifier: Apache-2.0
// Sources over bytes that are already in memory: the whole input of a test, or the first bytes of a
// file that were read to see what it is.
#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

#include "io/sources.h"

namespace telltale {

namespace {

class MemorySource final : public ByteSource {
 public:
  MemorySource(std::string_view bytes, size_t chunk) : bytes_(bytes), chunk_(chunk) {}

  Result<size_t> Read(char* buffer, size_t capacity) override {
    const size_t count = std::min({capacity, chunk_, bytes_.size() - next_});
    if (count > 0) std::memcpy(buffer, bytes_.data() + next_, count);
    next_ += count;
    return count;
  }

  [[nodiscard]] uint64_t consumed_bytes() const override { return next_; }
  [[nodiscard]] std::optional<uint64_t> total_bytes() const override { return bytes_.size(); }
  [[nodiscard]] std::optional<FileStamp> stamp() const override { return std::nullopt; }
  [[nodiscard]] const char* compression() const override { return "none"; }
  [[nodiscard]] std::optional<SourceProblem> problem() const override { return std::nullopt; }

 private:
  std::string_view bytes_;
  size_t chunk_;
  size_t next_ = 0;
};

class PrefixedSource final : public ByteSource {
 public:
  PrefixedSource(std::string prefix, std::unique_ptr<ByteSource> rest)
      : prefix_(std::move(prefix)), rest_(std::move(rest)) {}

  Result<size_t> Read(char* buffer, size_t capacity) override {
    if (next_ == prefix_.size()) return rest_->Read(buffer, capacity);
    const size_t count = std::min(capacity, prefix_.size() - next_);
    std::memcpy(buffer, prefix_.data() + next_, count);
    next_ += count;
    return count;
  }

  Result<void> Skip(uint64_t count) override {
    const uint64_t from_prefix = std::min<uint64_t>(count, prefix_.size() - next_);
    next_ += from_prefix;
    return rest_->Skip(count - from_prefix);
  }

  [[nodiscard]] uint64_t consumed_bytes() const override { return rest_->consumed_bytes(); }
  [[nodiscard]] std::optional<uint64_t> total_bytes() const override {
    return rest_->total_bytes();
  }
  [[nodiscard]] std::optional<FileStamp> stamp() const override { return rest_->stamp(); }
  [[nodiscard]] const char* compression() const override { return rest_->compression(); }
  [[nodiscard]] std::optional<SourceProblem> problem() const override { return rest_->problem(); }

 private:
  std::string prefix_;
  std::unique_ptr<ByteSource> rest_;
  size_t next_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> MakeMemorySource(std::string_view bytes, size_t chunk) {
  return std::make_unique<MemorySource>(bytes, std::max<size_t>(chunk, 1));
}

std::unique_ptr<ByteSource> MakePrefixedSource(std::string prefix,
                                               std::unique_ptr<ByteSource> rest) {
  return std::make_unique<PrefixedSource>(std::move(prefix), std::move(rest));
}

}  // namespace telltale
