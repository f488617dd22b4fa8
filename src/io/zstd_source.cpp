// SPDX-License-Identifier: Apache-2.0
// zstd (RFC 8878), streaming: any number of frames, skippable ones among them; text after the last
// frame is ignored.
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "io/sources.h"

namespace telltale {

namespace {

// One block and the header of the next, so that a call seldom meets a block in two parts.
constexpr size_t kInputBytes = size_t{256} << 10;
constexpr size_t kBlockHeaderBytes = 3;
// Enough of a frame to see its header and not enough to decode a small frame in one go, which on
// damage would give nothing instead of the good blocks.
constexpr size_t kFrameStartBytes = 6;

struct FreeContext {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<ByteSource> compressed)
      : compressed_(std::move(compressed)),
        context_(ZSTD_createDCtx()),
        input_(std::make_unique_for_overwrite<char[]>(kInputBytes)) {
    if (!context_) throw std::bad_alloc();
  }

  Result<size_t> Read(char* buffer, size_t capacity) override {
    size_t filled = 0;
    while (filled < capacity && !done_) {
      if (!in_frame_) {
        if (auto ok = FindFrame(); !ok) return tl::unexpected(std::move(ok.error()));
        continue;
      }
      if (next_ == end_ && !ended_) {
        if (auto ok = Refill(); !ok) return tl::unexpected(std::move(ok.error()));
      }
      // No more than one block a call: a call that fails gives out nothing, not even good blocks.
      const size_t take = std::min(wanted_, end_ - next_);
      ZSTD_inBuffer in{input_.get() + next_, take, 0};
      ZSTD_outBuffer out{buffer + filled, capacity - filled, 0};
      const size_t result = ZSTD_decompressStream(context_.get(), &out, &in);
      if (ZSTD_isError(result) != 0) {
        StopDamaged(ZSTD_getErrorCode(result));
        break;
      }
      next_ += in.pos;
      filled += out.pos;
      if (result == 0) {
        in_frame_ = false;
      } else if (ended_ && in.pos == 0 && out.pos == 0) {
        StopTruncated();
      } else {
        wanted_ = result > kBlockHeaderBytes ? result - kBlockHeaderBytes : result;
      }
    }
    return filled;
  }

  [[nodiscard]] uint64_t consumed_bytes() const override { return compressed_->consumed_bytes(); }
  [[nodiscard]] std::optional<uint64_t> total_bytes() const override {
    return compressed_->total_bytes();
  }
  [[nodiscard]] std::optional<FileStamp> stamp() const override { return compressed_->stamp(); }
  [[nodiscard]] const char* compression() const override { return "zstd"; }
  [[nodiscard]] std::optional<SourceProblem> problem() const override { return problem_; }

 private:
  // Adds input behind what is left of it.
  Result<void> Refill() {
    const size_t left = end_ - next_;
    if (left > 0) std::memmove(input_.get(), input_.get() + next_, left);
    position_ += next_;
    next_ = 0;
    end_ = left;
    const Result<size_t> count = compressed_->Read(input_.get() + end_, kInputBytes - end_);
    if (!count) return tl::unexpected(count.error());
    end_ += *count;
    ended_ = *count == 0;
    return {};
  }

  // Between frames: another one, or the end.
  Result<void> FindFrame() {
    while (end_ - next_ < kMagicBytes && !ended_) {
      if (auto ok = Refill(); !ok) return ok;
    }
    const std::string_view rest(input_.get() + next_, end_ - next_);
    if (DetectCompression(rest) == Compression::kZstd) {
      in_frame_ = true;
      frame_found_ = true;
      wanted_ = kFrameStartBytes;
    } else if (!rest.empty() && std::string_view("\x28\xb5\x2f\xfd").starts_with(rest)) {
      next_ = end_;
      StopTruncated();
    } else {
      if (!frame_found_) StopTruncated();
      done_ = true;
    }
    return {};
  }

  void Stop(std::string message) {
    done_ = true;
    problem_ = SourceProblem{std::move(message), position_ + next_};
  }
  void StopTruncated() {
    Stop("the zstd data ends in the middle: the file was cut off, or is still being written");
  }
  void StopDamaged(ZSTD_ErrorCode code) {
    switch (code) {
      case ZSTD_error_checksum_wrong:
        return Stop("the checksum of the zstd data is wrong: what was decoded may be damaged");
      case ZSTD_error_frameParameter_windowTooLarge:
        return Stop(
            "the zstd data needs a window beyond 128 MiB (zstd --long): decompress it first with "
            "zstd -d --long=31");
      case ZSTD_error_dictionary_wrong:
        return Stop("the zstd data needs a dictionary: decompress it first with zstd -d -D");
      case ZSTD_error_memory_allocation:
        throw std::bad_alloc();
      default:
        return Stop("the zstd data is damaged and cannot be decoded further");
    }
  }

  std::unique_ptr<ByteSource> compressed_;
  std::unique_ptr<ZSTD_DCtx, FreeContext> context_;
  std::unique_ptr<char[]> input_;  // kInputBytes
  size_t next_ = 0;                // in input_
  size_t end_ = 0;
  uint64_t position_ = 0;  // of input_[0] in the compressed stream
  size_t wanted_ = 0;      // input bytes for the next call
  bool ended_ = false;
  bool in_frame_ = false;
  bool frame_found_ = false;
  bool done_ = false;
  std::optional<SourceProblem> problem_;
};

}  // namespace

std::unique_ptr<ByteSource> MakeZstdSource(std::unique_ptr<ByteSource> compressed) {
  return std::make_unique<ZstdSource>(std::move(compressed));
}

}  // namespace telltale
