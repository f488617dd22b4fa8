// SPDX-License-Identifier: Apache-2.0
#include "collect/clock.h"

#include <ctime>

#include <fmt/format.h>

namespace telltale {

namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

int64_t Now(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return int64_t{now.tv_sec} * kSecondNs + now.tv_nsec;
}

struct Moment {
  std::tm fields;
  int64_t fraction_ns;
};

Moment Split(int64_t wall_ns) {
  int64_t seconds = wall_ns / kSecondNs;
  int64_t fraction_ns = wall_ns % kSecondNs;
  if (fraction_ns < 0) {
    fraction_ns += kSecondNs;
    --seconds;
  }
  Moment out = {{}, fraction_ns};
  const std::time_t time = seconds;
  ::gmtime_r(&time, &out.fields);
  return out;
}

}  // namespace

int64_t WallNow() { return Now(CLOCK_REALTIME); }
int64_t SteadyNow() { return Now(CLOCK_MONOTONIC); }

std::string FormatTime(int64_t wall_ns) {
  const auto [t, fraction_ns] = Split(wall_ns);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:09}Z", t.tm_year + 1900, t.tm_mon + 1,
                     t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, fraction_ns);
}

std::string FormatLogTime(int64_t wall_ns) {
  const auto [t, fraction_ns] = Split(wall_ns);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", t.tm_year + 1900, t.tm_mon + 1,
                     t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec, fraction_ns / 1'000'000);
}

std::string FormatFolderTime(int64_t wall_ns) {
  const auto [t, fraction_ns] = Split(wall_ns);
  return fmt::format("{:04}-{:02}-{:02}T{:02}{:02}{:02}Z", t.tm_year + 1900, t.tm_mon + 1,
                     t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
}

std::string FormatDuration(int64_t duration_ns) {
  const int64_t tenths = duration_ns / 100'000'000;
  if (tenths < 10) return fmt::format("{} ms", duration_ns / 1'000'000);
  if (tenths < 600) return fmt::format("{}.{} s", tenths / 10, tenths % 10);
  const int64_t seconds = duration_ns / kSecondNs;
  if (seconds < 3600) return fmt::format("{} min {} s", seconds / 60, seconds % 60);
  return fmt::format("{} h {} min", seconds / 3600, seconds / 60 % 60);
}

}  // namespace telltale
