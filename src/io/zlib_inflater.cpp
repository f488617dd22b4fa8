// SPDX-License-Identifier: Apache-2.0
// Inflater on zlib: present everywhere, about a third of ISA-L's speed.
#define ZLIB_CONST  // zlib then takes its input as const
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <string_view>

#include "io/inflater.h"

namespace telltale {

namespace {

// zlib checks the trailer only if it has read a header as well: this is the shortest one.
constexpr Bytef kHeader[10] = {0x1f, 0x8b, Z_DEFLATED, 0, 0, 0, 0, 0, 0, 0xff};
constexpr int kGzipWindowBits = 15 + 16;

class ZlibInflater final : public Inflater {
 public:
  ZlibInflater() {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw std::bad_alloc();
  }
  ZlibInflater(const ZlibInflater&) = delete;
  ZlibInflater& operator=(const ZlibInflater&) = delete;
  ~ZlibInflater() override { inflateEnd(&stream_); }

  void Begin() override {
    inflateReset(&stream_);
    Bytef nowhere = 0;
    stream_.next_in = kHeader;
    stream_.avail_in = sizeof(kHeader);
    stream_.next_out = &nowhere;
    stream_.avail_out = 0;
    inflate(&stream_, Z_NO_FLUSH);
  }

  Step Run(const char* input, size_t input_bytes, char* output, size_t output_bytes) override {
    constexpr size_t kLargest = std::numeric_limits<uInt>::max();
    const auto in = static_cast<uInt>(std::min(input_bytes, kLargest));
    const auto out = static_cast<uInt>(std::min(output_bytes, kLargest));
    stream_.next_in = reinterpret_cast<const Bytef*>(input);
    stream_.avail_in = in;
    stream_.next_out = reinterpret_cast<Bytef*>(output);
    stream_.avail_out = out;
    const int result = inflate(&stream_, Z_NO_FLUSH);
    Step step{in - stream_.avail_in, out - stream_.avail_out, Status::kMore};
    switch (result) {
      case Z_OK:
      case Z_BUF_ERROR:
        break;
      case Z_STREAM_END:
        step.status = Status::kFinished;
        break;
      case Z_MEM_ERROR:
        throw std::bad_alloc();
      default:
        step.status = InTrailer() ? Status::kWrongChecksum : Status::kDamaged;
    }
    return step;
  }

 private:
  // zlib tells a bad trailer from bad data only by its message.
  [[nodiscard]] bool InTrailer() const {
    const std::string_view message = stream_.msg == nullptr ? "" : stream_.msg;
    return message == "incorrect data check" || message == "incorrect length check";
  }

  z_stream stream_{};
};

}  // namespace

std::unique_ptr<Inflater> MakeZlibInflater() { return std::make_unique<ZlibInflater>(); }

#if !TELLTALE_HAVE_ISAL
std::unique_ptr<Inflater> MakeInflater() { return MakeZlibInflater(); }
#endif

}  // namespace telltale
