// SPDX-License-Identifier: Apache-2.0
#include "monitor/rapl_source.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "io/folder_entries.h"
#include "monitor/text_cursor.h"

namespace telltale {

namespace {

constexpr double kMicrojoule = 1e-6;

std::string FirstWord(const std::string& path, TextBuffer& buffer) {
  KeptFile file(path);
  std::string_view text;
  return file.Read(buffer, text) ? std::string(TextCursor(text).Word()) : std::string();
}

}  // namespace

RaplSource::RaplSource(const SourceSetup& setup) : buffer_(setup.buffer) {
  const std::string folder = setup.sys_root + "/class/powercap";
  std::vector<std::string> names;  // intel-rapl:0, intel-rapl:0:0; AMD's are called so, too
  std::error_code error;
  for (FolderEntries entries(folder, error); !error && entries.Next(error);) {
    if (entries.name().starts_with("intel-rapl:")) names.emplace_back(entries.name());
  }
  std::ranges::sort(names);
  bool is_forbidden = false;
  for (const std::string& name : names) {
    const std::string zone_folder = fmt::format("{}/{}", folder, name);
    Zone zone;
    if (!zone.energy.Open(zone_folder + "/energy_uj")) {
      is_forbidden = true;
      continue;
    }
    const std::string range = FirstWord(zone_folder + "/max_energy_range_uj", buffer_);
    zone.meter = EnergyMeter(kMicrojoule, TextCursor(range).Number());
    std::string_view text;
    if (zone.energy.Read(buffer_, text)) zone.meter.Count(TextCursor(text).Number());
    // A part is called after its package: package-0_dram.
    std::string shown = FirstWord(zone_folder + "/name", buffer_);
    if (const size_t colon = name.rfind(':'); colon != name.find(':')) {
      const std::string parent = fmt::format("{}/{}/name", folder, name.substr(0, colon));
      shown = fmt::format("{}_{}", FirstWord(parent, buffer_), shown);
    }
    zone.power = setup.readings.Add(Metric::kRaplPower, shown.empty() ? name : shown);
    zone.total = setup.readings.Add(Metric::kRaplEnergy, shown.empty() ? name : shown);
    zones_.push_back(std::move(zone));
  }
  if (zones_.empty()) {
    setup.lacking.push_back(
        is_forbidden
            ? fmt::format("no processor energy: {}/*/energy_uj may be read by root alone", folder)
            : fmt::format("no processor energy: {} has no RAPL, as in most virtual machines",
                          folder));
  }
}

void RaplSource::Sample(const MonitorTick& tick, Readings& readings) {
  for (Zone& zone : zones_) {
    std::string_view text;
    if (!zone.energy.Read(buffer_, text)) continue;
    const double joules = zone.meter.Count(TextCursor(text).Number());
    readings.Put(zone.power, joules / tick.elapsed_s);
    readings.Put(zone.total, zone.meter.joules());
  }
}

}  // namespace telltale
