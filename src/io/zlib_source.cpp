// SPDX-License-Identifier: Apache-2.0
// A zlib stream (RFC 1950) in memory: how Perfetto packs packets inside a packet.
#define ZLIB_CONST  // zlib then takes its input as const
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#include "io/byte_source.h"

namespace telltale {

namespace {

class ZlibSource final : public ByteSource {
 public:
  explicit ZlibSource(std::string_view bytes) : bytes_(bytes) {
    if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
  }
  ZlibSource(const ZlibSource&) = delete;
  ZlibSource& operator=(const ZlibSource&) = delete;
  ~ZlibSource() override { inflateEnd(&stream_); }

  Result<size_t> Read(char* buffer, size_t capacity) override {
    constexpr size_t kLargest = std::numeric_limits<uInt>::max();
    stream_.next_out = reinterpret_cast<Bytef*>(buffer);
    stream_.avail_out = static_cast<uInt>(std::min(capacity, kLargest));
    const uInt wanted = stream_.avail_out;
    while (!ended_ && stream_.avail_out == wanted) {
      stream_.next_in = reinterpret_cast<const Bytef*>(bytes_.data() + used_);
      stream_.avail_in = static_cast<uInt>(std::min(bytes_.size() - used_, kLargest));
      const uInt given = stream_.avail_in;
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      used_ += given - stream_.avail_in;
      if (result == Z_STREAM_END) {
        ended_ = true;
      } else if (result != Z_OK) {
        ended_ = true;
        problem_ = {used_ == bytes_.size() ? "the compressed packets end early"
                                           : "the compressed packets are damaged",
                    used_};
      }
    }
    return wanted - stream_.avail_out;
  }

  [[nodiscard]] uint64_t consumed_bytes() const override { return used_; }
  [[nodiscard]] std::optional<uint64_t> total_bytes() const override { return bytes_.size(); }
  [[nodiscard]] std::optional<FileStamp> stamp() const override { return std::nullopt; }
  [[nodiscard]] const char* compression() const override { return "none"; }
  [[nodiscard]] std::optional<SourceProblem> problem() const override { return problem_; }

 private:
  std::string_view bytes_;
  size_t used_ = 0;
  bool ended_ = false;
  std::optional<SourceProblem> problem_;
  z_stream stream_{};
};

}  // namespace

std::unique_ptr<ByteSource> OpenZlib(std::string_view bytes) {
  return std::make_unique<ZlibSource>(bytes);
}

}  // namespace telltale
