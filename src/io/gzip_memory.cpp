// SPDX-License-Identifier: Apache-2.0
#define ZLIB_CONST  // zlib then takes its input as const
#include "io/gzip_memory.h"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>

#if TELLTALE_HAVE_ISAL
#include <isa-l/igzip_lib.h>

#include <vector>
#endif

namespace telltale {

namespace {

constexpr int kGzipWrapper = 16 + MAX_WBITS;

// Both libraries count in 32 bits; the text goes in and out in pieces of this size.
constexpr size_t kPieceBytes = size_t{1} << 20;

// Ends a stream of zlib's whatever happens.
template <int (*End)(z_streamp)>
struct Stream : z_stream {
  Stream() : z_stream{} {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() { End(this); }
};

}  // namespace

#if TELLTALE_HAVE_ISAL

std::string GzipFast(std::string_view text) {
  std::string out;
  std::vector<uint8_t> tables(ISAL_DEF_LVL1_DEFAULT);
  isal_zstream stream;
  isal_deflate_init(&stream);
  stream.avail_in = 0;  // which that leaves as it was
  stream.level = 1;
  stream.level_buf = tables.data();
  stream.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  stream.gzip_flag = IGZIP_GZIP;
  stream.flush = NO_FLUSH;
  while (stream.internal_state.state != ZSTATE_END) {
    if (stream.avail_in == 0) {
      const std::string_view piece = text.substr(0, kPieceBytes);
      text.remove_prefix(piece.size());
      // The library declares its input as not const, but only reads it.
      stream.next_in = reinterpret_cast<uint8_t*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uint32_t>(piece.size());
      stream.end_of_stream = text.empty() ? 1 : 0;
    }
    // Enough for most pieces at once: text shrinks, and what does not grows by little.
    const size_t room = std::min(kPieceBytes, stream.avail_in / 2 + size_t{1024});
    const size_t before = out.size();
    out.resize(before + room);
    stream.next_out = reinterpret_cast<uint8_t*>(out.data() + before);
    stream.avail_out = static_cast<uint32_t>(room);
    const int result = isal_deflate(&stream);
    out.resize(out.size() - stream.avail_out);
    if (result != COMP_OK) throw std::bad_alloc();
  }
  return out;
}

#else

std::string GzipFast(std::string_view text) {
  Stream<deflateEnd> stream;
  if (deflateInit2(&stream, 1, Z_DEFLATED, kGzipWrapper, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw std::bad_alloc();
  }
  std::string out;
  int result = Z_OK;
  while (result != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const std::string_view piece = text.substr(0, kPieceBytes);
      text.remove_prefix(piece.size());
      stream.next_in = reinterpret_cast<const Bytef*>(piece.data());
      stream.avail_in = static_cast<uInt>(piece.size());
    }
    const size_t room = std::min(kPieceBytes, stream.avail_in / 2 + size_t{1024});
    const size_t before = out.size();
    out.resize(before + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(room);
    result = deflate(&stream, text.empty() ? Z_FINISH : Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  return out;
}

#endif

std::optional<std::string> Gunzip(std::string_view packed, size_t most_bytes) {
  if (packed.size() > std::numeric_limits<uInt>::max()) return std::nullopt;
  Stream<inflateEnd> stream;
  if (inflateInit2(&stream, kGzipWrapper) != Z_OK) throw std::bad_alloc();
  stream.next_in = reinterpret_cast<const Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string out;
  int result = Z_OK;
  while (result == Z_OK && out.size() <= most_bytes) {
    const size_t room = std::min(kPieceBytes, std::max<size_t>(packed.size() * 4, 1024));
    const size_t before = out.size();
    out.resize(before + room);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(room);
    result = inflate(&stream, Z_NO_FLUSH);
    out.resize(out.size() - stream.avail_out);
  }
  if (result != Z_STREAM_END || out.size() > most_bytes) return std::nullopt;
  return out;
}

}  // namespace telltale
