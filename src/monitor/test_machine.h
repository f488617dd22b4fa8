// SPDX-License-Identifier: Apache-2.0
// A machine made of files: small /proc and /sys trees for tests, written as the kernel writes them.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "monitor/monitor.h"

namespace telltale {

constexpr int64_t kTestSecond = 1'000'000'000;

class TestMachine {
 public:
  TestMachine() {
    std::string pattern = std::filesystem::temp_directory_path() / "telltale_machine_XXXXXX";
    root_ = ::mkdtemp(pattern.data());
    std::filesystem::create_directories(root_ + "/proc");
    std::filesystem::create_directories(root_ + "/sys");
  }
  TestMachine(const TestMachine&) = delete;
  TestMachine& operator=(const TestMachine&) = delete;
  ~TestMachine() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  // In place: who has the file open sees it. `path` begins with proc/ or sys/.
  void Write(std::string_view path, std::string_view text) const {
    const std::filesystem::path file = root_ + "/" + std::string(path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  void Remove(std::string_view path) const {
    std::filesystem::remove_all(root_ + "/" + std::string(path));
  }
  [[nodiscard]] const std::string& root() const { return root_; }

  // Ticks so far of /proc/stat: per core busy and idle.
  struct Core {
    int number;
    int busy;
    int idle;
  };
  void WriteCpu(std::span<const Core> cores, int forks = 100) const {
    int busy = 0;
    int idle = 0;
    std::string lines;
    for (const Core& core : cores) {
      busy += core.busy;
      idle += core.idle;
      lines += fmt::format("cpu{} {} 0 0 {} 0 0 0 0 0 0\n", core.number, core.busy, core.idle);
    }
    Write("proc/stat",
          fmt::format("cpu  {} 0 0 {} 0 0 0 0 0 0\n{}intr 5 0 0\nctxt 9\nbtime 1700000000\n"
                      "processes {}\nprocs_running 3\nprocs_blocked 1\nsoftirq 1 2\n",
                      busy, idle, lines, forks));
  }

  struct Process {
    int pid;
    int parent;
    int ticks = 0;         // user; as much again is not system time
    int waited_ticks = 0;  // of children
    int pages = 0;
    int start_ticks = 0;
    std::string_view command = "python";
    int group = 0;
    int session = 0;
    char state = 'S';
  };
  void WriteProcess(const Process& p) const {
    Write(fmt::format("proc/{}/stat", p.pid),
          fmt::format("{} ({}) {} {} {} {} 0 -1 4194304 10 20 3 4 {} 0 {} 0 20 0 2 0 {} 1000 {} "
                      "18446744073709551615 1 1 0 0 0 0 0\n",
                      p.pid, p.command, p.state, p.parent, p.group, p.session, p.ticks,
                      p.waited_ticks, p.start_ticks, p.pages));
  }

  [[nodiscard]] MonitorOptions Options(int root_pid = 0) const {
    MonitorOptions options;
    options.root_pid = root_pid;
    options.proc_root = root_ + "/proc";
    options.sys_root = root_ + "/sys";
    options.nvml_library.clear();
    options.start_ns = kTestSecond;
    return options;
  }

 private:
  std::string root_;
};

inline std::optional<double> ValueOf(std::span<const MonitorReading> readings,
                                     std::string_view tag) {
  for (const MonitorReading& reading : readings) {
    if (reading.tag == tag) return reading.value;
  }
  return std::nullopt;
}

}  // namespace telltale
