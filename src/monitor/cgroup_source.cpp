// SPDX-License-Identifier: Apache-2.0
#include "monitor/cgroup_source.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fmt/format.h>

#include "monitor/text_cursor.h"

namespace telltale {

namespace {

// Version 1 says "no limit" with the largest multiple of a page.
constexpr double kNoLimitBytes = 9e18;

struct Mount {
  std::string point;  // a folder
  std::string root;   // the group that it shows
};

// The mount of a controller ("memory"), or of version 2 ("").
// 32 31 0:29 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct
std::optional<Mount> FindMount(std::string_view mountinfo, std::string_view controller,
                               const std::string& sys_root) {
  for (TextCursor cursor(mountinfo); !cursor.at_end(); cursor.NextLine()) {
    TextCursor line(cursor.rest().substr(0, cursor.rest().find('\n')));
    line.SkipWords(3);
    Mount mount;
    mount.root = line.Word();
    std::string_view point = line.Word();
    if (!line.SkipBehind(" - ")) continue;
    const std::string_view type = line.Word();
    if (controller.empty() ? type != "cgroup2" : type != "cgroup") continue;
    line.SkipWords(1);
    const std::string options = "," + std::string(line.Word()) + ",";
    if (!controller.empty() && options.find(fmt::format(",{},", controller)) == std::string::npos) {
      continue;
    }
    if (point.starts_with("/sys/")) {
      mount.point = sys_root + std::string(point.substr(4));
    } else {
      mount.point = point;
    }
    return mount;
  }
  return std::nullopt;
}

// The path of /proc/PID/cgroup for a controller, or of version 2 ("").
// 4:memory:/job/7
// 0::/user.slice
std::optional<std::string> FindGroup(std::string_view text, std::string_view controller) {
  for (TextCursor cursor(text); !cursor.at_end(); cursor.NextLine()) {
    const std::string_view line = cursor.rest().substr(0, cursor.rest().find('\n'));
    const size_t first = line.find(':');
    const size_t second = first == std::string_view::npos ? first : line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    const std::string names = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    if (controller.empty() ? names != ",,"
                           : names.find(fmt::format(",{},", controller)) == std::string::npos) {
      continue;
    }
    return std::string(line.substr(second + 1));
  }
  return std::nullopt;
}

// A container often sees its own group as the outermost one, under a path of the host that is not
// there: what the mount shows is then the group.
std::vector<std::string> ChainOf(const Mount& mount, std::string group) {
  if (mount.root != "/" && group.starts_with(mount.root)) group.erase(0, mount.root.size());
  std::vector<std::string> chain;
  std::error_code ignored;
  while (group.size() > 1) {
    if (group.back() == '/') {
      group.pop_back();
      continue;
    }
    const std::string folder = mount.point + (group.starts_with('/') ? "" : "/") + group;
    // A group of another namespace begins with /..: nothing of it is visible.
    if (group.find("/..") == std::string::npos && std::filesystem::is_directory(folder, ignored)) {
      chain.push_back(folder);
    }
    const size_t slash = group.rfind('/');
    group.erase(slash == std::string::npos ? 0 : slash);
  }
  chain.push_back(mount.point);
  return chain;
}

uint64_t NumberBehind(std::string_view text, std::string_view name) {
  TextCursor cursor(text);
  return cursor.SkipBehind(name) ? cursor.Number() : 0;
}

}  // namespace

CgroupSource::CgroupSource(const SourceSetup& setup, int pid) : buffer_(setup.buffer) {
  const std::string process =
      setup.proc_root + "/" + (pid == 0 ? std::string("self") : std::to_string(pid));
  const std::string groups = ReadText(process + "/cgroup");
  const std::string mounts = ReadText(process + "/mountinfo");
  const auto chain = [&](std::string_view controller) -> Chain {
    const auto mount = FindMount(mounts, controller, setup.sys_root);
    const auto group = FindGroup(groups, controller);
    return mount && group ? ChainOf(*mount, *group) : Chain();
  };
  const Chain v2 = chain("");
  const Chain cpu = chain("cpu");
  const Chain memory = chain("memory");
  OpenCpu(cpu.empty() ? v2 : cpu, cpu.empty(), chain("cpuacct"), setup.readings);
  OpenMemory(memory.empty() ? v2 : memory, memory.empty(), setup.readings);
  if (cpu_folder_.empty() && memory_folder_.empty()) {
    setup.lacking.emplace_back("no limits of a container or job: there is no control group");
  } else if (!cpu_limit_ && !memory_limit_) {
    setup.lacking.emplace_back("no limits: the control group sets none on processors or memory");
  }
}

std::string CgroupSource::ReadText(const std::string& path) {
  KeptFile file(path);
  std::string_view text;
  return file.Read(buffer_, text) ? std::string(text) : std::string();
}

std::optional<double> CgroupSource::CpuLimit(const std::string& folder, bool is_v2) {
  const std::string text = ReadText(folder + (is_v2 ? "/cpu.max" : "/cpu.cfs_quota_us"));
  const std::string period_text = is_v2 ? "" : ReadText(folder + "/cpu.cfs_period_us");
  TextCursor cursor(text);
  if (!cursor.at_digit()) return std::nullopt;  // max, -1
  const auto quota = static_cast<double>(cursor.Number());
  TextCursor period_cursor(is_v2 ? cursor.rest() : std::string_view(period_text));
  const auto period = static_cast<double>(period_cursor.Number());
  if (quota <= 0 || period <= 0) return std::nullopt;
  return quota / period;
}

std::optional<double> CgroupSource::MemoryLimit(const std::string& folder, bool is_v2) {
  const std::string text = ReadText(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes"));
  TextCursor cursor(text);
  if (!cursor.at_digit()) return std::nullopt;
  const auto bytes = static_cast<double>(cursor.Number());
  return bytes >= kNoLimitBytes ? std::nullopt : std::optional(bytes);
}

void CgroupSource::OpenCpu(const Chain& chain, bool is_v2, const Chain& accounting,
                           Readings& readings) {
  for (const std::string& folder : chain) {
    const std::optional<double> limit = CpuLimit(folder, is_v2);
    if (limit && (!cpu_limit_ || *limit < *cpu_limit_)) {
      cpu_limit_ = limit;
      cpu_folder_ = folder;
    }
  }
  // Without a limit the group itself, unless that is the whole machine.
  if (!cpu_limit_ && chain.size() > 1) cpu_folder_ = chain.front();
  if (cpu_folder_.empty()) return;
  cpu_is_v2_ = is_v2;
  if (!cpu_stat_.Open(cpu_folder_ + "/cpu.stat")) {
    cpu_folder_.clear();
    cpu_limit_.reset();
    return;
  }
  if (!is_v2) {
    // Often one hierarchy with two names, else the same path in another one.
    const auto level = static_cast<size_t>(std::ranges::find(chain, cpu_folder_) - chain.begin());
    if (!cpu_usage_.Open(cpu_folder_ + "/cpuacct.usage") && accounting.size() == chain.size()) {
      (void)cpu_usage_.Open(accounting[level] + "/cpuacct.usage");
    }
  }
  cpu_ = ReadCpu();
  if (is_v2 || cpu_usage_.valid()) cores_ = readings.Add(Metric::kCgroupCpu);
  core_limit_ = readings.Add(Metric::kCgroupCpuLimit);
  throttled_periods_ = readings.Add(Metric::kCgroupThrottledPeriods);
  throttled_seconds_ = readings.Add(Metric::kCgroupThrottledSeconds);
}

void CgroupSource::OpenMemory(const Chain& chain, bool is_v2, Readings& readings) {
  for (const std::string& folder : chain) {
    const std::optional<double> limit = MemoryLimit(folder, is_v2);
    if (limit && (!memory_limit_ || *limit < *memory_limit_)) {
      memory_limit_ = limit;
      memory_folder_ = folder;
    }
  }
  if (!memory_limit_ && chain.size() > 1) memory_folder_ = chain.front();
  if (memory_folder_.empty()) return;
  memory_is_v2_ = is_v2;
  if (!memory_now_.Open(memory_folder_ + (is_v2 ? "/memory.current" : "/memory.usage_in_bytes"))) {
    memory_folder_.clear();
    memory_limit_.reset();
    return;
  }
  (void)memory_events_.Open(memory_folder_ + (is_v2 ? "/memory.events" : "/memory.oom_control"));
  first_oom_kills_ = ReadOomKills();
  memory_ = readings.Add(Metric::kCgroupMemory);
  memory_share_ = readings.Add(Metric::kCgroupMemoryShare);
  memory_limit_series_ = readings.Add(Metric::kCgroupMemoryLimit);
  oom_kills_ = readings.Add(Metric::kCgroupOomKills);
}

CgroupSource::Throttling CgroupSource::ReadCpu() {
  Throttling now = cpu_;
  std::string_view text;
  if (cpu_stat_.Read(buffer_, text)) {
    now.periods = NumberBehind(text, "nr_periods ");
    now.throttled_periods = NumberBehind(text, "nr_throttled ");
    now.throttled_ns = cpu_is_v2_ ? NumberBehind(text, "throttled_usec ") * 1000
                                  : NumberBehind(text, "throttled_time ");
    if (cpu_is_v2_) now.used_ns = NumberBehind(text, "usage_usec ") * 1000;
  }
  if (!cpu_is_v2_ && cpu_usage_.Read(buffer_, text)) now.used_ns = TextCursor(text).Number();
  return now;
}

uint64_t CgroupSource::ReadOomKills() {
  std::string_view text;
  return memory_events_.Read(buffer_, text) ? NumberBehind(text, "oom_kill ") : 0;
}

void CgroupSource::Sample(const MonitorTick& tick, Readings& readings) {
  if (!cpu_folder_.empty()) {
    if (tick.is_slow) cpu_limit_ = CpuLimit(cpu_folder_, cpu_is_v2_);
    const Throttling now = ReadCpu();
    if (cpu_is_v2_ || cpu_usage_.valid()) {
      readings.Put(cores_,
                   static_cast<double>(Growth(now.used_ns, cpu_.used_ns)) * 1e-9 / tick.elapsed_s);
    }
    if (cpu_limit_) {
      readings.Put(core_limit_, *cpu_limit_);
      const uint64_t periods = Growth(now.periods, cpu_.periods);
      const uint64_t throttled = Growth(now.throttled_periods, cpu_.throttled_periods);
      readings.Put(
          throttled_periods_,
          periods == 0 ? 0 : 100 * static_cast<double>(throttled) / static_cast<double>(periods));
      throttled_ns_ += Growth(now.throttled_ns, cpu_.throttled_ns);
      readings.Put(throttled_seconds_, static_cast<double>(throttled_ns_) * 1e-9);
    }
    cpu_ = now;
  }
  if (!memory_folder_.empty()) {
    if (tick.is_slow) memory_limit_ = MemoryLimit(memory_folder_, memory_is_v2_);
    std::string_view text;
    if (memory_now_.Read(buffer_, text)) {
      const auto bytes = static_cast<double>(TextCursor(text).Number());
      readings.Put(memory_, bytes);
      if (memory_limit_ && *memory_limit_ > 0) {
        readings.Put(memory_share_, 100 * bytes / *memory_limit_);
        readings.Put(memory_limit_series_, *memory_limit_);
      }
    }
    if (memory_events_.valid()) {
      readings.Put(oom_kills_, static_cast<double>(Growth(ReadOomKills(), first_oom_kills_)));
    }
  }
}

}  // namespace telltale
