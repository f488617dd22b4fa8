// SPDX-License-Identifier: Apache-2.0
#include "collect/monitor_recorder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fmt/format.h>

#include "formats/tfevents/fields.h"
#include "formats/tfevents/writer.h"
#include "io/kept_file.h"
#include "runs/process.h"

namespace telltale {

namespace {

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kTableEvery = 30 * kSecond;
// More samples than the table of one that was killed can lack: steps go on, and never back.
constexpr uint64_t kStepsBetween = 10'000;

// One part of a file's name.
std::string HostInFileName() {
  std::string host = HostName();
  if (host.empty()) return "localhost";
  for (char& c : host) {
    if (c == '/' || c == '.') c = '_';
  }
  return host;
}

std::string ReadTable(const std::string& path) {
  KeptFile file(path);
  TextBuffer buffer;
  std::string_view text;
  return file.Read(buffer, text) ? std::string(text) : std::string();
}

std::string Reason(int error) { return std::generic_category().message(error); }

bool WriteAt(int file, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
    offset += static_cast<uint64_t>(written);
  }
  return true;
}

}  // namespace

Result<std::unique_ptr<MonitorRecorder>> MonitorRecorder::Create(const std::string& folder,
                                                                 int64_t wall_ns) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    return Fail(ErrorCode::kUnwritable,
                fmt::format("cannot make the folder {}: {}", folder, error.message()));
  }
  std::unique_ptr<MonitorRecorder> recorder(new MonitorRecorder);
  recorder->folder_ = folder;
  recorder->next_table_ns_ = wall_ns + kTableEvery;
  recorder->summary_.Resume(ReadTable(folder + "/resource_usage.csv"));
  if (const uint64_t before = recorder->summary_.samples(); before > 0) {
    recorder->first_step_ = static_cast<int64_t>(before + kStepsBetween);
  }
  // Nothing is ever overwritten: whoever began in the same second has another name.
  const std::string name = fmt::format("{}/events.out.tfevents.{:010d}.{}.{}.telltale", folder,
                                       wall_ns / kSecond, HostInFileName(), ::getpid());
  for (int i = 0; i < 1000 && !recorder->events_.valid(); ++i) {
    recorder->event_path_ = i == 0 ? name : fmt::format("{}.{}", name, i);
    recorder->events_ = FileDescriptor(
        ::open(recorder->event_path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (!recorder->events_.valid() && errno != EEXIST) break;
  }
  if (!recorder->events_.valid()) {
    return Fail(ErrorCode::kUnwritable,
                fmt::format("cannot write {}: {}", recorder->event_path_, Reason(errno)));
  }
  return recorder;
}

MonitorRecorder::~MonitorRecorder() {
  if (samples_ > 0) WriteTable();
}

void MonitorRecorder::Note(std::string_view path, int error) {
  if (!problem_.empty()) return;
  problem_ = fmt::format("{}: could not be written: {}{}", path, Reason(error),
                         error == ENOSPC || error == EDQUOT ? "; make room" : "");
}

bool MonitorRecorder::Append(std::string_view bytes) {
  if (WriteAt(events_.get(), bytes, event_bytes_)) {
    event_bytes_ += bytes.size();
    return true;
  }
  Note(event_path_, errno);
  // Readers must not find half a record.
  [[maybe_unused]] const int cut = ::ftruncate(events_.get(), static_cast<off_t>(event_bytes_));
  return false;
}

void MonitorRecorder::Encode(const Monitor& monitor, std::span<const MonitorReading> readings,
                             int64_t wall_ns) {
  using namespace tfevents;
  described_.resize(monitor.series().size());
  last_limit_.resize(monitor.series().size(), std::numeric_limits<double>::quiet_NaN());
  record_.clear();
  const double wall_time = static_cast<double>(wall_ns) * 1e-9;
  if (event_bytes_ == 0) {
    event_.Clear();
    event_.Double(event_field::kWallTime, wall_time);
    event_.Bytes(event_field::kFileVersion, kVersion);
    const size_t source = event_.Begin(event_field::kSourceMetadata);
    event_.Bytes(1, "telltale");
    event_.End(source);
    AppendRecord(event_.bytes(), record_);
  }
  event_.Clear();
  event_.Double(event_field::kWallTime, wall_time);
  const int64_t step = first_step_ + static_cast<int64_t>(samples_);
  if (step != 0) event_.Int(event_field::kStep, step);
  const size_t summary = event_.Begin(event_field::kSummary);
  for (const MonitorReading& reading : readings) {
    const MetricSpec& spec = *monitor.series()[reading.series].spec;
    if (spec.kind == MetricKind::kLimit && last_limit_[reading.series] == reading.value) continue;
    const size_t value = event_.Begin(1);
    event_.Bytes(value_field::kTag, reading.tag);
    // Seven digits are more than any of these measurements has.
    event_.Float(value_field::kSimpleValue, static_cast<float>(reading.value));
    if (described_[reading.series] == 0) {
      const size_t metadata = event_.Begin(value_field::kMetadata);
      const size_t plugin = event_.Begin(metadata_field::kPluginData);
      event_.Bytes(1, "scalars");
      event_.End(plugin);
      event_.Bytes(metadata_field::kDescription,
                   fmt::format("{} ({})", spec.help, UnitName(spec.unit)));
      event_.End(metadata);
    }
    event_.End(value);
  }
  event_.End(summary);
  AppendRecord(event_.bytes(), record_);
}

void MonitorRecorder::Add(const Monitor& monitor, std::span<const MonitorReading> readings,
                          int64_t wall_ns) {
  summary_.Add(monitor, readings);
  Encode(monitor, readings, wall_ns);
  ++samples_;
  if (Append(record_)) {
    for (const MonitorReading& reading : readings) {
      described_[reading.series] = 1;
      last_limit_[reading.series] = reading.value;
    }
  } else {
    ++lost_samples_;
  }
  // A clock that was set back must not stop it.
  if (wall_ns >= next_table_ns_ || next_table_ns_ - wall_ns > kTableEvery) {
    WriteTable();
    next_table_ns_ = wall_ns + kTableEvery;
  }
}

// Without waiting for the disk: samples must not be late, and the event file has it all.
void MonitorRecorder::WriteTable() {
  const std::string path = folder_ + "/resource_usage.csv";
  const std::string temporary = fmt::format("{}.partial-{}", path, ::getpid());
  int error = 0;
  {
    const FileDescriptor file(
        ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!file.valid()) {
      Note(path, errno);
      return;
    }
    if (!WriteAt(file.get(), summary_.Csv(), 0)) error = errno;
  }
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  ::unlink(temporary.c_str());
  Note(path, error);
}

}  // namespace telltale
