// SPDX-License-Identifier: Apache-2.0
// telltale::SummaryWriter: TensorBoard event files from C++, named and shaped like
// torch.utils.tensorboard's. Header-only, over writer.h; C++17. Independent of recording: what
// belongs to the curves of a run under `telltale run` goes through telltale::Log.
//
//   telltale::SummaryWriter writer("runs/one");
//   writer.AddScalar("train/loss", loss, step);
#pragma once

#include <telltale/writer.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace telltale {

namespace detail {

// What there is of protocol buffers in a summary.
inline void AppendVarint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}
inline void AppendNumber(std::string& out, uint32_t field, uint64_t value) {
  AppendVarint(out, field << 3);
  AppendVarint(out, value);
}
inline void AppendBytes(std::string& out, uint32_t field, std::string_view bytes) {
  AppendVarint(out, field << 3 | 2);
  AppendVarint(out, bytes.size());
  out += bytes;
}

inline void AppendBigEndian(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

inline uint32_t PngChecksum(std::string_view bytes) {
  static const std::array<uint32_t, 256> table = [] {
    std::array<uint32_t, 256> made{};
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t crc = byte;
      for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0U);
      made[byte] = crc;
    }
    return made;
  }();
  uint32_t crc = 0xffffffff;
  for (const char byte : bytes)
    crc = crc >> 8 ^ table[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return ~crc;
}

inline void AppendPngChunk(std::string& out, std::string_view type, std::string_view data) {
  AppendBigEndian(out, static_cast<uint32_t>(data.size()));
  const size_t begin = out.size();
  out += type;
  out += data;
  AppendBigEndian(out, PngChecksum(std::string_view(out).substr(begin)));
}

// Not compressed: a few more bytes, no other library.
inline std::string StoredZlib(std::string_view data) {
  std::string out("\x78\x01", 2);
  uint32_t a = 1;
  uint32_t b = 0;
  for (const char byte : data) {
    a = (a + static_cast<unsigned char>(byte)) % 65521;
    b = (b + a) % 65521;
  }
  do {
    const std::string_view block = data.substr(0, 65535);
    data.remove_prefix(block.size());
    const auto size = static_cast<uint16_t>(block.size());
    out += static_cast<char>(data.empty());
    for (const uint16_t number : {size, static_cast<uint16_t>(~size)}) {
      out += static_cast<char>(number & 0xff);
      out += static_cast<char>(number >> 8);
    }
    out += block;
  } while (!data.empty());
  AppendBigEndian(out, b << 16 | a);
  return out;
}

// `pixels`: rows from the top, `channels` bytes a pixel: 1 gray, 3 RGB, 4 RGBA.
inline std::string EncodePng(const uint8_t* pixels, uint32_t width, uint32_t height,
                             uint32_t channels) {
  std::string out("\x89PNG\r\n\x1a\n", 8);
  std::string head;
  AppendBigEndian(head, width);
  AppendBigEndian(head, height);
  head += '\x08';
  head += static_cast<char>(channels == 1 ? 0 : (channels == 3 ? 2 : 6));
  head += std::string_view("\0\0\0", 3);
  AppendPngChunk(out, "IHDR", head);
  const size_t row = size_t{width} * channels;
  std::string rows;
  rows.reserve((row + 1) * height);
  for (uint32_t y = 0; y < height; ++y) {
    rows += '\0';  // no filter
    rows.append(reinterpret_cast<const char*>(pixels) + y * row, row);
  }
  AppendPngChunk(out, "IDAT", StoredZlib(rows));
  AppendPngChunk(out, "IEND", {});
  return out;
}

}  // namespace detail

// Every call writes at once and may come from any thread. A call that cannot write returns false
// with errno, and what was written before stays readable.
class SummaryWriter {
 public:
  // Makes the folder, and in it an event file of its own. An empty name: runs/MonDD_HH-MM-SS_HOST.
  explicit SummaryWriter(std::string log_dir = {}, std::string_view suffix = {})
      : log_dir_(std::move(log_dir)) {
    const std::time_t now = std::time(nullptr);
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    if (log_dir_.empty()) {
      std::array<char, 32> time{};
      std::tm local{};
      localtime_r(&now, &local);
      std::strftime(time.data(), time.size(), "%b%d_%H-%M-%S", &local);
      log_dir_ = "runs/" + std::string(time.data()) + "_" + host.data();
    }
    std::error_code problem;
    std::filesystem::create_directories(log_dir_, problem);
    static std::atomic<unsigned> count{0};
    std::string seconds = std::to_string(now);
    if (seconds.size() < 10) seconds.insert(0, 10 - seconds.size(), '0');
    path_ = log_dir_ + "/events.out.tfevents." + seconds + "." + host.data() + "." +
            std::to_string(getpid()) + "." + std::to_string(count++) + std::string(suffix);
    writer_ = telltale_writer_open(path_.c_str());
  }
  ~SummaryWriter() { Close(); }
  SummaryWriter(const SummaryWriter&) = delete;
  SummaryWriter& operator=(const SummaryWriter&) = delete;

  // Whether the file could be made and is not closed.
  [[nodiscard]] bool is_open() const { return writer_ != nullptr; }
  [[nodiscard]] const std::string& log_dir() const { return log_dir_; }
  [[nodiscard]] const std::string& path() const { return path_; }

  bool AddScalar(std::string_view tag, double value, int64_t step = 0,
                 double wall_seconds = TELLTALE_WALL_NOW) {
    return writer_ != nullptr &&
           telltale_writer_scalar(writer_, tag.data(), tag.size(), value, step, wall_seconds) == 0;
  }
  // Curves that are shown in one chart: a folder beside this one's file for each, as TensorBoard
  // wants it.
  bool AddScalars(std::string_view main_tag, const std::map<std::string, double>& values,
                  int64_t step = 0, double wall_seconds = TELLTALE_WALL_NOW) {
    bool is_good = writer_ != nullptr;
    for (const auto& [key, value] : values) {
      std::string folder = std::string(main_tag) + "_" + key;
      for (char& letter : folder) letter = letter == '/' ? '_' : letter;
      SummaryWriter* writer = nullptr;
      {
        const std::lock_guard<std::mutex> lock(lock_);
        auto& kept = of_curves_[folder];
        if (kept == nullptr) kept = std::make_unique<SummaryWriter>(log_dir_ + "/" + folder);
        writer = kept.get();
      }
      is_good = writer->AddScalar(main_tag, value, step, wall_seconds) && is_good;
    }
    return is_good;
  }
  // Markdown, under TAG/text_summary.
  bool AddText(std::string_view tag, std::string_view text, int64_t step = 0,
               double wall_seconds = TELLTALE_WALL_NOW) {
    std::string dimension;
    detail::AppendNumber(dimension, 1, 1);  // TensorShapeProto.Dim.size
    std::string shape;
    detail::AppendBytes(shape, 2, dimension);  // TensorShapeProto.dim
    std::string tensor;
    detail::AppendNumber(tensor, 1, 7);  // TensorProto.dtype: DT_STRING
    detail::AppendBytes(tensor, 2, shape);
    detail::AppendBytes(tensor, 8, text);  // TensorProto.string_val
    std::string plugin;
    detail::AppendBytes(plugin, 1, "text");  // PluginData.plugin_name
    std::string metadata;
    detail::AppendBytes(metadata, 1, plugin);
    std::string value;
    detail::AppendBytes(value, 1, std::string(tag) + "/text_summary");
    detail::AppendBytes(value, 9, metadata);
    detail::AppendBytes(value, 8, tensor);
    return AddValue(value, step, wall_seconds);
  }
  bool AddHistogram(std::string_view tag, const float* values, size_t count, int64_t step = 0,
                    double wall_seconds = TELLTALE_WALL_NOW) {
    return writer_ != nullptr && telltale_writer_histogram(writer_, tag.data(), tag.size(), values,
                                                           count, step, wall_seconds) == 0;
  }
  bool AddHistogram(std::string_view tag, const double* values, size_t count, int64_t step = 0,
                    double wall_seconds = TELLTALE_WALL_NOW) {
    return writer_ != nullptr &&
           telltale_writer_histogram_double(writer_, tag.data(), tag.size(), values, count, step,
                                            wall_seconds) == 0;
  }
  template <typename Number>
  bool AddHistogram(std::string_view tag, const std::vector<Number>& values, int64_t step = 0,
                    double wall_seconds = TELLTALE_WALL_NOW) {
    return AddHistogram(tag, values.data(), values.size(), step, wall_seconds);
  }
  // Pixels row by row from the top; channels: 1 gray, 3 RGB, 4 RGBA.
  bool AddImage(std::string_view tag, const uint8_t* pixels, uint32_t width, uint32_t height,
                int64_t step = 0, uint32_t channels = 3, double wall_seconds = TELLTALE_WALL_NOW) {
    if (pixels == nullptr || width == 0 || height == 0 ||
        (channels != 1 && channels != 3 && channels != 4)) {
      errno = EINVAL;
      return false;
    }
    return AddEncodedImage(tag, detail::EncodePng(pixels, width, height, channels), width, height,
                           step, channels, wall_seconds);
  }
  // A PNG, JPEG or GIF as it is.
  bool AddEncodedImage(std::string_view tag, std::string_view encoded, uint32_t width,
                       uint32_t height, int64_t step = 0, uint32_t channels = 3,
                       double wall_seconds = TELLTALE_WALL_NOW) {
    std::string image;
    detail::AppendNumber(image, 1, height);
    detail::AppendNumber(image, 2, width);
    detail::AppendNumber(image, 3, channels);
    detail::AppendBytes(image, 4, encoded);
    std::string value;
    detail::AppendBytes(value, 1, tag);
    detail::AppendBytes(value, 4, image);
    return AddValue(value, step, wall_seconds);
  }
  // An encoded tensorflow.Summary.Value.
  bool AddValue(std::string_view value, int64_t step = 0, double wall_seconds = TELLTALE_WALL_NOW) {
    return writer_ != nullptr &&
           telltale_writer_value(writer_, value.data(), value.size(), step, wall_seconds) == 0;
  }
  // Nothing waits: for programs that are used to it.
  void Flush() {}
  void Close() {
    telltale_writer_close(std::exchange(writer_, nullptr));
    of_curves_.clear();
  }

 private:
  std::string log_dir_;
  std::string path_;
  telltale_writer* writer_ = nullptr;
  std::mutex lock_;
  std::map<std::string, std::unique_ptr<SummaryWriter>> of_curves_;  // by folder
};

}  // namespace telltale
