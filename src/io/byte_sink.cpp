// SPDX-License-Identifier: Apache-2.0
#include "io/byte_sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cerrno>
#include <filesystem>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

namespace telltale {

namespace {

constexpr size_t kCollected = size_t{256} << 10;

std::string Reason(int error) { return std::generic_category().message(error); }

class DescriptorSink : public ByteSink {
 public:
  DescriptorSink(int descriptor, std::string shown)
      : descriptor_(descriptor), shown_(std::move(shown)) {
    buffer_.reserve(kCollected);
  }
  DescriptorSink(const DescriptorSink&) = delete;
  DescriptorSink& operator=(const DescriptorSink&) = delete;

  void Write(std::string_view bytes) override {
    if (error_ != 0) return;
    buffer_ += bytes;
    if (buffer_.size() >= kCollected) Flush();
  }
  [[nodiscard]] bool wanted() const override { return error_ == 0; }
  [[nodiscard]] Result<void> Close() override {
    Flush();
    return Verdict();
  }

 protected:
  void Flush() {
    std::string_view left = buffer_;
    while (!left.empty() && error_ == 0) {
      const ssize_t written = ::write(descriptor_, left.data(), left.size());
      if (written >= 0) {
        left.remove_prefix(static_cast<size_t>(written));
      } else if (errno != EINTR && errno != EAGAIN) {
        error_ = errno;
      }
    }
    buffer_.clear();
  }
  [[nodiscard]] Result<void> Verdict() const {
    if (error_ == 0 || error_ == EPIPE) return {};
    std::string message = shown_ + ": could not be written: " + Reason(error_);
    if (error_ == ENOSPC || error_ == EDQUOT) message += "; make room, or choose another folder";
    if (error_ == EFBIG) message += "; raise the limit (ulimit -f), or choose another folder";
    return Fail(ErrorCode::kUnwritable, std::move(message));
  }

  int descriptor_;
  std::string shown_;
  int error_ = 0;
  std::string buffer_;
};

// Written under another name until Close.
class FileSink final : public DescriptorSink {
 public:
  FileSink(std::string path, UnfinishedFile on_unfinished)
      : DescriptorSink(-1, path),
        path_(std::move(path)),
        on_unfinished_(std::move(on_unfinished)) {}
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;
  ~FileSink() override {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    if (on_unfinished_) on_unfinished_({});
  }

  // Before anything is written. False: errno says why. `mode`: of the result.
  [[nodiscard]] bool Create(mode_t mode) {
    // In the same folder: a rename must not cross file systems.
    std::string temporary = path_ + ".partial-XXXXXX";
    descriptor_ = ::mkostemp(temporary.data(), O_CLOEXEC);
    if (descriptor_ < 0) return false;
    temporary_ = std::move(temporary);
    if (on_unfinished_) on_unfinished_(temporary_);
    ::fchmod(descriptor_, mode);
    return true;
  }

  [[nodiscard]] Result<void> Close() override {
    Flush();
    // Some file systems say only now that the disk is full.
    if (error_ == 0 && ::fsync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) {
      error_ = errno;
    }
    if (::close(std::exchange(descriptor_, -1)) != 0 && error_ == 0) error_ = errno;
    if (error_ == 0) {
      std::error_code error;
      std::filesystem::rename(temporary_, path_, error);
      error_ = error.value();
    }
    if (error_ == 0) temporary_.clear();
    return Verdict();
  }

 private:
  std::string path_;
  std::string temporary_;
  UnfinishedFile on_unfinished_;
};

class StringSink final : public ByteSink {
 public:
  explicit StringSink(std::string& out) : out_(out) {}
  void Write(std::string_view bytes) override { out_ += bytes; }
  [[nodiscard]] bool wanted() const override { return true; }
  [[nodiscard]] Result<void> Close() override { return {}; }

 private:
  std::string& out_;
};

class GzipSink final : public ByteSink {
 public:
  explicit GzipSink(std::unique_ptr<ByteSink> inner) : inner_(std::move(inner)), out_(kCollected) {
    constexpr int kGzipWrapper = 16 + MAX_WBITS;
    // 4 packs traces as well as 6 within a tenth, in half the time.
    constexpr int kLevel = 4;
    if (deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWrapper, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw std::bad_alloc();
    }
  }
  GzipSink(const GzipSink&) = delete;
  GzipSink& operator=(const GzipSink&) = delete;
  ~GzipSink() override { deflateEnd(&stream_); }

  void Write(std::string_view bytes) override {
    buffer_ += bytes;
    if (buffer_.size() >= kCollected) Pack(Z_NO_FLUSH);
  }
  [[nodiscard]] bool wanted() const override { return inner_->wanted(); }
  [[nodiscard]] Result<void> Close() override {
    Pack(Z_FINISH);
    return inner_->Close();
  }

 private:
  void Pack(int flush) {
    stream_.next_in = reinterpret_cast<Bytef*>(buffer_.data());
    stream_.avail_in = static_cast<uInt>(buffer_.size());
    for (;;) {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<uInt>(out_.size());
      const int result = deflate(&stream_, flush);
      const size_t made = out_.size() - stream_.avail_out;
      inner_->Write({reinterpret_cast<const char*>(out_.data()), made});
      if (result == Z_STREAM_END || stream_.avail_out != 0) break;
    }
    buffer_.clear();
  }

  std::unique_ptr<ByteSink> inner_;
  z_stream stream_{};
  std::string buffer_;
  std::vector<Bytef> out_;
};

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

class ZstdSink final : public ByteSink {
 public:
  explicit ZstdSink(std::unique_ptr<ByteSink> inner)
      : inner_(std::move(inner)), out_(ZSTD_CStreamOutSize()), context_(ZSTD_createCCtx()) {
    if (context_ == nullptr) throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void Write(std::string_view bytes) override {
    buffer_ += bytes;
    if (buffer_.size() >= kCollected) Pack(ZSTD_e_continue);
  }
  [[nodiscard]] bool wanted() const override { return inner_->wanted(); }
  [[nodiscard]] Result<void> Close() override {
    Pack(ZSTD_e_end);
    return inner_->Close();
  }

 private:
  void Pack(ZSTD_EndDirective end) {
    ZSTD_inBuffer in{buffer_.data(), buffer_.size(), 0};
    for (;;) {
      ZSTD_outBuffer out{out_.data(), out_.size(), 0};
      const size_t left = ZSTD_compressStream2(context_.get(), &out, &in, end);
      if (ZSTD_isError(left) != 0) throw std::bad_alloc();  // the only way it can fail
      inner_->Write({out_.data(), out.pos});
      if (end == ZSTD_e_end ? left == 0 : in.pos == in.size) break;
    }
    buffer_.clear();
  }

  std::unique_ptr<ByteSink> inner_;
  std::string buffer_;
  std::vector<char> out_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
};

}  // namespace

SinkCompression CompressionForName(std::string_view path) {
  if (path.ends_with(".gz")) return SinkCompression::kGzip;
  if (path.ends_with(".zst") || path.ends_with(".zstd")) return SinkCompression::kZstd;
  return SinkCompression::kNone;
}

std::unique_ptr<ByteSink> MakeStringSink(std::string& out) {
  return std::make_unique<StringSink>(out);
}

std::unique_ptr<ByteSink> MakeCompressingSink(std::unique_ptr<ByteSink> inner,
                                              SinkCompression compression) {
  if (compression == SinkCompression::kGzip) return std::make_unique<GzipSink>(std::move(inner));
  if (compression == SinkCompression::kZstd) return std::make_unique<ZstdSink>(std::move(inner));
  return inner;
}

Result<std::unique_ptr<ByteSink>> OpenFileSink(const std::string& path, SinkCompression compression,
                                               UnfinishedFile on_unfinished) {
  std::unique_ptr<ByteSink> sink;
  if (path == "-") {
    sink = std::make_unique<DescriptorSink>(STDOUT_FILENO, "standard output");
  } else {
    struct stat facts{};
    const bool exists = ::stat(path.c_str(), &facts) == 0;
    if (exists && !S_ISREG(facts.st_mode)) {
      // A device or pipe cannot be replaced by a file: it is written to as it is.
      const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (descriptor < 0) {
        return Fail(ErrorCode::kUnwritable, path + ": could not be written: " + Reason(errno));
      }
      class DeviceSink final : public DescriptorSink {
       public:
        using DescriptorSink::DescriptorSink;
        ~DeviceSink() override { ::close(descriptor_); }
      };
      sink = std::make_unique<DeviceSink>(descriptor, path);
    } else {
      // mkostemp makes it private; a result has the permissions of any other new file.
      const mode_t mask = ::umask(0);
      ::umask(mask);
      auto file = std::make_unique<FileSink>(path, std::move(on_unfinished));
      if (!file->Create(exists ? facts.st_mode & 07777 : 0666 & ~mask)) {
        return Fail(ErrorCode::kUnwritable, path + ": could not be written: " + Reason(errno));
      }
      sink = std::move(file);
    }
  }
  return MakeCompressingSink(std::move(sink), compression);
}

}  // namespace telltale
