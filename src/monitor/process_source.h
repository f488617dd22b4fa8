// SPDX-License-Identifier: Apache-2.0
// A process and all its children: processor time, memory, disk. Which processes these are is looked
// up anew when any process was started on the machine, by listing /proc and asking only those that
// were not there before. (The kernel's own lists, task/*/children, are not everywhere, are one file
// a thread, of which a training has hundreds, and forget who lost their parent.) Who was once found
// stays a member, whoever becomes its parent.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "monitor/source.h"

namespace telltale {

class CpuSource;

class ProcessSource final : public MonitorSource {
 public:
  // `cpu` must outlive it, and be sampled before it.
  ProcessSource(const SourceSetup& setup, int root, const CpuSource& cpu, int64_t now_ns);
  void Sample(const MonitorTick& tick, Readings& readings) override;

  // The next sample looks for children that are new: somebody knows that there are.
  void LookForChildren() { next_scan_ns_ = 0; }

  // Those that were there at the last sample, ascending.
  [[nodiscard]] std::span<const int> pids() const { return pids_; }

 private:
  // The fields of /proc/PID/stat that count here.
  struct Stat {
    int parent = 0;
    int group = 0;
    int session = 0;
    bool is_zombie = false;
    uint64_t major_faults = 0;
    uint64_t own_ticks = 0;     // of its threads
    uint64_t waited_ticks = 0;  // of children that have ended and were waited for, and of theirs
    uint64_t threads = 0;
    uint64_t start_ticks = 0;  // since boot: with the number it says which process it is
    uint64_t resident_pages = 0;
  };
  struct Process {
    int pid = 0;
    bool has_ended = false;
    bool keeps_files = true;
    Stat stat;
    uint64_t read_bytes = 0;
    uint64_t written_bytes = 0;
    uint64_t waited_growth = 0;  // of waited_ticks since the last sample
    uint64_t carried_ticks = 0;  // what of it was counted while those children lived
    KeptFile stat_file;
    KeptFile io_file;
  };
  struct Sums {
    uint64_t ticks = 0;
    uint64_t faults = 0;
    uint64_t read_bytes = 0;
    uint64_t written_bytes = 0;
    uint64_t pages = 0;
    uint64_t threads = 0;
  };

  static bool Parse(std::string_view text, Stat& stat);
  [[nodiscard]] std::string PathOf(int pid, std::string_view file) const;
  // False: there is no such process, or it cannot be looked at.
  [[nodiscard]] bool ReadStat(KeptFile& file, int pid, Stat& stat);
  void ReadDisk(Process& process, uint64_t& read_bytes, uint64_t& written_bytes);
  void Adopt(int pid, const Stat& stat, bool counts_from_now);
  [[nodiscard]] Process* Find(int pid);
  [[nodiscard]] bool IsOurs(const Stat& stat);
  // Everyone, or those who were not there at the last scan.
  void Scan(bool all);
  void ScanWhenDue(const MonitorTick& tick);
  // True: it is still there.
  bool Update(Process& process, Sums& sums);
  void CarryEnded();
  void SamplePss(const MonitorTick& tick, Readings& readings);
  void ListPids();

  const std::string& proc_root_;
  TextBuffer& buffer_;
  std::vector<std::string>& lacking_;
  const CpuSource& cpu_;
  int root_;
  bool root_leads_group_ = false;
  bool root_leads_session_ = false;
  uint64_t base_ticks_ = 0;  // since boot, when the monitor began
  std::vector<Process> processes_;
  std::vector<int> pids_;
  std::vector<int> listed_;  // at the last scan, ascending
  std::vector<int> listing_;
  uint64_t forks_ = 0;        // at the last scan
  uint64_t half_a_turn_ = 0;  // of the numbers of processes
  uint64_t next_full_scan_forks_ = 0;
  int64_t began_ns_ = 0;
  int64_t next_scan_ns_ = 0;
  int64_t next_pss_ns_ = 0;
  bool said_no_disk_ = false;
  bool said_no_pss_ = false;
  uint64_t total_ticks_ = 0;
  double ticks_per_second_;
  double page_bytes_;
  uint32_t cpu_percent_ = 0, cpu_seconds_ = 0, rss_ = 0, pss_ = 0, count_ = 0, threads_ = 0;
  uint32_t read_ = 0, written_ = 0, faults_ = 0;
};

}  // namespace telltale
