// SPDX-License-Identifier: Apache-2.0
#include "views/render/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

namespace telltale {

namespace {

struct Unit {
  std::string_view name;
  double divisor;
};

constexpr std::array<Unit, 4> kDurations = {{{"ns", 1}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
constexpr std::array<Unit, 4> kAsciiDurations = {{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};
constexpr double kKibi = 1024;
constexpr std::array<Unit, 5> kByteUnits = {{{"B", 1},
                                             {"KiB", kKibi},
                                             {"MiB", kKibi* kKibi},
                                             {"GiB", kKibi* kKibi* kKibi},
                                             {"TiB", kKibi* kKibi* kKibi* kKibi}}};
constexpr std::array<Unit, 6> kFlopUnits = {{{"FLOP", 1},
                                             {"KFLOP", 1e3},
                                             {"MFLOP", 1e6},
                                             {"GFLOP", 1e9},
                                             {"TFLOP", 1e12},
                                             {"PFLOP", 1e15}}};

// The largest unit in which `magnitude` is at least 1, after the rounding that FormatAlone does:
// 999.96 ms is 1.00 s, not 1000.0 ms.
template <size_t kCount>
const Unit& UnitFor(const std::array<Unit, kCount>& units, double magnitude) {
  for (size_t i = kCount; i-- > 1;) {
    if (magnitude >= units[i].divisor * 0.99995) return units[i];
  }
  return units[0];
}

template <size_t kCount>
std::string FormatAlone(const std::array<Unit, kCount>& units, int64_t value) {
  const double magnitude = std::abs(static_cast<double>(value));
  const Unit& unit = UnitFor(units, magnitude);
  const double scaled = static_cast<double>(value) / unit.divisor;
  const double size = std::abs(scaled);
  const int decimals = unit.divisor == 1 ? 0 : size < 9.995 ? 2 : 1;
  return fmt::format("{:.{}f} {}", scaled, decimals, unit.name);
}

template <size_t kCount>
ColumnUnit UnitOfColumn(const std::array<Unit, kCount>& units, std::span<const int64_t> values) {
  double largest = 0;
  for (const int64_t value : values) {
    largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  const Unit& unit = UnitFor(units, largest);
  if (unit.divisor == 1) return {unit.name, 1, 0};
  const double scaled = largest / unit.divisor;
  const int decimals = scaled < 9.9995 ? 3 : scaled < 99.995 ? 2 : scaled < 999.95 ? 1 : 0;
  return {unit.name, unit.divisor, decimals};
}

}  // namespace

std::string FormatDuration(int64_t ns, bool unicode) {
  // From ten minutes on nobody counts in seconds.
  constexpr int64_t kSecond = 1'000'000'000;
  const int64_t seconds = ns / kSecond + ns % kSecond / (kSecond / 2);
  if (seconds >= 2 * 60 * 60) {
    const int64_t minutes = (seconds + 30) / 60;
    return fmt::format("{} h {} min", FormatCount(minutes / 60), minutes % 60);
  }
  if (seconds >= 10 * 60) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return unicode ? FormatAlone(kDurations, ns) : FormatAlone(kAsciiDurations, ns);
}

std::string FormatBytes(int64_t bytes) { return FormatAlone(kByteUnits, bytes); }

std::string FormatFlops(int64_t flops) { return FormatAlone(kFlopUnits, flops); }

std::string FormatCount(int64_t count) {
  std::string digits = std::to_string(count);
  const size_t first = count < 0 ? 1 : 0;
  for (size_t at = digits.size(); at > first + 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string FormatShare(double share, int decimals) {
  const double percent = share * 100;
  const double smallest = std::pow(10.0, -decimals);
  if (percent > 0 && percent < smallest / 2) return fmt::format("<{:.{}f} %", smallest, decimals);
  return fmt::format("{:.{}f} %", percent, decimals);
}

ColumnUnit DurationUnit(std::span<const int64_t> values_ns, bool unicode) {
  return UnitOfColumn(unicode ? kDurations : kAsciiDurations, values_ns);
}

ColumnUnit ByteUnit(std::span<const int64_t> values_bytes) {
  return UnitOfColumn(kByteUnits, values_bytes);
}

ColumnUnit FlopUnit(std::span<const int64_t> values) { return UnitOfColumn(kFlopUnits, values); }

std::string FormatIn(const ColumnUnit& unit, int64_t value) {
  const double scaled = static_cast<double>(value) / unit.divisor;
  const double smallest = std::pow(10.0, -unit.decimals);
  if (value != 0 && std::abs(scaled) < smallest / 2) {
    return fmt::format("{}{:.{}f}", value < 0 ? ">-" : "<", smallest, unit.decimals);
  }
  return fmt::format("{:.{}f}", scaled, unit.decimals);
}

}  // namespace telltale
