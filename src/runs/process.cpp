// SPDX-License-Identifier: Apache-2.0
#include "runs/process.h"

#include <unistd.h>

#include <array>
#include <charconv>
#include <string_view>

#include <fmt/format.h>

#include "io/byte_source.h"

namespace telltale {

namespace {

constexpr size_t kMost = size_t{1} << 20;

std::optional<int64_t> NumberAt(std::string_view text) {
  int64_t value = 0;
  const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
  if (done.ec != std::errc()) return std::nullopt;
  return value;
}

// Seconds since 1970 at which the machine started.
std::optional<int64_t> BootTime() {
  const Result<std::string> text = ReadSmallFile("/proc/stat", {}, kMost);
  if (!text) return std::nullopt;
  const size_t at = text->find("btime ");
  return at == std::string::npos ? std::nullopt : NumberAt(std::string_view(*text).substr(at + 6));
}

}  // namespace

std::string HostName() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::optional<int64_t> ProcessStart(int64_t pid) {
  const Result<std::string> text = ReadSmallFile(fmt::format("/proc/{}/stat", pid), {}, kMost);
  if (!text) return std::nullopt;
  // "pid (name) state …": the name may hold anything, so count from its last bracket. The 20th
  // field behind it is the start, in ticks since the machine started.
  std::string_view rest(*text);
  const size_t close = rest.rfind(')');
  if (close == std::string_view::npos || rest.size() < close + 3) return std::nullopt;
  rest.remove_prefix(close + 2);
  if (rest[0] == 'Z' || rest[0] == 'X') return std::nullopt;  // dead, but not fetched yet
  for (int field = 3; field < 22; ++field) {
    const size_t space = rest.find(' ');
    if (space == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(space + 1);
  }
  const std::optional<int64_t> ticks = NumberAt(rest);
  const std::optional<int64_t> boot = BootTime();
  const int64_t per_second = ::sysconf(_SC_CLK_TCK);
  if (!ticks || !boot || per_second <= 0) return std::nullopt;
  return *boot * 1'000'000'000 + *ticks * (1'000'000'000 / per_second);
}

std::optional<RunStatus> StatusNow(const RunHead& run) {
  if (run.status != RunStatus::kRunning) return run.status;
  // The clock of the machine's start is good to a second; a number that was given to another
  // process is given much later.
  constexpr int64_t kSlackNs = 5'000'000'000;
  const std::string here = HostName();
  bool known = false;
  bool elsewhere = false;
  const auto lives = [&](const std::string& host, int64_t pid) {
    known = true;
    if (host != here) {
      elsewhere = true;
      return false;
    }
    const std::optional<int64_t> start = ProcessStart(pid);
    return start && (run.start_ns == 0 || *start <= run.start_ns + kSlackNs);
  };
  for (const RankRecord& rank : run.ranks) {
    const std::string& host = rank.host.empty() ? run.host : rank.host;
    if (rank.pid != 0 && lives(host, rank.pid)) return RunStatus::kRunning;
  }
  // The program itself, which may be older than its ranks (a launcher).
  if (run.pid != 0 && lives(run.host, run.pid)) return RunStatus::kRunning;
  if (!known && !run.host.empty()) static_cast<void>(lives(run.host, 0));
  if (!known || elsewhere) return std::nullopt;
  return RunStatus::kLost;
}

}  // namespace telltale
