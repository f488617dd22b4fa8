// SPDX-License-Identifier: Apache-2.0
#include "monitor/cpu_source.h"

#include <fmt/format.h>

#include "monitor/text_cursor.h"

namespace telltale {

namespace {

constexpr size_t kIdle = 3;
constexpr size_t kIoWait = 4;
constexpr size_t kSteal = 7;
constexpr uint64_t kMostCores = 8192;  // beyond what Linux can be built for

}  // namespace

CpuSource::CpuSource(const SourceSetup& setup)
    : stat_(setup.proc_root + "/stat"), buffer_(setup.buffer) {
  if (!stat_.valid()) {
    setup.lacking.push_back(
        fmt::format("no processor load: {}/stat cannot be read", setup.proc_root));
    return;
  }
  system_ = setup.readings.Add(Metric::kCpuSystem);
  io_wait_ = setup.readings.Add(Metric::kCpuIoWait);
  steal_ = setup.readings.Add(Metric::kCpuSteal);
  online_ = setup.readings.Add(Metric::kCpuOnline);
  running_ = setup.readings.Add(Metric::kCpuRunning);
  blocked_ = setup.readings.Add(Metric::kCpuBlocked);
  Read(nullptr);
}

std::optional<CpuSource::Shares> CpuSource::SharesOf(const Times& now, const Times& before) {
  uint64_t total = 0;
  Times growth{};
  for (size_t i = 0; i < now.size(); ++i) {
    // The kernel lets idle and iowait step back by a tick now and then.
    growth[i] = Growth(now[i], before[i]);
    total += growth[i];
  }
  if (total == 0) return std::nullopt;
  const double percent = 100.0 / static_cast<double>(total);
  return Shares{static_cast<double>(total - growth[kIdle] - growth[kIoWait]) * percent,
                static_cast<double>(growth[kIoWait]) * percent,
                static_cast<double>(growth[kSteal]) * percent};
}

void CpuSource::Sample(const MonitorTick& /*tick*/, Readings& readings) { Read(&readings); }

void CpuSource::Read(Readings* readings) {
  std::string_view text;
  if (!stat_.Read(buffer_, text)) return;
  ++samples_;
  online_cores_ = 0;
  TextCursor cursor(text);
  while (cursor.Take("cpu")) {
    const bool is_core = cursor.at_digit();
    const uint64_t number = is_core ? cursor.Number() : 0;
    Times times{};
    for (uint64_t& time : times) time = cursor.Number();
    cursor.NextLine();
    if (!is_core) {
      if (const auto shares = SharesOf(times, all_); shares && readings != nullptr) {
        readings->Put(system_, shares->busy);
        readings->Put(io_wait_, shares->io_wait);
        readings->Put(steal_, shares->steal);
      }
      all_ = times;
      continue;
    }
    if (number >= kMostCores) continue;
    ++online_cores_;
    if (number >= cores_.size()) cores_.resize(number + 1);
    Core& core = cores_[number];
    // One that was switched on again has no base yet.
    const bool has_base = core.sample + 1 == samples_ && samples_ > 1;
    if (readings != nullptr && has_base) {
      if (const auto shares = SharesOf(times, core.times)) {
        if (!core.series) {
          core.series = readings->Add(Metric::kCpuCore, fmt::format_int(number).c_str());
        }
        readings->Put(*core.series, shares->busy);
      }
    }
    core.times = times;
    core.sample = samples_;
  }
  if (cursor.SkipBehind("\nprocesses ")) forks_ = cursor.Number();
  uint64_t running = 0;
  uint64_t blocked = 0;
  const bool has_running = cursor.SkipBehind("\nprocs_running ");
  if (has_running) running = cursor.Number();
  const bool has_blocked = cursor.SkipBehind("\nprocs_blocked ");
  if (has_blocked) blocked = cursor.Number();
  if (readings == nullptr) return;
  readings->Put(online_, online_cores_);
  if (has_running) readings->Put(running_, static_cast<double>(running));
  if (has_blocked) readings->Put(blocked_, static_cast<double>(blocked));
}

}  // namespace telltale
