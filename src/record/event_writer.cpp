// SPDX-License-Identifier: Apache-2.0
// Event files: records of tensorflow.Event, each framed by its length and two checksums.
//   8 bytes length, 4 bytes masked CRC32C of them, the event, 4 bytes masked CRC32C of it
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <telltale/writer.h>

#include "record/clock.h"
#include "record/crc32c.h"
#include "record/histogram.h"

struct telltale_writer {
  int file;
  pthread_mutex_t lock;
};

namespace telltale::record {

namespace {

constexpr size_t kHead = 12;
constexpr size_t kFrame = kHead + 4;

// Fields of tensorflow.Event, Summary, Summary.Value and HistogramProto.
enum Field : uint32_t {
  kEventWallTime = 1,
  kEventStep = 2,
  kEventVersion = 3,
  kEventSummary = 5,
  kSummaryValue = 1,
  kValueTag = 1,
  kValueSimple = 2,
  kValueHistogram = 5,
};

size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

char* PutVarint(char* at, uint64_t value) {
  for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
  *at++ = static_cast<char>(value);
  return at;
}

// A field of bytes: key and length; the bytes follow. All our field numbers need one byte of key.
char* PutLength(char* at, uint32_t field, size_t size) {
  *at++ = static_cast<char>(field << 3 | 2);
  return PutVarint(at, size);
}

size_t SizeWithLength(size_t size) { return 1 + VarintSize(size) + size; }

char* PutDouble(char* at, uint32_t field, double value) {
  *at++ = static_cast<char>(field << 3 | 1);
  std::memcpy(at, &value, 8);
  return at + 8;
}

bool IsZero(double value) { return __builtin_bit_cast(uint64_t, value) == 0; }

double WallOr(double wall_seconds) {
  return wall_seconds >= 0 ? wall_seconds
                           : static_cast<double>(NanosecondsOf(CLOCK_REALTIME)) / 1e9;
}

size_t EventHeadSize(int64_t step) {
  return 9 + (step == 0 ? 0 : 1 + VarintSize(static_cast<uint64_t>(step)));
}

// What is zero is left out, as protocol buffers do.
char* PutEventHead(char* at, int64_t step, double wall_seconds) {
  at = PutDouble(at, kEventWallTime, wall_seconds);
  if (step == 0) return at;
  *at++ = kEventStep << 3;
  return PutVarint(at, static_cast<uint64_t>(step));
}

// `record`: kFrame bytes more than the payload, which stands at kHead.
int WriteRecord(telltale_writer* writer, char* record, size_t payload) {
  const uint64_t length = payload;
  std::memcpy(record, &length, 8);
  const uint32_t head_crc = MaskedCrc32c(record, 8);
  std::memcpy(record + 8, &head_crc, 4);
  const uint32_t crc = MaskedCrc32c(record + kHead, payload);
  std::memcpy(record + kHead + payload, &crc, 4);
  const size_t size = payload + kFrame;

  pthread_mutex_lock(&writer->lock);
  size_t written = 0;
  int problem = 0;
  while (written < size) {
    const ssize_t got = ::write(writer->file, record + written, size - written);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      problem = got < 0 ? errno : ENOSPC;
      break;
    }
    written += static_cast<size_t>(got);
  }
  if (problem != 0 && written > 0) {
    // A record that was cut would hide all that come after.
    struct stat about{};
    if (fstat(writer->file, &about) == 0 && about.st_size >= static_cast<off_t>(written)) {
      static_cast<void>(ftruncate(writer->file, about.st_size - static_cast<off_t>(written)) == 0);
    }
  }
  pthread_mutex_unlock(&writer->lock);
  if (problem == 0) return 0;
  errno = problem;
  return -1;
}

// Small records are made on the stack.
class Record {
 public:
  explicit Record(size_t payload) : payload_(payload) {
    const size_t size = payload + kFrame;
    bytes_ = size <= sizeof small_ ? small_ : static_cast<char*>(std::malloc(size));
  }
  ~Record() {
    if (bytes_ != small_) std::free(bytes_);
  }
  Record(const Record&) = delete;
  Record& operator=(const Record&) = delete;

  [[nodiscard]] bool IsThere() const { return bytes_ != nullptr; }
  [[nodiscard]] char* payload() { return bytes_ + kHead; }
  int Write(telltale_writer* writer) { return WriteRecord(writer, bytes_, payload_); }

 private:
  size_t payload_;
  char* bytes_;
  char small_[512];
};

// A summary of one value of so many bytes, which the caller puts where the pointer leads.
char* PutSummary(char* at, int64_t step, double wall_seconds, size_t value) {
  at = PutEventHead(at, step, WallOr(wall_seconds));
  at = PutLength(at, kEventSummary, SizeWithLength(value));
  return PutLength(at, kSummaryValue, value);
}

size_t SummarySize(int64_t step, size_t value) {
  return EventHeadSize(step) + SizeWithLength(SizeWithLength(value));
}

char* PutTag(char* at, const char* tag, size_t tag_size) {
  if (tag_size == 0) return at;
  at = PutLength(at, kValueTag, tag_size);
  std::memcpy(at, tag, tag_size);
  return at + tag_size;
}

size_t TagSize(size_t tag_size) { return tag_size == 0 ? 0 : SizeWithLength(tag_size); }

size_t HistogramSize(const Histogram& histogram) {
  const double numbers[] = {histogram.min, histogram.max, histogram.count, histogram.sum,
                            histogram.sum_squares};
  size_t size = 0;
  for (const double number : numbers) size += IsZero(number) ? 0U : 9U;
  return size + 2 * SizeWithLength(histogram.size * 8);
}

char* PutHistogram(char* at, const Histogram& histogram) {
  const double numbers[] = {histogram.min, histogram.max, histogram.count, histogram.sum,
                            histogram.sum_squares};
  for (uint32_t i = 0; i < 5; ++i) {
    if (!IsZero(numbers[i])) at = PutDouble(at, i + 1, numbers[i]);
  }
  at = PutLength(at, 6, histogram.size * 8);
  std::memcpy(at, histogram.limits, histogram.size * 8);
  at = PutLength(at + histogram.size * 8, 7, histogram.size * 8);
  std::memcpy(at, histogram.buckets, histogram.size * 8);
  return at + histogram.size * 8;
}

template <typename Number>
size_t EncodeHistogram(const char* tag, size_t tag_size, const Number* values, size_t count,
                       void* out, size_t capacity) {
  Histogram histogram;
  if (!MakeHistogram(values, count, histogram)) {
    errno = EINVAL;
    return 0;
  }
  const size_t inner = HistogramSize(histogram);
  const size_t size = TagSize(tag_size) + SizeWithLength(inner);
  if (size > capacity) return size;
  char* at = PutTag(static_cast<char*>(out), tag, tag_size);
  at = PutLength(at, kValueHistogram, inner);
  PutHistogram(at, histogram);
  return size;
}

template <typename Number>
int WriteHistogram(telltale_writer* writer, const char* tag, size_t tag_size, const Number* values,
                   size_t count, int64_t step, double wall_seconds) {
  const size_t capacity = TELLTALE_HISTOGRAM_BYTES + tag_size;
  auto* const value = static_cast<char*>(std::malloc(capacity));
  if (value == nullptr) return -1;
  const size_t size = EncodeHistogram(tag, tag_size, values, count, value, capacity);
  const int result =
      size == 0 ? -1 : telltale_writer_value(writer, value, size, step, wall_seconds);
  std::free(value);
  return result;
}

}  // namespace

}  // namespace telltale::record

using namespace telltale::record;  // NOLINT: the C functions are this file's own

telltale_writer* telltale_writer_open(const char* path) {
  const int file = ::open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) return nullptr;
  auto* const writer = static_cast<telltale_writer*>(std::malloc(sizeof(telltale_writer)));
  struct stat about{};
  if (writer == nullptr || fstat(file, &about) != 0) {
    std::free(writer);
    ::close(file);
    return nullptr;
  }
  writer->file = file;
  pthread_mutex_init(&writer->lock, nullptr);
  if (about.st_size > 0) return writer;
  constexpr char kVersion[] = "brain.Event:2";
  constexpr size_t kSize = sizeof kVersion - 1;
  Record record(EventHeadSize(0) + SizeWithLength(kSize));
  char* at = PutEventHead(record.payload(), 0, WallOr(TELLTALE_WALL_NOW));
  at = PutLength(at, kEventVersion, kSize);
  std::memcpy(at, kVersion, kSize);
  if (record.Write(writer) == 0) return writer;
  const int problem = errno;
  telltale_writer_close(writer);
  errno = problem;
  return nullptr;
}

void telltale_writer_close(telltale_writer* writer) {
  if (writer == nullptr) return;
  ::close(writer->file);
  pthread_mutex_destroy(&writer->lock);
  std::free(writer);
}

int telltale_writer_event(telltale_writer* writer, const void* payload, size_t size) {
  Record record(size);
  if (!record.IsThere()) return -1;
  if (size > 0) std::memcpy(record.payload(), payload, size);
  return record.Write(writer);
}

int telltale_writer_value(telltale_writer* writer, const void* summary_value, size_t size,
                          int64_t step, double wall_seconds) {
  Record record(SummarySize(step, size));
  if (!record.IsThere()) return -1;
  char* const at = PutSummary(record.payload(), step, wall_seconds, size);
  if (size > 0) std::memcpy(at, summary_value, size);
  return record.Write(writer);
}

int telltale_writer_scalar(telltale_writer* writer, const char* tag, size_t tag_size, double value,
                           int64_t step, double wall_seconds) {
  const size_t size = TagSize(tag_size) + 5;
  Record record(SummarySize(step, size));
  if (!record.IsThere()) return -1;
  char* at = PutTag(PutSummary(record.payload(), step, wall_seconds, size), tag, tag_size);
  *at++ = static_cast<char>(kValueSimple << 3 | 5);
  const auto number = static_cast<float>(value);
  std::memcpy(at, &number, 4);
  return record.Write(writer);
}

int telltale_writer_histogram(telltale_writer* writer, const char* tag, size_t tag_size,
                              const float* values, size_t count, int64_t step,
                              double wall_seconds) {
  return WriteHistogram(writer, tag, tag_size, values, count, step, wall_seconds);
}

int telltale_writer_histogram_double(telltale_writer* writer, const char* tag, size_t tag_size,
                                     const double* values, size_t count, int64_t step,
                                     double wall_seconds) {
  return WriteHistogram(writer, tag, tag_size, values, count, step, wall_seconds);
}

size_t telltale_histogram_value(const char* tag, size_t tag_size, const float* values, size_t count,
                                void* out, size_t capacity) {
  return EncodeHistogram(tag, tag_size, values, count, out, capacity);
}

size_t telltale_histogram_value_double(const char* tag, size_t tag_size, const double* values,
                                       size_t count, void* out, size_t capacity) {
  return EncodeHistogram(tag, tag_size, values, count, out, capacity);
}
