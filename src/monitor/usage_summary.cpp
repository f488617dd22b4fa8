// SPDX-License-Identifier: Apache-2.0
#include "monitor/usage_summary.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <system_error>

#include <fmt/format.h>

namespace telltale {

namespace {

constexpr std::string_view kHeader = "device,metric,unit,mean,max,seconds,samples";
constexpr size_t kFields = 7;
constexpr size_t kMostRows = 100'000;

template <typename Number>
std::optional<Number> ParseNumber(std::string_view text) {
  Number number{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

UsageRow& UsageSummary::RowOf(std::string_view device, std::string_view metric) {
  const auto found = std::ranges::find_if(
      rows_, [&](const UsageRow& row) { return row.device == device && row.metric == metric; });
  if (found != rows_.end()) return *found;
  UsageRow& row = rows_.emplace_back();
  row.device = device;
  row.metric = metric;
  return row;
}

void UsageSummary::Add(const Monitor& monitor, std::span<const MonitorReading> readings) {
  const double seconds = monitor.elapsed_s();
  for (const MonitorReading& reading : readings) {
    while (of_series_.size() <= reading.series) {
      const MonitorSeries& series = monitor.series()[of_series_.size()];
      UsageRow& row = RowOf(series.device, series.name);
      row.unit = UnitName(series.spec->unit);
      of_series_.push_back(static_cast<size_t>(&row - rows_.data()));
    }
    UsageRow& row = rows_[of_series_[reading.series]];
    row.most = row.samples == 0 ? reading.value : std::max(row.most, reading.value);
    row.mean += reading.value * seconds;
    row.seconds += seconds;
    ++row.samples;
  }
}

void UsageSummary::Resume(std::string_view csv) {
  if (!csv.starts_with(kHeader)) return;
  csv.remove_prefix(kHeader.size());
  while (!csv.empty() && rows_.size() < kMostRows) {
    const size_t newline = std::min(csv.find('\n'), csv.size());
    std::string_view line = csv.substr(0, newline);
    csv.remove_prefix(std::min(newline + 1, csv.size()));
    std::array<std::string_view, kFields> fields;
    size_t count = 0;
    for (bool more = true; more && count < kFields; ++count) {
      const size_t comma = line.find(',');
      more = comma != std::string_view::npos;
      fields[count] = line.substr(0, comma);
      if (more) line.remove_prefix(comma + 1);
    }
    const auto mean = ParseNumber<double>(fields[3]);
    const auto most = ParseNumber<double>(fields[4]);
    const auto seconds = ParseNumber<double>(fields[5]);
    const auto samples = ParseNumber<uint64_t>(fields[6]);
    if (count != kFields || !mean || !most || !seconds || !samples || *samples == 0) continue;
    UsageRow& row = RowOf(fields[0], fields[1]);
    row.unit = fields[2];
    row.most = row.samples == 0 ? *most : std::max(row.most, *most);
    row.mean += *mean * *seconds;
    row.seconds += *seconds;
    row.samples += *samples;
  }
}

std::vector<UsageRow> UsageSummary::Rows() const {
  std::vector<std::string_view> devices;
  for (const UsageRow& row : rows_) {
    if (std::ranges::find(devices, row.device) == devices.end()) devices.push_back(row.device);
  }
  std::vector<UsageRow> rows;
  for (const std::string_view device : devices) {
    for (const UsageRow& row : rows_) {
      if (row.device != device || row.samples == 0) continue;
      rows.push_back(row);
      if (row.seconds > 0) rows.back().mean /= row.seconds;
    }
  }
  return rows;
}

std::string UsageSummary::Csv() const {
  std::string out(kHeader);
  out += '\n';
  // Names of devices are plain already, and nothing else can hold a comma.
  for (const UsageRow& row : Rows()) {
    out += fmt::format("{},{},{},{:.10g},{:.10g},{:.10g},{}\n", row.device, row.metric, row.unit,
                       row.mean, row.most, row.seconds, row.samples);
  }
  return out;
}

uint64_t UsageSummary::samples() const {
  uint64_t most = 0;
  for (const UsageRow& row : rows_) most = std::max(most, row.samples);
  return most;
}

}  // namespace telltale
