// SPDX-License-Identifier: Apache-2.0
#include "monitor/traffic_source.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "monitor/text_cursor.h"

namespace telltale {

namespace {

constexpr double kSectorBytes = 512;  // in diskstats, whatever the disk's own are
constexpr size_t kMostDevices = 4096;

bool Exists(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

double Rate(uint64_t now, uint64_t before, double elapsed_s) {
  return static_cast<double>(Growth(now, before)) / elapsed_s;
}

// The one at the same line as the last time, or wherever it is.
template <typename Device>
Device* FindDevice(std::vector<Device>& devices, std::string_view name, size_t line) {
  if (line < devices.size() && devices[line].name == name) return &devices[line];
  const auto found = std::ranges::find(devices, name, &Device::name);
  return found == devices.end() ? nullptr : &*found;
}

}  // namespace

DiskSource::DiskSource(const SourceSetup& setup)
    : diskstats_(setup.proc_root + "/diskstats"),
      buffer_(setup.buffer),
      block_folder_(setup.sys_root + "/block") {
  if (!diskstats_.valid()) {
    setup.lacking.push_back(fmt::format("no disks: {}/diskstats cannot be read", setup.proc_root));
    return;
  }
  Read(nullptr, nullptr);
  if (std::ranges::none_of(disks_, &Disk::is_device)) {
    setup.lacking.push_back(fmt::format("no disks: {} names none", block_folder_));
  }
}

DiskSource::Disk& DiskSource::DiskOf(std::string_view name, size_t line) {
  if (Disk* known = FindDevice(disks_, name, line)) return *known;
  Disk& added = disks_.emplace_back();
  added.name = name;
  std::string folder = added.name;  // cciss/c0d0
  std::ranges::replace(folder, '/', '!');
  added.is_device = Exists(fmt::format("{}/{}/device", block_folder_, folder));
  return added;
}

void DiskSource::Sample(const MonitorTick& tick, Readings& readings) { Read(&tick, &readings); }

// major minor name reads merged sectors ms writes merged sectors ms under_way busy_ms …
void DiskSource::Read(const MonitorTick* tick, Readings* readings) {
  std::string_view text;
  if (!diskstats_.Read(buffer_, text)) return;
  ++samples_;
  TextCursor cursor(text);
  for (size_t line = 0; !cursor.at_end() && line < kMostDevices; ++line, cursor.NextLine()) {
    cursor.SkipWords(2);
    const std::string_view name = cursor.Word();
    if (name.empty()) continue;
    Disk& disk = DiskOf(name, line);
    if (!disk.is_device) continue;
    cursor.SkipWords(2);
    Counters now;
    now.read_sectors = cursor.Number();
    cursor.SkipWords(3);
    now.written_sectors = cursor.Number();
    cursor.SkipWords(2);
    now.busy_ms = static_cast<uint32_t>(cursor.Number());
    const bool has_base = samples_ > 1 && disk.sample + 1 == samples_;
    if (readings != nullptr && has_base && (now.read_sectors | now.written_sectors) != 0) {
      if (!disk.read) {
        disk.read = readings->Add(Metric::kDiskRead, disk.name);
        disk.written = readings->Add(Metric::kDiskWritten, disk.name);
        disk.busy = readings->Add(Metric::kDiskBusy, disk.name);
      }
      const double elapsed_s = tick->elapsed_s;
      readings->Put(*disk.read,
                    kSectorBytes * Rate(now.read_sectors, disk.counters.read_sectors, elapsed_s));
      readings->Put(*disk.written, kSectorBytes * Rate(now.written_sectors,
                                                       disk.counters.written_sectors, elapsed_s));
      const double busy_s = 1e-3 * static_cast<double>(now.busy_ms - disk.counters.busy_ms);
      // Far more than has passed: it was set back, not wrapped.
      const bool is_set_back = busy_s > 2 * elapsed_s + 1;
      readings->Put(*disk.busy, is_set_back ? 0 : std::min(100.0, 100 * busy_s / elapsed_s));
    }
    disk.counters = now;
    disk.sample = samples_;
  }
}

NetworkSource::NetworkSource(const SourceSetup& setup)
    : dev_(setup.proc_root + "/net/dev"),
      buffer_(setup.buffer),
      net_folder_(setup.sys_root + "/class/net") {
  if (!dev_.valid()) {
    setup.lacking.push_back(fmt::format("no network: {}/net/dev cannot be read", setup.proc_root));
    return;
  }
  Read(nullptr, nullptr);
  if (interfaces_.empty()) {
    setup.lacking.emplace_back("no network: there is no interface but the loopback");
  }
}

NetworkSource::Interface& NetworkSource::InterfaceOf(std::string_view name, size_t line) {
  if (Interface* known = FindDevice(interfaces_, name, line)) return *known;
  Interface& added = interfaces_.emplace_back();
  added.name = name;
  added.is_device = Exists(fmt::format("{}/{}/device", net_folder_, added.name));
  has_devices_ |= added.is_device;
  return added;
}

void NetworkSource::Sample(const MonitorTick& tick, Readings& readings) { Read(&tick, &readings); }

// Two lines of headings, then "name: bytes packets errs drop fifo frame compressed multicast bytes
// …", with no blank where the number is long. Bridges and the like carry what a device carries once
// more, and are shown only where there is no device: in a container.
void NetworkSource::Read(const MonitorTick* tick, Readings* readings) {
  std::string_view text;
  if (!dev_.Read(buffer_, text)) return;
  ++samples_;
  TextCursor cursor(text);
  cursor.NextLine();
  cursor.NextLine();
  for (size_t line = 0; !cursor.at_end() && line < kMostDevices; cursor.NextLine()) {
    std::string_view word = cursor.Word();
    const size_t colon = word.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = word.substr(0, colon);
    if (name == "lo") continue;
    word.remove_prefix(colon + 1);
    TextCursor behind(word);
    const uint64_t received = word.empty() ? cursor.Number() : behind.Number();
    Interface& interface = InterfaceOf(name, line++);
    cursor.SkipWords(7);
    const uint64_t sent = cursor.Number();
    const bool has_base = samples_ > 1 && interface.sample + 1 == samples_;
    const bool is_shown = interface.is_device || !has_devices_;
    if (readings != nullptr && has_base && is_shown && (received | sent) != 0) {
      if (!interface.received_series) {
        interface.received_series = readings->Add(Metric::kNetReceived, interface.name);
        interface.sent_series = readings->Add(Metric::kNetSent, interface.name);
      }
      readings->Put(*interface.received_series,
                    Rate(received, interface.received, tick->elapsed_s));
      readings->Put(*interface.sent_series, Rate(sent, interface.sent, tick->elapsed_s));
    }
    interface.received = received;
    interface.sent = sent;
    interface.sample = samples_;
  }
}

}  // namespace telltale
