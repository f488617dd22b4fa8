// SPDX-License-Identifier: Apache-2.0
#include "monitor/pressure_source.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "monitor/text_cursor.h"

namespace telltale {

namespace {

struct Named {
  std::string_view file;
  Metric some;
  std::optional<Metric> full;
};
constexpr std::array<Named, 3> kResources = {{
    {"cpu", Metric::kPressureCpuSome, std::nullopt},
    {"memory", Metric::kPressureMemorySome, Metric::kPressureMemoryFull},
    {"io", Metric::kPressureIoSome, Metric::kPressureIoFull},
}};

double Percent(uint64_t now_us, uint64_t before_us, double elapsed_s) {
  return std::min(100.0, static_cast<double>(Growth(now_us, before_us)) * 1e-4 / elapsed_s);
}

}  // namespace

PressureSource::PressureSource(const SourceSetup& setup) : buffer_(setup.buffer) {
  bool any = false;
  for (size_t i = 0; i < kResources.size(); ++i) {
    Resource& resource = resources_[i];
    // With psi=0 the files are there and cannot be read.
    if (!resource.file.Open(fmt::format("{}/pressure/{}", setup.proc_root, kResources[i].file)) ||
        !Read(resource, resource.totals)) {
      resource.file.Close();
      continue;
    }
    any = true;
    resource.some = setup.readings.Add(kResources[i].some);
    if (kResources[i].full) resource.full = setup.readings.Add(*kResources[i].full);
  }
  if (!any) {
    setup.lacking.push_back(
        fmt::format("no pressure stall information: {}/pressure is not there; Linux 4.20 has it, "
                    "some only with psi=1 on the kernel's command line",
                    setup.proc_root));
  }
}

// some avg10=0.00 avg60=0.00 avg300=0.00 total=0
// full avg10=0.00 avg60=0.00 avg300=0.00 total=0
bool PressureSource::Read(Resource& resource, Totals& totals) {
  std::string_view text;
  if (!resource.file.Read(buffer_, text)) return false;
  TextCursor cursor(text);
  if (!cursor.SkipBehind("total=")) return false;
  totals.some_us = cursor.Number();
  if (cursor.SkipBehind("total=")) totals.full_us = cursor.Number();
  return true;
}

void PressureSource::Sample(const MonitorTick& tick, Readings& readings) {
  for (Resource& resource : resources_) {
    Totals now;
    if (!resource.file.valid() || !Read(resource, now)) continue;
    readings.Put(resource.some, Percent(now.some_us, resource.totals.some_us, tick.elapsed_s));
    if (resource.full) {
      readings.Put(*resource.full, Percent(now.full_us, resource.totals.full_us, tick.elapsed_s));
    }
    resource.totals = now;
  }
}

}  // namespace telltale
