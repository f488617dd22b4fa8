// SPDX-License-Identifier: Apache-2.0
// gzip (RFC 1952), streaming: any number of members, zero bytes and other text after the last one
// ignored as gzip(1) does. Layout of a member:
//   1f 8b | 08 | flags | time 4 | xfl | os | [extra: length 2, bytes] | [name 0] | [comment 0] |
//   [header crc 2] | deflate data | crc32 4 | length 4
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "io/sources.h"

namespace telltale {

namespace {

constexpr size_t kInputBytes = size_t{256} << 10;

constexpr int kMagic1 = 0x1f;
constexpr int kMagic2 = 0x8b;
constexpr int kDeflate = 8;
constexpr int kHasHeaderCrc = 1 << 1;
constexpr int kHasExtra = 1 << 2;
constexpr int kHasName = 1 << 3;
constexpr int kHasComment = 1 << 4;
constexpr int kReservedFlags = 0xe0;

class GzipSource final : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> compressed, std::unique_ptr<Inflater> inflater)
      : compressed_(std::move(compressed)),
        inflater_(std::move(inflater)),
        input_(std::make_unique_for_overwrite<char[]>(kInputBytes)) {}

  Result<size_t> Read(char* buffer, size_t capacity) override {
    size_t filled = 0;
    while (filled < capacity && place_ != Place::kEnd) {
      if (place_ == Place::kBetween) {
        if (auto ok = FindMember(); !ok) return tl::unexpected(std::move(ok.error()));
        continue;
      }
      if (next_ == end_ && !ended_) {
        if (auto ok = Refill(); !ok) return tl::unexpected(std::move(ok.error()));
      }
      const Inflater::Step step =
          inflater_->Run(input_.get() + next_, end_ - next_, buffer + filled, capacity - filled);
      next_ += step.consumed;
      filled += step.produced;
      switch (step.status) {
        case Inflater::Status::kFinished:
          place_ = Place::kBetween;
          break;
        case Inflater::Status::kDamaged:
          Stop("the gzip data is damaged and cannot be decoded further");
          break;
        case Inflater::Status::kWrongChecksum:
          Stop("the checksum of the gzip data is wrong: what was decoded may be damaged");
          break;
        case Inflater::Status::kMore:
          if (ended_ && step.consumed == 0 && step.produced == 0) StopTruncated();
      }
    }
    return filled;
  }

  [[nodiscard]] uint64_t consumed_bytes() const override { return compressed_->consumed_bytes(); }
  [[nodiscard]] std::optional<uint64_t> total_bytes() const override {
    return compressed_->total_bytes();
  }
  [[nodiscard]] std::optional<FileStamp> stamp() const override { return compressed_->stamp(); }
  [[nodiscard]] const char* compression() const override { return "gzip"; }
  [[nodiscard]] std::optional<SourceProblem> problem() const override { return problem_; }

 private:
  enum class Place : uint8_t { kBetween, kBody, kEnd };
  static constexpr int kNoByte = -1;

  Result<void> Refill() {
    position_ += end_;
    next_ = end_ = 0;
    const Result<size_t> count = compressed_->Read(input_.get(), kInputBytes);
    if (!count) return tl::unexpected(count.error());
    end_ = *count;
    ended_ = end_ == 0;
    return {};
  }

  // The next input byte, or kNoByte at the end.
  Result<int> Take() {
    if (next_ == end_ && !ended_) {
      if (auto ok = Refill(); !ok) return tl::unexpected(std::move(ok.error()));
    }
    if (next_ == end_) return kNoByte;
    return static_cast<unsigned char>(input_[next_++]);
  }

  // From the end of a member (or the start of the stream) to the body of the next one, or to the
  // end.
  Result<void> FindMember() {
    Result<int> byte = Take();
    while (byte && *byte == 0 && member_found_) byte = Take();  // padding
    if (!byte) return tl::unexpected(std::move(byte.error()));
    if (*byte == kNoByte) {
      if (!member_found_) StopTruncated();
      place_ = Place::kEnd;
      return {};
    }
    if (*byte != kMagic1) return TrailingText();
    byte = Take();
    if (!byte) return tl::unexpected(std::move(byte.error()));
    if (*byte == kNoByte) {
      StopTruncated();
      return {};
    }
    if (*byte != kMagic2) return TrailingText();
    return SkipHeader();
  }

  Result<void> TrailingText() {
    if (!member_found_) Stop("the gzip header is damaged");
    place_ = Place::kEnd;
    return {};
  }

  // Behind the two magic bytes.
  Result<void> SkipHeader() {
    int fixed[8];
    for (int& field : fixed) {
      const Result<int> byte = Take();
      if (!byte) return tl::unexpected(byte.error());
      if (*byte == kNoByte) {
        StopTruncated();
        return {};
      }
      field = *byte;
    }
    const int flags = fixed[1];
    if (fixed[0] != kDeflate || (flags & kReservedFlags) != 0) {
      Stop("the gzip header is damaged, or asks for a method other than deflate");
      return {};
    }
    if ((flags & kHasExtra) != 0) {
      const Result<int> low = Take();
      if (!low) return tl::unexpected(low.error());
      const Result<int> high = Take();
      if (!high) return tl::unexpected(high.error());
      const int length = *low == kNoByte || *high == kNoByte ? 0 : *low | (*high << 8);
      if (auto ok = PassOver(length); !ok) return ok;
    }
    for (const int text : {kHasName, kHasComment}) {
      if ((flags & text) == 0) continue;
      Result<int> byte = Take();
      while (byte && *byte > 0) byte = Take();
      if (!byte) return tl::unexpected(std::move(byte.error()));
    }
    if ((flags & kHasHeaderCrc) != 0) {
      if (auto ok = PassOver(2); !ok) return ok;
    }
    // A header that is cut short shows as a body without bytes.
    inflater_->Begin();
    member_found_ = true;
    place_ = Place::kBody;
    return {};
  }

  Result<void> PassOver(int count) {
    for (int i = 0; i < count; ++i) {
      if (const Result<int> byte = Take(); !byte) return tl::unexpected(byte.error());
    }
    return {};
  }

  void Stop(std::string message) {
    place_ = Place::kEnd;
    problem_ = SourceProblem{std::move(message), position_ + next_};
  }
  void StopTruncated() {
    Stop("the gzip data ends in the middle: the file was cut off, or is still being written");
  }

  std::unique_ptr<ByteSource> compressed_;
  std::unique_ptr<Inflater> inflater_;
  std::unique_ptr<char[]> input_;  // kInputBytes
  size_t next_ = 0;                // in input_
  size_t end_ = 0;
  uint64_t position_ = 0;  // of input_[0] in the compressed stream
  bool ended_ = false;
  bool member_found_ = false;
  Place place_ = Place::kBetween;
  std::optional<SourceProblem> problem_;
};

}  // namespace

std::unique_ptr<ByteSource> MakeGzipSource(std::unique_ptr<ByteSource> compressed,
                                           std::unique_ptr<Inflater> inflater) {
  return std::make_unique<GzipSource>(std::move(compressed), std::move(inflater));
}

}  // namespace telltale
