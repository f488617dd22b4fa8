// SPDX-License-Identifier: Apache-2.0
#include "analysis/core/words.h"

#include <fmt/format.h>
#include <cmath>

#include <array>

namespace telltale::words {

namespace {

struct Unit {
  std::string_view name;
  double size;
};

// Three significant digits, four below 1000 of a unit where they are exact anyway.
std::string WithUnit(double value, std::string_view unit) {
  const int decimals = value < 10 ? 2 : value < 1000 ? 1 : 0;
  return fmt::format("{:.{}f} {}", value, decimals, unit);
}

template <size_t kCount>
std::string InUnits(double value, std::string_view smallest,
                    const std::array<Unit, kCount>& units) {
  const double magnitude = value < 0 ? -value : value;
  for (const Unit& unit : units) {
    if (magnitude >= unit.size) return WithUnit(value / unit.size, unit.name);
  }
  return fmt::format("{:.0f} {}", value, smallest);
}

}  // namespace

std::string Duration(int64_t ns) {
  static constexpr std::array<Unit, 3> kUnits = {{{"s", 1e9}, {"ms", 1e6}, {"µs", 1e3}}};
  return InUnits(static_cast<double>(ns), "ns", kUnits);
}

std::string Bytes(int64_t bytes) {
  static constexpr std::array<Unit, 4> kUnits = {{{"TiB", 1024.0 * 1024 * 1024 * 1024},
                                                  {"GiB", 1024.0 * 1024 * 1024},
                                                  {"MiB", 1024.0 * 1024},
                                                  {"KiB", 1024.0}}};
  return InUnits(static_cast<double>(bytes), "B", kUnits);
}

std::string Share(double share) {
  if (share > 0 && share < 0.0005) return "<0.1 %";
  return fmt::format("{:.1f} %", share * 100);
}

std::string Average(double value) {
  const double rounded = std::round(value);
  const bool whole = value - rounded < 0.05 && rounded - value < 0.05;
  return whole ? fmt::format("{:.0f}", rounded) : fmt::format("{:.1f}", value);
}

std::string Counted(uint64_t count, std::string_view one, std::string_view many) {
  std::string digits = std::to_string(count);
  for (size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return fmt::format("{} {}", digits, count == 1 ? one : many);
}

std::string ShortName(std::string_view name) {
  constexpr size_t kLongest = 80;
  if (name.size() <= kLongest) return std::string(name);
  size_t end = kLongest;
  while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xC0) == 0x80)
    --end;  // no half character
  return std::string(name.substr(0, end)) + "…";
}

}  // namespace telltale::words
